/* The list of prices that the store keeps. */
#include "messaging/price.h"

#include "store/store.h"

#include <errno.h>
#include <stdlib.h>

struct growing {
    struct price_record *records;
    size_t count, room;
    bool failed;
};

static bool take(void *growing, const struct price_record *p)
{
    struct growing *g = growing;

    if (g->count == g->room) {
        size_t room = g->room ? g->room * 2 : 256;
        struct price_record *records = realloc(g->records, room * sizeof *records);
        g->failed = !records;
        if (!records)
            return false;
        g->records = records;
        g->room = room;
    }
    g->records[g->count++] = *p;
    return true;
}

int price_records_load(struct price_record **ret, size_t *ret_count, struct store_reader *r)
{
    struct growing g = {NULL, 0, 0, false};
    int failed = store_price_each(r, take, &g);

    if (failed == 0 && g.failed)
        failed = -ENOMEM;
    if (failed) {
        free(g.records);
        return failed;
    }
    *ret = g.records;
    *ret_count = g.count;
    return 0;
}

int price_list_load(struct price_list **ret, struct store_reader *r, int64_t now_us)
{
    struct price_record *records;
    size_t count;
    int failed = price_records_load(&records, &count, r);

    if (failed)
        return failed;
    failed = price_list_make(ret, records, count, now_us);
    free(records);
    return failed;
}
