#include "store/sqlite_tally.h"

#include "store/sqlite_rows.h"

static const enum write_statement adds[TALLY_TABLES] = {
    [TALLY_STATUS] = WRITE_TALLY_ADD,
    [TALLY_LANE] = WRITE_LANE_TALLY_ADD,
    [TALLY_HOOK] = WRITE_HOOK_TALLY_ADD,
};

int tally_flush(struct sqlite_store *s)
{
    int failed = 0;

    for (size_t i = 0; i < s->tallies.count && !failed; i++) {
        const struct tally_delta *d = &s->tallies.at[i];
        if (d->count)
            failed = RUN_WITH(s, adds[d->table], d->owner, d->number, d->count);
    }
    s->tallies.count = 0;
    return failed;
}

void tally_forget(struct sqlite_store *s)
{
    s->tallies.count = 0;
}

int tally_count(struct sqlite_store *s, enum tally_table table, int64_t owner, unsigned number,
                int64_t delta)
{
    struct tally_deltas *t = &s->tallies;

    for (size_t i = 0; i < t->count; i++)
        if (t->at[i].owner == owner && t->at[i].number == (int32_t)number &&
            t->at[i].table == table) {
            t->at[i].count += delta;
            return 0;
        }
    int failed = t->count == TALLY_SLOTS ? tally_flush(s) : 0;
    t->at[t->count++] = (struct tally_delta){owner, delta, (int32_t)number, table};
    return failed;
}

/* Owners are numbers above 0: the others are carriers'. */
int tally_count_lane(struct sqlite_store *s, int64_t owner, unsigned carrier, int delta)
{
    int failed = tally_count(s, TALLY_STATUS, -(int64_t)carrier, STATUS_QUEUED, delta);

    return failed ? failed : tally_count(s, TALLY_LANE, owner, carrier, delta);
}
