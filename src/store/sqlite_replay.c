/* Redeliveries: deliveries between two numbers wait again, some at a time. */
#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

enum { STEP_MAX = 256 };

/* The lowest numbers of all lists that are wanted. */
struct step {
    int64_t numbers[STEP_MAX];
    size_t count, most;
};

/* Kept in order; the highest makes room. */
static void add(struct step *t, int64_t number)
{
    size_t at = t->count;

    if (t->count < t->most)
        t->count++;
    else if (number > t->numbers[--at])
        return;
    for (; at && t->numbers[at - 1] > number; at--)
        t->numbers[at] = t->numbers[at - 1];
    t->numbers[at] = number;
}

static int read_list(struct sqlite_store *s, const struct endpoint_record *e, int mode, int state,
                     struct step *t)
{
    sqlite3_stmt *rows = s->statements[WRITE_DELIVERY_AT_LEAST];
    int code;

    BIND_NUMBERS(rows, e->id, mode, state, e->replay_from, e->replay_to, (int64_t)t->most);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        add(t, sqlite3_column_int64(rows, 0));
    sqlite3_reset(rows);
    return code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

/* What waits already is left as it is. */
static int read_step(struct sqlite_store *s, const struct endpoint_record *e, struct step *t)
{
    int failed = delivery_flush(s);

    for (int mode = MODE_TEST; mode <= MODE_LIVE; mode++)
        for (int state = DELIVERY_DONE; state <= DELIVERY_FAILED && !failed; state++)
            if ((!e->replay_modes || e->replay_modes & 1u << mode) &&
                (!e->replay_states || e->replay_states & 1u << state))
                failed = read_list(s, e, mode, state, t);
    return failed;
}

int sqlite_replay_step(struct store *base, struct endpoint_record *e, int64_t now_us, size_t limit,
                       size_t *ret_count)
{
    struct sqlite_store *s = sqlite_of(base);
    struct step t = {.most = limit < STEP_MAX ? limit : STEP_MAX};
    int failed = read_step(s, e, &t);

    for (size_t i = 0; i < t.count && !failed; i++) {
        int waits = sqlite_delivery_again(base, t.numbers[i], now_us);
        failed = waits < 0 ? waits : 0;
        *ret_count += waits == 1;
    }
    bool more = t.count && t.count == t.most;
    e->replay_from = more ? t.numbers[t.count - 1] + 1 : 0;
    e->replay_to = more ? e->replay_to : 0;
    return failed ? failed
                  : RUN_WITH(s, WRITE_ENDPOINT_SET_REPLAY, e->id, e->replay_from, e->replay_to);
}
