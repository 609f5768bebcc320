/* skylark receipts: those that no message was found for. */
#include "cli/carriers.h"

#include "base/clock.h"

#include <inttypes.h>

enum { LIMIT_USUAL = 50, LIMIT_MOST = 100 };

static const struct column columns[] = {
    {.title = "TIME (UTC)"},
    {.name = "id"},
    {.name = "receivedAt"},
    {.title = "CARRIER", .name = "carrier"},
    {.title = "MESSAGE ID", .name = "messageId", .widest = 40},
    {.title = "FROM", .name = "from"},
    {.title = "TO", .name = "to"},
    {.title = "RECEIPT", .name = "receipt", .widest = 100},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static void add_stray(struct table *t, const struct carrier_entries *carriers,
                      const struct stray_record *r)
{
    const char **row = table_add(t), *at = local_time_cell(t, r->at_us);
    char shown[24] = "";

    if (!row)
        return;
    if (at)
        output_time(str_of(at), shown);
    const char *const cells[COLUMN_COUNT] = {
        table_text(t, str_of(shown)),
        arena_number(&t->memory, r->id),
        at,
        carriers_name(carriers, r->carrier),
        table_text(t, r->reference),
        table_text(t, r->source),
        table_text(t, r->destination),
        table_text(t, r->raw),
    };
    memcpy(row, cells, sizeof cells);
}

static bool read_page(const struct invocation *in, uint64_t *limit, int64_t *cursor)
{
    const char *text = in->values[OPTION_LIMIT];

    *limit = LIMIT_USUAL;
    if (text && (!str_to_u64(str_of(text), limit) || *limit < 1 || *limit > LIMIT_MOST)) {
        talk("--limit is a number from 1 to %d.", LIMIT_MOST);
        return false;
    }
    *cursor = 0;
    text = in->values[OPTION_CURSOR];
    if (text && (!str_to_i64(str_of(text), cursor) || *cursor < 1)) {
        talk("'%s' is no cursor; take the one that the page before this one ended with.", text);
        return false;
    }
    return true;
}

/* One more than asked for is read, to know where the next page begins. */
static void show(const struct stray_record *strays, size_t count, size_t limit,
                 const struct carrier_entries *carriers, enum output_format format)
{
    struct table t TABLE_CLEANUP;

    table_init(&t, columns, COLUMN_COUNT);
    for (size_t i = 0; i < count && i < limit; i++)
        add_stray(&t, carriers, &strays[i]);
    if (t.count || format != OUTPUT_TABLE)
        table_print(&t, format, stdout);
    else
        talk("Every receipt has found its message.");
    if (count > limit)
        talk("Next page: the same with --cursor %" PRId64, strays[limit].id);
}

int run_receipts_list(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct carrier_entries carriers;
    struct stray_record *strays;
    enum output_format format;
    uint64_t limit;
    int64_t cursor;
    size_t count;

    if (!invocation_format(in, &format) || !read_page(in, &limit, &cursor))
        return CLI_USAGE;
    int r = local_start(&l, in);
    if (r == CLI_OK)
        r = carriers_find(&l, &carriers);
    if (r != CLI_OK)
        return r;
    r = store_stray_list(l.reader, cursor, limit + 1, &l.memory, &strays, &count);
    if (r < 0) {
        talk("The receipts cannot be read: %s", strerror(-r));
        return CLI_FAILED;
    }
    show(strays, count, limit, &carriers, format);
    return CLI_OK;
}
