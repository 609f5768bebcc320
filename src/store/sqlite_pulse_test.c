/* The contract of store.h about what happens now, against a plain count of everything that did. */
#include "store/pulse_pack.h"
#include "store/sqlite_internal.h"
#include "store/sqlite_testing.h"
#include "store/test_outbox.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define HOUR_US   (60 * MINUTE_US)

enum { MESSAGES_MAX = 3000, EVENTS_MAX = 4 * MESSAGES_MAX, CARRIERS = 4 };

/* ---- what should be ---- */

struct known {
    int64_t id, account, queued_us;
    enum mode mode;
    enum message_status status;
    unsigned carrier;
};

struct happened {
    int64_t account, at_us;
    enum mode mode;
    enum pulse_slot what;
};

static struct model {
    struct known messages[MESSAGES_MAX];
    size_t message_count;
    struct happened events[EVENTS_MAX];
    size_t event_count;
} model, before;

static unsigned seed;

static unsigned roll(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static void happens(const struct known *k, enum pulse_slot what, int64_t at_us)
{
    assert_true(model.event_count < EVENTS_MAX);
    model.events[model.event_count++] =
        (struct happened){.account = k->account, .mode = k->mode, .at_us = at_us, .what = what};
}

/* ---- what is done ---- */

static void accept_one(int64_t account, enum message_status status, unsigned carrier)
{
    struct known k = {.account = account,
                      .mode = roll(3) ? MODE_LIVE : MODE_TEST,
                      .status = status,
                      .carrier = carrier};
    struct message m = test_message(account, k.mode, "x");

    m.status = status;
    m.carrier = carrier;
    if (status == STATUS_SCHEDULED)
        m.scheduled_us = test_now_us + 1;
    if (status == STATUS_RECEIVED)
        m.direction = DIRECTION_INBOUND;
    assert_int_equal(store_accept(test_store, &m), 0);
    k.id = m.id;
    k.queued_us = m.created_us;
    happens(&k, status == STATUS_RECEIVED ? PULSE_received : PULSE_accepted, m.created_us);
    assert_true(model.message_count < MESSAGES_MAX);
    model.messages[model.message_count++] = k;
}

/* When it happens: mostly now; a clock may be wrong by hours either way. */
static int64_t some_time(bool hostile)
{
    int64_t off_us = (int64_t)roll(5 * 3600) * SECOND_US;

    if (!hostile || roll(4))
        return test_now_us;
    return roll(2) ? test_now_us + off_us : test_now_us - off_us;
}

static void move_to(struct known *k, enum message_status to, int64_t at_us)
{
    static const enum pulse_slot slots[STATUS_SLOTS] = {[STATUS_SENT] = PULSE_sent,
                                                        [STATUS_DELIVERED] = PULSE_delivered,
                                                        [STATUS_FAILED] = PULSE_failed,
                                                        [STATUS_CANCELLED] = PULSE_cancelled};
    const struct message_move move = {
        .id = k->id, .from = TEST_BIT(k->status), .to = to, .at_us = at_us};

    if (store_move(test_store, &move) == 0) { /* cancelled too late */
        assert_int_equal(to, STATUS_CANCELLED);
        return;
    }
    k->status = to;
    k->queued_us = at_us;
    if (slots[to])
        happens(k, slots[to], at_us);
}

static void change_one(bool hostile)
{
    struct known *k = &model.messages[roll((unsigned)model.message_count)];
    int64_t at_us = some_time(hostile);
    unsigned carrier = roll(CARRIERS);

    if (k->status == STATUS_SCHEDULED)
        move_to(k, roll(3) ? STATUS_QUEUED : STATUS_CANCELLED, at_us);
    else if (k->status == STATUS_SENT)
        move_to(k, roll(2) ? STATUS_DELIVERED : STATUS_FAILED, at_us);
    else if (k->status == STATUS_QUEUED && roll(3) == 0) {
        if (roll(2))
            assert_int_equal(store_hand_over(test_store, &k->id, 1, carrier), 0);
        else
            assert_int_equal(store_requeue(test_store, k->id, carrier, 1), 1);
        k->carrier = carrier;
    } else if (k->status == STATUS_QUEUED)
        move_to(k, roll(4) ? STATUS_SENT : roll(2) ? STATUS_FAILED : STATUS_CANCELLED, at_us);
}

static void do_something(unsigned accounts, bool hostile)
{
    static const enum message_status first[] = {STATUS_QUEUED, STATUS_QUEUED, STATUS_SCHEDULED,
                                                STATUS_RECEIVED};

    if (model.message_count == 0 || roll(4) == 0)
        accept_one(1 + roll(accounts), first[roll(4)], roll(CARRIERS));
    else
        change_one(hostile);
}

/* ---- what is ---- */

struct told {
    int64_t account, from_minute, last_minute;
    enum mode mode;
    int64_t sum;
};

static int64_t should_be(const struct told *t, enum pulse_slot what, int64_t second)
{
    int64_t count = 0;

    for (size_t i = 0; i < model.event_count; i++) {
        const struct happened *e = &model.events[i];
        count += e->account == t->account && e->mode == t->mode && e->what == what &&
                 e->at_us / SECOND_US == second;
    }
    return count;
}

/* A second is compared when something is told of it; that nothing is missing, the sum tells. */
static void compare_minute(void *context, const struct pulse_minute *m)
{
    struct told *t = context;

    assert_true(m->minute > t->last_minute && m->minute >= t->from_minute);
    t->last_minute = m->minute;
    for (int64_t second = 0; second < 60; second++) {
        const struct pulse *p = &m->seconds[second];
#define X(member)                                                                                  \
    if (p->member)                                                                                 \
        assert_int_equal(p->member, should_be(t, PULSE_##member, m->minute * 60 + second));        \
    t->sum += p->member;
        PULSE_COUNTS(X)
#undef X
    }
}

static void compare_pulse(int64_t account, enum mode mode, int64_t from_minute)
{
    struct told t = {.account = account, .mode = mode, .from_minute = from_minute};
    int64_t sum = 0;

    t.last_minute = INT64_MIN;
    assert_int_equal(
        store_pulse_each(test_reader, account, mode, from_minute, INT64_MAX, compare_minute, &t),
        0);
    for (size_t i = 0; i < model.event_count; i++)
        sum += model.events[i].account == account && model.events[i].mode == mode &&
               model.events[i].at_us / MINUTE_US >= from_minute;
    assert_int_equal(t.sum, sum);
}

static void compare_lanes(const struct queue_state *q, const int64_t lanes[CARRIERS])
{
    size_t busy = 0;

    for (size_t i = 0; i < q->lane_count; i++)
        assert_int_equal(q->lanes[i].queued, lanes[q->lanes[i].carrier]);
    for (size_t i = 0; i < CARRIERS; i++)
        busy += lanes[i] > 0;
    assert_int_equal(q->lane_count, busy);
}

static void compare_queue(int64_t account, enum mode mode)
{
    int64_t counts[STATUS_SLOTS] = {0}, oldest_us = 0, lanes[CARRIERS] = {0};
    struct queue_state q;

    for (size_t i = 0; i < model.message_count; i++) {
        const struct known *k = &model.messages[i];
        if (k->account != account || k->mode != mode)
            continue;
        counts[k->status]++;
        if (k->status != STATUS_QUEUED)
            continue;
        lanes[k->carrier]++;
        if (!oldest_us || k->queued_us < oldest_us)
            oldest_us = k->queued_us;
    }
    assert_int_equal(store_queue_state(test_reader, account, mode, &q), 0);
    assert_int_equal(q.scheduled, counts[STATUS_SCHEDULED]);
    assert_int_equal(q.queued, counts[STATUS_QUEUED]);
    assert_int_equal(q.sent, counts[STATUS_SENT]);
    assert_int_equal(q.oldest_queued_us, oldest_us / SECOND_US * SECOND_US);
    compare_lanes(&q, lanes);
}

/* The one number that a query of the file gives. */
static int64_t ask(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *get;

    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &get, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(get), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(get, 0);
    sqlite3_finalize(get);
    sqlite3_close(db);
    return number;
}

static void compare_all(unsigned accounts)
{
    for (int64_t account = 1; account <= accounts; account++)
        for (int mode = MODE_TEST; mode <= MODE_LIVE; mode++) {
            compare_pulse(account, (enum mode)mode, 0);
            compare_queue(account, (enum mode)mode);
        }
    assert_int_equal(ask("SELECT count(*) FROM pulse WHERE waits = 0 AND queued > 0"), 0);
    assert_int_equal(ask("SELECT (SELECT sum(queued) FROM pulse)"
                         " - (SELECT sum(count) FROM tally WHERE owner > 0 AND status = 2)"),
                     0);
    struct books b;
    assert_int_equal(store_books(test_reader, true, &b), 0);
    assert_string_equal(b.first, "");
}

/* ---- histories ---- */

/* Some go back: nothing of them happened. */
static void transaction(unsigned size, unsigned accounts, bool hostile)
{
    bool back = roll(6) == 0;

    before = model;
    assert_int_equal(store_begin(test_store), 0);
    for (unsigned i = 0; i < size; i++)
        do_something(accounts, hostile);
    if (back) {
        store_rollback(test_store);
        model = before;
    } else
        assert_int_equal(store_commit(test_store), 0);
}

static void history(unsigned first_seed, unsigned accounts, bool hostile)
{
    seed = first_seed;
    model.message_count = model.event_count = 0;
    for (int i = 0; i < 120; i++) {
        test_now_us += (int64_t)roll(roll(3) ? 2000 : 50000) * 1000;
        transaction(roll(60), accounts, hostile);
        if (roll(30) == 0) {
            test_close();
            test_open();
        }
        if (i % 40 == 39)
            compare_all(accounts);
    }
}

static void test_few_accounts(void **state)
{
    history(1, 2, false);
}

/* More of them than the writer remembers minutes of, in one transaction, too. */
static void test_many_accounts(void **state)
{
    history(2, 400, false);
    test_now_us += MINUTE_US;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(store_begin(test_store), 0);
        for (int64_t account = 1; account <= 400; account++)
            accept_one(account, STATUS_QUEUED, 0);
        assert_int_equal(store_commit(test_store), 0);
    }
    compare_all(400);
}

static void test_wrong_clocks(void **state)
{
    history(3, 3, true);
}

/* ---- rules ---- */

static struct queue_state state_of(int64_t account, enum mode mode)
{
    struct queue_state q;

    assert_int_equal(store_queue_state(test_reader, account, mode, &q), 0);
    return q;
}

static void test_nothing_yet(void **state)
{
    struct queue_state q = state_of(1, MODE_LIVE);

    assert_int_equal(q.queued, 0);
    assert_int_equal(q.oldest_queued_us, 0);
    assert_int_equal(q.lane_count, 0);
    assert_int_equal(q.hooks_pending, 0);
    model.event_count = 0;
    compare_pulse(1, MODE_LIVE, 0);
}

/* A message waits since it was queued, whoever has it in his hands meanwhile. */
static void test_waiting_since(void **state)
{
    int64_t first_us = test_now_us / SECOND_US * SECOND_US;
    struct message a = test_accept(1, MODE_LIVE, "a");

    test_now_us += 90 * SECOND_US;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_hand_over(test_store, &a.id, 1, 2), 0);
    assert_int_equal(store_requeue(test_store, a.id, 3, 1), 1);
    assert_int_equal(store_commit(test_store), 0);
    struct message b = test_message(1, MODE_LIVE, "b");
    b.status = STATUS_SCHEDULED;
    b.scheduled_us = test_now_us + HOUR_US;
    test_accept_this(&b);
    struct queue_state q = state_of(1, MODE_LIVE);
    assert_int_equal(q.oldest_queued_us, first_us);
    assert_int_equal(q.lane_count, 1);
    assert_int_equal(q.lanes[0].carrier, 3);
    assert_int_equal(q.lanes[0].queued, 1);

    /* The scheduled one waits since its time came. */
    test_move(b.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, b.scheduled_us);
    test_move(a.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, test_now_us);
    q = state_of(1, MODE_LIVE);
    assert_int_equal(q.oldest_queued_us, b.scheduled_us / SECOND_US * SECOND_US);
    assert_int_equal(q.lanes[0].carrier, 0);
    assert_int_equal(state_of(1, MODE_TEST).queued, 0);
    assert_int_equal(state_of(2, MODE_LIVE).queued, 0);
}

/* Minutes in which nothing waits are out of the way of those who look for the oldest. */
static void test_minutes_settle(void **state)
{
    for (int i = 0; i < 20; i++) {
        struct message m = test_accept(1, MODE_LIVE, "x");
        test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, test_now_us);
        test_now_us += MINUTE_US;
        if (i == 10) {
            test_close();
            test_open();
        }
    }
    assert_int_equal(ask("SELECT count(*) FROM pulse"), 20);
    assert_int_equal(ask("SELECT count(*) FROM pulse WHERE waits = 1"), 1);
}

