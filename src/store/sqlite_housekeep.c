/* Work that can wait, in small pieces. It is made from rows that are on disk, so nothing is lost
 * with it: its transactions are not synced, and the next one that is takes them along.
 *
 * Whoever wants to write waits meanwhile, so a transaction takes a few milliseconds at most: chores
 * that may have much to do work in stints that end by the clock, and when the time is up the others
 * have their turn the next time. */
#include "base/metric.h"
#include "store/sqlite_media.h"
#include "store/sqlite_outbox.h"
#include "store/sqlite_pulse.h"
#include "store/sqlite_retention.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* While the writer is busy, entries are merged in proportion to those that come: more than the
 * levels ask for, so that merging keeps up. */
enum { MERGED_PER_ADDED = 8, CREDIT_STEPS = 16 };
/* How long to leave it after a failure. */
enum { REST_US = 1000000 };
/* How long chores may go on in a transaction, when nobody waits and when others do. Its commit may
 * take as long again. */
enum { IDLE_US = 2500, BUSY_US = 1000 };

const struct sizes sizes_default = {.bulk = 4096,
                                    .bulk_idle = 256,
                                    .fan = 8,
                                    .generation = 1 << 20,
                                    .step = 16384,
                                    .few = 256,
                                    .log_pages = 2000};

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
    bool drops; /* rows; there may be very many of them */
} chores[] = {
    {once_wants_rows, once_read_rows, false},
    {once_wants_filter, once_fill_filter, false},
    {once_wants_volume, once_write_volume, false},
    {once_wants_expiry, once_expire, true},
    {once_wants_merging, once_merge, false},
    {index_wants_rows, index_read_rows, false},
    {index_wants_volume, index_write_volume, false},
    {index_wants_merging, index_merge, false},
    {reference_wants_expiry, reference_expire, true},
    {outbox_wants_removal, outbox_remove, true},
    {outbox_wants_expiry, outbox_expire, true},
    {retention_wants_strays, retention_drop_strays, true},
    {retention_wants_messages, retention_drop_messages, true},
    {pulse_wants_expiry, pulse_expire, true},
    {media_wants_walk, media_walk, false},
    {media_wants_removal, media_remove_unused, true},
};
enum { CHORES = sizeof chores / sizeof *chores };

/* What is dropped makes the log long, which the next commit must sync and the checkpointer must
 * move. It waits for them, so that there is little left for the writer when the log begins anew. */
static bool is_log_full(const struct sqlite_store *s)
{
    return s->sizes.log_pages && s->log_pages >= s->sizes.log_pages;
}

static bool is_wanted(struct sqlite_store *s, const struct chore *c, bool idle)
{
    return !(c->drops && is_log_full(s)) && c->wanted(s, idle);
}

static bool is_anything_wanted(struct sqlite_store *s, bool idle)
{
    for (size_t i = 0; i < CHORES; i++)
        if (is_wanted(s, &chores[i], idle))
            return true;
    return false;
}

/* Each in its turn, as far as the time goes. */
static int run_chores(struct sqlite_store *s, bool idle)
{
    int failed = 0;

    s->chores_until_us = clock_monotonic_us() + (idle ? IDLE_US : BUSY_US);
    for (size_t i = 0; i < CHORES && !failed; i++) {
        const struct chore *c = &chores[s->next_chore];
        s->next_chore = (s->next_chore + 1) % CHORES;
        if (!is_wanted(s, c, idle))
            continue;
        failed = c->run(s, idle);
        if (clock_monotonic_us() >= s->chores_until_us)
            break;
    }
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
    int64_t begun_us = clock_monotonic_us();
    int failed = run_unsynced(s, idle);
    metric_observe(METRIC_CHORE_SECONDS, 0, clock_monotonic_us() - begun_us);
    s->housekeep_us = failed ? clock_monotonic_us() + REST_US : 0;
    return !failed && is_anything_wanted(s, idle);
}
