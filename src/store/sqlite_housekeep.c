/* Work that can wait, in small pieces. It is made from rows that are on disk, so nothing is lost
 * with it: its transactions are not synced, and the next one that is takes them along. */
#include "store/sqlite_outbox.h"
#include "store/sqlite_pulse.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* While the writer is busy, entries are merged in proportion to those that come: more than the
 * levels ask for, so that merging keeps up. */
enum { MERGED_PER_ADDED = 8, CREDIT_STEPS = 16 };
/* How long to leave it after a failure. */
enum { REST_US = 1000000 };

const struct sizes sizes_default = {
    .bulk = 4096, .bulk_idle = 256, .fan = 8, .generation = 1 << 20, .step = 16384};

static size_t merge_step(const struct sqlite_store *s, bool idle)
{
    return idle || s->merge_credit > s->sizes.step ? s->sizes.step : s->merge_credit;
}

static bool wants_merging(const struct sqlite_store *s, const struct shelf *shelf, bool idle)
{
    return shelf->loaded && merge_step(s, idle) >= s->sizes.step / 4 && shelf_has_work(s, shelf);
}

static int do_merging(struct sqlite_store *s, struct shelf *shelf, bool idle)
{
    size_t step = merge_step(s, idle);

    s->merge_credit -= step < s->merge_credit ? step : s->merge_credit;
    return shelf_work(s, shelf, step);
}

static bool index_wants_merging(struct sqlite_store *s, bool idle)
{
    return wants_merging(s, &s->index.shelf, idle);
}

static int index_merge(struct sqlite_store *s, bool idle)
{
    return do_merging(s, &s->index.shelf, idle);
}

static bool once_wants_merging(struct sqlite_store *s, bool idle)
{
    return wants_merging(s, &s->once.shelf, idle);
}

static int once_merge(struct sqlite_store *s, bool idle)
{
    return do_merging(s, &s->once.shelf, idle);
}

static const struct chore {
    bool (*wanted)(struct sqlite_store *s, bool idle);
    int (*run)(struct sqlite_store *s, bool idle);
} chores[] = {
    {once_wants_rows, once_read_rows},          {once_wants_filter, once_fill_filter},
    {once_wants_volume, once_write_volume},     {once_wants_expiry, once_expire},
    {once_wants_merging, once_merge},           {index_wants_rows, index_read_rows},
    {index_wants_volume, index_write_volume},   {index_wants_merging, index_merge},
    {reference_wants_expiry, reference_expire}, {outbox_wants_removal, outbox_remove},
    {outbox_wants_expiry, outbox_expire},       {pulse_wants_expiry, pulse_expire},
};
enum { CHORES = sizeof chores / sizeof *chores };

static bool is_anything_wanted(struct sqlite_store *s, bool idle)
{
    for (size_t i = 0; i < CHORES; i++)
        if (chores[i].wanted(s, idle))
            return true;
    return false;
}

static int run_chores(struct sqlite_store *s, bool idle)
{
    int failed = 0;

    for (size_t i = 0; i < CHORES && !failed; i++)
        if (chores[i].wanted(s, idle))
            failed = chores[i].run(s, idle);
    return failed;
}

/* In a transaction that is not synced. */
static int run_unsynced(struct sqlite_store *s, bool idle)
{
    int failed = sqlite_sync(s, false);

    if (!failed)
        failed = run(s, WRITE_BEGIN);
    if (failed)
        return failed;
    failed = run_chores(s, idle);
    if (!failed)
        failed = run(s, WRITE_COMMIT);
    if (failed)
        sqlite_rollback(&s->base);
    return failed;
}

bool sqlite_housekeep(struct store *base, bool idle)
{
    struct sqlite_store *s = sqlite_of(base);
    size_t credit = s->merge_credit + s->entries_added * MERGED_PER_ADDED;

    s->merge_credit = credit < CREDIT_STEPS * s->sizes.step ? credit : CREDIT_STEPS * s->sizes.step;
    s->entries_added = 0;
    if (!is_anything_wanted(s, idle))
        return false;
    if (s->housekeep_us && clock_monotonic_us() < s->housekeep_us)
        return false;
    int failed = run_unsynced(s, idle);
    s->housekeep_us = failed ? clock_monotonic_us() + REST_US : 0;
    return !failed && is_anything_wanted(s, idle);
}