/* A little over a day is kept; and for as long as something waits since then. */
static void test_expiry(void **state)
{
    int64_t begin_us = test_now_us;
    struct message waits = test_accept(1, MODE_LIVE, "waits");
    struct told t = {.account = 1, .mode = MODE_LIVE};

    /* Nobody moves the log here: dropping must not wait for that. */
    ((struct sqlite_store *)test_store)->sizes.log_pages = 0;
    for (int i = 0; i < 300; i++) {
        test_now_us += MINUTE_US;
        struct message m = test_accept(1 + i % 2, MODE_LIVE, "x");
        test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, test_now_us);
    }
    test_now_us = begin_us + 25 * HOUR_US;
    test_housekeep();
    assert_int_equal(ask("SELECT count(*) FROM pulse"), 301);
    test_now_us = begin_us + 25 * HOUR_US + 290 * MINUTE_US;
    test_housekeep();
    assert_int_equal(ask("SELECT count(*) FROM pulse"), 12);
    assert_int_equal(state_of(1, MODE_LIVE).oldest_queued_us, begin_us / SECOND_US * SECOND_US);

    test_move(waits.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, test_now_us);
    assert_int_equal(state_of(1, MODE_LIVE).oldest_queued_us, 0);
    assert_int_equal(ask("SELECT count(*) FROM pulse"), 12); /* one went, one came */
    /* What happened that long ago is not kept either when it is told now. */
    test_move(waits.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, begin_us);
    assert_int_equal(ask("SELECT count(*) FROM pulse"), 12);
    model.event_count = 0;
    assert_int_equal(store_pulse_each(test_reader, 1, MODE_LIVE, test_now_us / MINUTE_US + 1,
                                      INT64_MAX, compare_minute, &t),
                     0);
    assert_int_equal(t.sum, 0);
}

