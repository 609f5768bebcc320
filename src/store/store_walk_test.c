/* A random walk: thousands of accepts and moves in transactions that end either way, and after
 * every one the store must show the same as a plain array does. */
#include "store/sqlite_work.h"
#include "store/test_fixture.h"

#include <stdlib.h>

enum { MESSAGES = 5000, ACCOUNTS = 3, LIMIT_MAX = 60, CARRIERS = 3 };

/* Committed, oldest first. The carrier of first choice is kept as the rate limit as well, and the
 * first reason as the calling code. */
static struct message model[MESSAGES];
static size_t model_count;
static uint64_t seed;

static size_t pick(size_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % below;
}

static bool is_final(enum message_status s)
{
    return s == STATUS_DELIVERED || s == STATUS_FAILED || s == STATUS_CANCELLED ||
           s == STATUS_RECEIVED;
}

static void give_extras(struct message *m)
{
    if (pick(3) == 0)
        m->subject = STR("a subject");
    if (pick(3) == 0)
        m->tags = STR("red\ngreen");
    if (pick(3) == 0)
        m->metadata = STR("{\"order\": 7}");
    if (pick(3) == 0)
        m->webhook_url = STR("https://example.com/1");
    if (pick(3) == 0)
        m->webhook_failover_url = STR("https://example.com/2");
    m->validity_s = (int64_t)pick(3) * 60;
    m->batch = (int64_t)pick(3);
}

static void accept_one(struct message *at)
{
    static const char *const texts[] = {"", "short", "caf\xc3\xa9 \xf0\x9f\x98\x80",
                                        "a longer text that needs more room than the others"};

    *at =
        test_message((int64_t)pick(ACCOUNTS) + 1, pick(2) ? MODE_LIVE : MODE_TEST, texts[pick(4)]);
    at->segments = (unsigned)pick(5);
    at->rate_limit = at->carrier = pick(2) ? (unsigned)pick(CARRIERS) : 0;
    at->calling_code = at->reason = pick(2) ? REASON_USER : REASON_SMART;
    at->cost_micros = (int64_t)pick(100000);
    /* Sometimes far: the writer's memory has the same place for both times. */
    test_now_us += pick(300) ? (int64_t)pick(3000) : WORK_TIMES * INT64_C(1000);
    if (pick(4) == 0)
        give_extras(at);
    if (pick(4) == 0) {
        at->status = STATUS_SCHEDULED;
        at->scheduled_us = test_now_us + (int64_t)pick(1000);
    } else if (pick(8) == 0)
        at->status = STATUS_RECEIVED;
    assert_int_equal(store_accept(test_store, at), 0);
}

static void give_to(struct message *m, unsigned carrier)
{
    m->carrier = carrier;
    m->reason = carrier == m->rate_limit ? (enum route_reason)m->calling_code : REASON_FAILOVER;
}

static void hand_over(struct message *copy, size_t count)
{
    unsigned carrier = (unsigned)pick(CARRIERS);
    int64_t ids[40];
    size_t n = pick(sizeof ids / sizeof *ids);

    for (size_t i = 0; i < n; i++) {
        struct message *m = &copy[count - 1 - pick(count < 200 ? count : 200)];
        ids[i] = m->id;
        if (m->status != STATUS_QUEUED)
            continue;
        give_to(m, carrier);
        m->handed = true;
        m->sent_us = 0;
    }
    assert_int_equal(store_hand_over(test_store, ids, n, carrier), 0);
}

static void requeue(struct message *m)
{
    unsigned carrier = (unsigned)pick(CARRIERS), retry_count = (unsigned)pick(4);
    bool queued = m->status == STATUS_QUEUED;

    assert_int_equal(store_requeue(test_store, m->id, carrier, retry_count), queued);
    if (!queued)
        return;
    give_to(m, carrier);
    m->retry_count = retry_count;
    m->handed = false;
    m->sent_us = 0;
}

static void move_one(struct message *m)
{
    enum message_status to = (enum message_status)(STATUS_QUEUED + pick(5));
    struct message_move move = {m->id, (uint32_t)pick(256), to, FAILURE_NONE, ++test_now_us};
    bool moves = !is_final(m->status) && move.from & TEST_BIT(m->status) &&
                 !(m->handed && to == STATUS_CANCELLED); /* its carrier may have it */

    if (to == STATUS_FAILED)
        move.failure = (enum failure)(1 + pick(FAILURE_UNKNOWN));
    assert_int_equal(store_move(test_store, &move), moves);
    if (!moves)
        return;
    m->status = to;
    m->handed = false;
    m->updated_us = move.at_us;
    if (to == STATUS_SENT)
        m->sent_us = move.at_us;
    if (to == STATUS_DELIVERED)
        m->delivered_us = move.at_us;
    if (to == STATUS_CANCELLED)
        m->cancelled_us = move.at_us;
    if (to == STATUS_FAILED) {
        m->failed_us = move.at_us;
        m->failure = move.failure;
    }
}

/* One transaction on a copy of the model, which is kept or dropped with it. */
static void walk(struct message *copy)
{
    size_t count = model_count;

    memcpy(copy, model, count * sizeof *copy);
    assert_int_equal(store_begin(test_store), 0);
    for (size_t i = 0, steps = 1 + pick(100); i < steps; i++) {
        if (count < MESSAGES && pick(2))
            accept_one(&copy[count++]);
        else if (count && pick(8) == 0)
            hand_over(copy, count);
        else if (count)
            (pick(4) ? move_one : requeue)(&copy[count - 1 - pick(count < 200 ? count : 200)]);
    }
    if (pick(5) == 0) {
        store_rollback(test_store);
        return;
    }
    assert_int_equal(store_commit(test_store), 0);
    memcpy(model, copy, count * sizeof *model);
    model_count = count;
}

