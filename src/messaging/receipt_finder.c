#include "messaging/receipt_finder.h"

#include <errno.h>

/* The messages of one id, most of them short. */
enum { READ_ARENA = 16 << 20 };

int receipt_finder_init(struct receipt_finder *f, struct store *s,
                        const struct reference_table *references)
{
    *f = (struct receipt_finder){.references = references};
    arena_init(&f->arena, READ_ARENA);
    return store_reader_open(s, &f->reader);
}

void receipt_finder_done(struct receipt_finder *f)
{
    store_reader_close(f->reader);
    arena_done(&f->arena);
}

static bool is_one_message(const struct reference_record *found, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (found[i].message != found[0].message)
            return false;
    return count > 0;
}

/* 1 the message goes to one of the receipt's addresses, 0 it does not. */
static int goes_there(struct receipt_finder *f, const struct receipt_job *j, int64_t message)
{
    struct message m;
    int failed = store_message_find(f->reader, message, &f->arena, &m);

    if (failed)
        return failed == -ENOENT ? 0 : failed;
    uint64_t to = reference_address(f->references, m.to);
    return to == j->ends.source || to == j->ends.destination;
}

/* `found` has the references of each message side by side. */
static int keep_fitting(struct receipt_finder *f, struct receipt_job *j,
                        const struct reference_record *found, size_t count, bool strict)
{
    int fits = 1;

    for (size_t i = 0; i < count; i++) {
        if (strict && (i == 0 || found[i].message != found[i - 1].message))
            fits = goes_there(f, j, found[i].message);
        if (fits < 0)
            return fits;
        if (fits &&
            !reference_matches_add(j->matches, &j->match_count, found[i].message, found[i].part))
            break;
    }
    return 0;
}

static int look_in_store(struct receipt_finder *f, const struct carrier_receipt *receipt,
                         struct receipt_job *j)
{
    struct reference_record *found;
    size_t count;
    int failed = 0;

    for (size_t way = 0; way < j->way_count && j->match_count == 0 && !failed; way++) {
        failed = store_reference_find(f->reader, j->carrier, receipt->ids[way], &f->arena, &found,
                                      &count);
        if (!failed)
            failed = keep_fitting(f, j, found, count, way > 0 || !is_one_message(found, count));
    }
    store_reader_rest(f->reader);
    arena_reset(&f->arena);
    return failed;
}

int receipt_find(struct receipt_finder *f, const struct carrier_receipt *receipt,
                 struct receipt_job *j)
{
    j->way_count = receipt->id_count < RECEIPT_WAYS ? receipt->id_count : RECEIPT_WAYS;
    for (size_t way = 0; way < j->way_count; way++)
        j->ways[way] = reference_hash(f->references, j->carrier, receipt->ids[way]);
    j->ends.source = reference_address(f->references, j->source);
    j->ends.destination = reference_address(f->references, j->destination);
    for (size_t way = 0; way < j->way_count && j->match_count == 0; way++)
        j->match_count =
            reference_table_find(f->references, j->ways[way], &j->ends, way > 0, j->matches);
    return j->match_count ? 0 : look_in_store(f, receipt, j);
}