/* What cannot be read is an error; messages go on. */
static void test_a_damaged_minute(void **state)
{
    struct message a = test_accept(1, MODE_LIVE, "a");
    struct queue_state q;
    struct told t = {0};

    test_sql("UPDATE pulse SET counts = x'ffffff'");
    store_look_elsewhere(test_store);
    assert_int_equal(store_pulse_each(test_reader, 1, MODE_LIVE, 0, INT64_MAX, compare_minute, &t),
                     -EIO);
    assert_int_equal(store_queue_state(test_reader, 1, MODE_LIVE, &q), -EIO);
    assert_int_equal(test_move(a.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, test_now_us), 1);
    assert_int_equal(store_queue_state(test_reader, 1, MODE_LIVE, &q), 0);
    assert_int_equal(q.oldest_queued_us, 0);
    assert_int_equal(q.sent, 1);
}

/* What another process did between two transactions is neither overwritten nor done twice. */
static void test_another_writer(void **state)
{
    struct message a = test_accept(1, MODE_LIVE, "a"), b = test_message(1, MODE_LIVE, "b");
    const struct message_move sent = {
        .id = a.id, .from = TEST_BIT(STATUS_QUEUED), .to = STATUS_SENT, .at_us = test_now_us};
    struct store *other;
    char why[STORE_WHY_SIZE];

    assert_int_equal(store_open_sqlite(&other, test_path, &test_clock, why), 0);
    assert_int_equal(store_begin(other), 0);
    assert_int_equal(store_accept(other, &b), 0);
    assert_int_equal(store_move(other, &sent), 1);
    assert_int_equal(store_commit(other), 0);
    store_close(other);
    test_now_us += 1000;
    test_accept(1, MODE_LIVE, "c");
    assert_int_equal(test_move(a.id, sent.from, STATUS_SENT, 0, test_now_us), 0);
    assert_int_equal(ask("SELECT sum(queued) FROM pulse"), 2);
    assert_int_equal(ask("SELECT count FROM tally WHERE owner = 3 AND status = 2"), 2);
}