/* Indexes of this account's and mode's messages, newest first. */
static size_t mine(int64_t account, enum mode mode, size_t *ret)
{
    size_t count = 0;

    for (size_t i = model_count; i-- > 0;)
        if (model[i].account == account && model[i].mode == mode)
            ret[count++] = i;
    return count;
}

static void check_page(size_t *list)
{
    int64_t account = (int64_t)pick(ACCOUNTS) + 1;
    enum mode mode = pick(2) ? MODE_LIVE : MODE_TEST;
    size_t count = mine(account, mode, list), limit = 1 + pick(LIMIT_MAX);
    size_t first = count ? pick(count) : 0, end = first + limit;
    struct message_page p;

    assert_int_equal(store_message_page(test_reader, account, mode, NULL,
                                        count ? model[list[first]].id : 0, limit, &test_arena, &p),
                     0);
    assert_int_equal(p.total, count);
    assert_int_equal(p.count, end < count ? limit : count - first);
    for (size_t i = 0; i < p.count; i++)
        test_same(&p.messages[i], &model[list[first + i]]);
    assert_int_equal(p.next, end < count ? model[list[end]].id : 0);
    size_t before = first > limit ? first - limit : 0;
    assert_int_equal(p.previous, first ? model[list[before]].id : 0);
}

static void check_open_work(void)
{
    size_t at = model_count ? pick(model_count) : 0, looked = 0, seen = 0, count;
    struct work_query q = {.carrier = (unsigned)pick(CARRIERS),
                           .sent = pick(2),
                           .after = model_count ? model[at].id : 0,
                           .limit = 1 + pick(LIMIT_MAX),
                           .look_max = pick(2) * pick(LIMIT_MAX)};
    int64_t upto = q.after, read_upto;
    struct message *work;
    bool end;

    assert_int_equal(store_work_list(test_reader, &q, &test_arena, &work, &count, &read_upto, &end),
                     0);
    for (size_t i = at + 1; i < model_count && seen < q.limit; i++) {
        if (is_final(model[i].status) || model[i].status == STATUS_SCHEDULED)
            continue;
        if (q.look_max && looked == q.look_max)
            break;
        looked++;
        upto = model[i].id;
        if (model[i].carrier == q.carrier && (q.sent || model[i].status == STATUS_QUEUED)) {
            assert_true(seen < count);
            test_same(&work[seen++], &model[i]);
        }
    }
    assert_int_equal(seen, count);
    assert_int_equal(read_upto, upto);
    assert_int_equal(end, seen < q.limit && (!q.look_max || looked < q.look_max));
}

/* Carriers with something queued, as bits. */
static void check_carriers(void)
{
    unsigned found[CARRIERS], bits = 0, wanted = 0;
    size_t count;

    assert_int_equal(store_work_carriers(test_reader, found, CARRIERS, &count), 0);
    for (size_t i = 0; i < count; i++)
        bits |= 1u << found[i];
    for (size_t i = 0; i < model_count; i++)
        if (model[i].status == STATUS_QUEUED)
            wanted |= 1u << model[i].carrier;
    assert_int_equal(bits, wanted);
}

static const struct message *by_id(int64_t id)
{
    size_t low = 0;

    for (size_t high = model_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (model[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    assert_true(low < model_count && model[low].id == id);
    return &model[low];
}

/* All that wait until then, each as it is, the earliest first. */
static void check_due(void)
{
    int64_t at_us = test_now_us - 2000 + (int64_t)pick(4000), next = 0, first = INT64_MAX;
    size_t waiting = 0, count, limit = MESSAGES;
    struct message *due;

    for (size_t i = 0; i < model_count; i++)
        if (model[i].status == STATUS_SCHEDULED) {
            waiting += model[i].scheduled_us <= at_us;
            first = first < model[i].scheduled_us ? first : model[i].scheduled_us;
        }
    if (pick(2))
        limit = 1 + pick(LIMIT_MAX);
    assert_int_equal(store_due(test_reader, at_us, limit, &test_arena, &due, &count), 0);
    assert_int_equal(count, waiting < limit ? waiting : limit);
    for (size_t i = 0; i < count; i++) {
        test_same(&due[i], by_id(due[i].id));
        assert_true(due[i].scheduled_us <= at_us);
        if (i)
            assert_true(
                due[i - 1].scheduled_us < due[i].scheduled_us ||
                (due[i - 1].scheduled_us == due[i].scheduled_us && due[i - 1].id < due[i].id));
    }
    if (count)
        assert_int_equal(due[0].scheduled_us, first);
    assert_int_equal(store_next_due(test_reader, &next), first == INT64_MAX ? -ENOENT : 0);
    if (first != INT64_MAX)
        assert_int_equal(next, first);
}

static void check_all(void)
{
    for (size_t i = 0; i < model_count; i++) {
        struct message read;
        arena_reset(&test_arena);
        assert_int_equal(store_message_get(test_reader, model[i].account, model[i].mode,
                                           model[i].id, &test_arena, &read),
                         0);
        test_same(&read, &model[i]);
    }
}

static void test_walk(void **state)
{
    struct message *copy = calloc(MESSAGES, sizeof *copy);
    size_t *list = calloc(MESSAGES, sizeof *list);

    model_count = 0;
    seed = 20251115;
    while (model_count < MESSAGES) {
        walk(copy);
        arena_reset(&test_arena);
        check_page(list);
        check_open_work();
        check_carriers();
        check_due();
        if (pick(40) == 0) {
            test_close();
            test_open();
        }
    }
    check_all();
    free(list);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {STORE_TEST(test_walk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