/* ---- webhooks ---- */

static const char hook_differences[] =
    "SELECT count(*) FROM (SELECT account * 2 + mode AS owner, state, count(*) AS count"
    "    FROM delivery WHERE endpoint IN (SELECT id FROM endpoint) GROUP BY 1, 2) AS d"
    "  FULL JOIN (SELECT * FROM hook_tally WHERE count <> 0) AS t USING (owner, state)"
    "  WHERE d.count IS NOT t.count";

static void test_webhooks(void **state)
{
    struct endpoint_record both = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct endpoint_record live = test_endpoint_add(1, 1u << MODE_LIVE, TEST_KINDS);
    struct delivery_record *d;
    struct message m;

    for (int i = 0; i < 4; i++) {
        m = test_delivered(1, i % 2 ? MODE_LIVE : MODE_TEST);
        test_delivered(2, MODE_LIVE);
    }
    assert_int_equal(state_of(1, MODE_LIVE).hooks_pending, 8);
    assert_int_equal(state_of(1, MODE_TEST).hooks_pending, 4);
    assert_int_equal(state_of(2, MODE_LIVE).hooks_pending, 0);
    assert_int_equal(ask(hook_differences), 0);

    assert_int_equal(test_deliveries(m.id, &d), 4);
    test_tried(d[0].id, 1, DELIVERY_DONE, 0);
    test_tried(d[1].id, 1, DELIVERY_FAILED, 0);
    test_tried(d[2].id, 1, DELIVERY_WAITING, test_now_us + 5);
    assert_int_equal(state_of(1, MODE_LIVE).hooks_pending, 6);
    assert_int_equal(ask(hook_differences), 0);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_again(test_store, d[1].id, test_now_us), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(state_of(1, MODE_LIVE).hooks_pending, 7);
    assert_int_equal(ask(hook_differences), 0);

    /* One is removed, in the transaction of a message that it is told of. */
    assert_int_equal(store_begin(test_store), 0);
    m = test_message(1, MODE_LIVE, "x");
    assert_int_equal(store_accept(test_store, &m), 0);
    const struct message_move sent = {
        .id = m.id, .from = TEST_BIT(STATUS_QUEUED), .to = STATUS_SENT, .at_us = test_now_us};
    assert_int_equal(store_move(test_store, &sent), 1);
    assert_int_equal(store_endpoint_remove(test_store, 1, both.id), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(ask(hook_differences), 0);
    test_housekeep();
    assert_int_equal(ask(hook_differences), 0);
    assert_int_equal(test_count(live.id, DELIVERY_WAITING), state_of(1, MODE_LIVE).hooks_pending);
    /* And the rest is past its time. */
    test_now_us += 40 * TEST_DAY_US;
    test_housekeep();
    assert_int_equal(ask(hook_differences), 0);
    assert_int_equal(state_of(1, MODE_LIVE).hooks_pending, 0);
    struct books b;
    assert_int_equal(store_books(test_reader, true, &b), 0);
    assert_string_equal(b.first, "");
}

static void sum_hook_failures(void *context, const struct pulse_minute *m)
{
    for (int second = 0; second < 60; second++)
        *(int64_t *)context += m->seconds[second].hook_failures;
}

static void test_failed_attempts(void **state)
{
    struct delivery_record *d;
    int64_t failures = 0, at_us = test_now_us;

    test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct message m = test_delivered(1, MODE_LIVE);
    assert_int_equal(test_deliveries(m.id, &d), 2);
    test_now_us += MINUTE_US;
    test_tried(d[0].id, 1, DELIVERY_WAITING, test_now_us);
    test_tried(d[0].id, 2, DELIVERY_DONE, 0);
    test_tried(d[1].id, 1, DELIVERY_FAILED, 0);
    assert_int_equal(store_pulse_each(test_reader, 1, MODE_LIVE, at_us / MINUTE_US + 1, INT64_MAX,
                                      sum_hook_failures, &failures),
                     0);
    assert_int_equal(failures, 2);
    failures = 0;
    assert_int_equal(store_pulse_each(test_reader, 1, MODE_LIVE, 0, at_us / MINUTE_US,
                                      sum_hook_failures, &failures),
                     0);
    assert_int_equal(failures, 0);
    assert_int_equal(
        store_pulse_each(test_reader, 1, MODE_TEST, 0, INT64_MAX, sum_hook_failures, &failures), 0);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_few_accounts),   STORE_TEST(test_many_accounts),
        STORE_TEST(test_wrong_clocks),   STORE_TEST(test_nothing_yet),
        STORE_TEST(test_waiting_since),  STORE_TEST(test_minutes_settle),
        STORE_TEST(test_expiry),         STORE_TEST(test_a_damaged_minute),
        STORE_TEST(test_webhooks),       STORE_TEST(test_failed_attempts),
        STORE_TEST(test_another_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
