/* The contract of store.h about notices: that each change of status makes one, in order, and what
 * the message was then. */
#include "store/engine.h"
#include "store/test_outbox.h"

static size_t list(int64_t account, enum mode mode, uint32_t kinds, bool forward, int64_t from,
                   size_t limit, struct notice_record **ret)
{
    const struct notice_query q = {
        .kinds = kinds, .forward = forward, .from = from, .limit = limit};
    size_t count;

    assert_int_equal(store_notice_list(test_reader, account, mode, &q, &test_arena, ret, &count),
                     0);
    return count;
}

/* All of account 1 in test mode, oldest first. */
static size_t list_all(struct notice_record **ret)
{
    return list(1, MODE_TEST, 0, true, 0, 1000, ret);
}

static void check(const struct notice_record *n, enum notice_kind kind, int64_t message,
                  int64_t at_us, int64_t sent_us)
{
    struct notice_record read;

    assert_int_equal(n->kind, kind);
    assert_int_equal(n->message, message);
    assert_int_equal(n->at_us, at_us);
    assert_int_equal(n->sent_us, sent_us);
    assert_int_equal(store_notice_get(test_reader, n->account, n->mode, n->id, &read), 0);
    assert_int_equal(read.id, n->id);
    assert_int_equal(read.account, n->account);
    assert_int_equal(read.mode, n->mode);
    assert_int_equal(read.kind, kind);
    assert_int_equal(read.message, message);
    assert_int_equal(read.at_us, at_us);
    assert_int_equal(read.sent_us, sent_us);
    assert_int_equal(read.failure, n->failure);
    assert_int_equal(read.retry_count, n->retry_count);
    assert_int_equal(read.carrier, n->carrier);
}

static void test_the_way_of_a_message(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct notice_record *n;

    assert_int_equal(list_all(&n), 1);
    assert_int_equal(n[0].id, m.id);
    check(&n[0], NOTICE_QUEUED, m.id, m.created_us, 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 70), 1);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 71), 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 80), 1);
    assert_int_equal(list_all(&n), 3);
    check(&n[1], NOTICE_SENT, m.id, 70, 70);
    check(&n[2], NOTICE_DELIVERED, m.id, 80, 70);
    assert_true(n[0].id < n[1].id && n[1].id < n[2].id);
    assert_int_equal(n[2].account, 1);
    assert_int_equal(n[2].mode, MODE_TEST);
}

static void test_every_way(void **state)
{
    struct message later = test_message(1, MODE_TEST, "x"), in = later, failed = later;
    struct notice_record *n, opt_out = {.account = 1, .mode = MODE_TEST, .kind = NOTICE_OPT_OUT};

    later.status = STATUS_SCHEDULED;
    later.scheduled_us = test_now_us + 5;
    in.status = STATUS_RECEIVED;
    in.direction = DIRECTION_INBOUND;
    failed.carrier = 3;
    test_accept_this(&later);
    test_accept_this(&in);
    test_accept_this(&failed);
    opt_out.message = in.id;
    opt_out.at_us = 60;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_notice_add(test_store, &opt_out), 0);
    assert_int_equal(store_hand_over(test_store, &failed.id, 1, 4), 0);
    assert_int_equal(store_requeue(test_store, failed.id, 5, 2), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(test_move(later.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 61), 1);
    assert_int_equal(test_move(later.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 62), 1);
    assert_int_equal(
        test_move(failed.id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_NO_ROUTE, 63), 1);
    assert_int_equal(list_all(&n), 7);
    check(&n[0], NOTICE_SCHEDULED, later.id, later.created_us, 0);
    check(&n[1], NOTICE_RECEIVED, in.id, in.created_us, 0);
    check(&n[2], NOTICE_QUEUED, failed.id, failed.created_us, 0);
    assert_int_equal(n[2].carrier, 3);
    check(&n[3], NOTICE_OPT_OUT, in.id, 60, 0);
    assert_int_equal(n[3].id, opt_out.id);
    check(&n[4], NOTICE_QUEUED, later.id, 61, 0);
    check(&n[5], NOTICE_CANCELLED, later.id, 62, 0);
    check(&n[6], NOTICE_FAILED, failed.id, 63, 0);
    assert_int_equal(n[6].failure, FAILURE_NO_ROUTE);
    assert_int_equal(n[6].retry_count, 2);
    assert_int_equal(n[6].carrier, 5);

    /* Each kind by itself is found, whatever leads to it. */
    for (size_t i = 0; i < 7; i++) {
        struct notice_record *some;
        size_t count = list(1, MODE_TEST, notice_bit(n[i].kind), i % 2, 0, 9, &some), at = 0;
        assert_int_equal(count, n[i].kind == NOTICE_QUEUED ? 2 : 1);
        while (at < count && some[at].id != n[i].id)
            at++;
        assert_true(at < count);
    }
    assert_int_equal(
        list(1, MODE_TEST,
             notice_bit(NOTICE_SCHEDULED) | notice_bit(NOTICE_RECEIVED) | notice_bit(NOTICE_FAILED),
             true, 0, 9, &n),
        3);
    check(&n[0], NOTICE_SCHEDULED, later.id, later.created_us, 0);
    check(&n[2], NOTICE_FAILED, failed.id, 63, 0);
    assert_int_equal(list(1, MODE_LIVE, 0, true, 0, 9, &n), 0);
}

/* ---- the message then ---- */

static void assert_was(const struct notice_record *n, const struct message *wanted)
{
    struct message read;

    assert_int_equal(store_message_at(test_reader, n, &test_arena, &read), 0);
    test_same(&read, wanted);
}

static void test_the_message_as_it_was(void **state)
{
    struct message m = test_message(1, MODE_TEST, "caf\xc3\xa9"), read;
    struct notice_record *n;

    m.reason = REASON_SMART;
    m.carrier = 3;
    m.tags = STR("a\nb");
    test_accept_this(&m);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_requeue(test_store, m.id, 4, 1), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 70), 1);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_FAILED, FAILURE_UNREACHABLE, 80),
                     1);
    assert_int_equal(list_all(&n), 3);
    assert_was(&n[0], &m);
    m.status = STATUS_SENT;
    m.updated_us = m.sent_us = 70;
    m.retry_count = 1;
    m.carrier = 4;
    m.reason = REASON_FAILOVER;
    assert_was(&n[1], &m);
    m.status = STATUS_FAILED;
    m.updated_us = m.failed_us = 80;
    m.failure = FAILURE_UNREACHABLE;
    assert_was(&n[2], &m);
    assert_int_equal(store_message_get(test_reader, 1, MODE_TEST, m.id, &test_arena, &read), 0);
    test_same(&read, &m);
    n[2].account = 2;
    assert_int_equal(store_message_at(test_reader, &n[2], &test_arena, &read), -ENOENT);
}

static void test_the_other_states_as_they_were(void **state)
{
    struct message m = test_message(1, MODE_TEST, "x"), in = test_message(1, MODE_TEST, "STOP");
    struct notice_record *n, opt_in = {.account = 1, .mode = MODE_TEST, .kind = NOTICE_OPT_IN};

    m.status = STATUS_SCHEDULED;
    m.scheduled_us = test_now_us + 5;
    test_accept_this(&m);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 61), 1);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 62), 1);
    in.status = STATUS_RECEIVED;
    in.direction = DIRECTION_INBOUND;
    test_accept_this(&in);
    opt_in.message = in.id;
    opt_in.at_us = in.created_us;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_notice_add(test_store, &opt_in), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(list_all(&n), 5);
    assert_was(&n[0], &m);
    m.status = STATUS_QUEUED;
    m.updated_us = 61;
    assert_was(&n[1], &m);
    m.status = STATUS_CANCELLED;
    m.updated_us = m.cancelled_us = 62;
    assert_was(&n[2], &m);
    assert_was(&n[3], &in);
    assert_was(&n[4], &in);
}

/* ---- lists ---- */

/* Against a plain model: many owners, transactions of all sizes, every place to begin at. */
enum { MODEL_MAX = 4000, OWNERS = 40 };

static struct {
    int64_t id, message;
    int64_t account;
    enum notice_kind kind;
} model[MODEL_MAX];
static size_t model_count;

static void model_add(int64_t id, int64_t message, int64_t account, enum notice_kind kind)
{
    assert_true(model_count < MODEL_MAX);
    model[model_count].id = id;
    model[model_count].message = message;
    model[model_count].account = account;
    model[model_count++].kind = kind;
}

static uint64_t draw(uint64_t below)
{
    static uint64_t seed = 20261116;

    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static void fill(size_t most)
{
    struct message open[OWNERS];

    model_count = 0;
    while (model_count + 3 * OWNERS < most) {
        size_t count = 1 + draw(draw(4) ? 3 : OWNERS);
        assert_int_equal(store_begin(test_store), 0);
        for (size_t i = 0; i < count; i++) {
            open[i] = test_message(1 + (int64_t)draw(draw(3) ? 2 : OWNERS), MODE_TEST, "x");
            assert_int_equal(store_accept(test_store, &open[i]), 0);
            model_add(open[i].id, open[i].id, open[i].account, NOTICE_QUEUED);
        }
        for (enum message_status to = STATUS_SENT; to <= STATUS_DELIVERED; to++)
            for (size_t i = 0; i < count; i++) {
                struct message_move move = {
                    .id = open[i].id, .from = ~0u, .to = to, .at_us = test_now_us};
                assert_int_equal(store_move(test_store, &move), 1);
                model_add(test_store->ids.last, open[i].id, open[i].account, (enum notice_kind)to);
            }
        assert_int_equal(store_commit(test_store), 0);
        test_now_us += (int64_t)draw(3000);
    }
}

static void check_list(int64_t account, uint32_t kinds, bool forward, int64_t from, size_t limit)
{
    struct notice_record *n;
    size_t count = list(account, MODE_TEST, kinds, forward, from, limit, &n), found = 0;

    for (size_t i = 0; i < model_count && found < limit; i++) {
        size_t at = forward ? i : model_count - 1 - i;
        int64_t id = model[at].id;
        if (model[at].account != account || (kinds && !(kinds & notice_bit(model[at].kind))) ||
            (forward ? id <= from : from && id > from))
            continue;
        assert_true(found < count);
        assert_int_equal(n[found].id, id);
        assert_int_equal(n[found].message, model[at].message);
        assert_int_equal(n[found++].kind, model[at].kind);
    }
    assert_int_equal(count, found);
}

static void test_lists_from_anywhere(void **state)
{
    int64_t last;

    fill(MODEL_MAX);
    for (int i = 0; i < 400; i++) {
        size_t at = draw(model_count);
        int64_t account = 1 + (int64_t)draw(draw(2) ? 2 : OWNERS);
        uint32_t kinds = (uint32_t)draw(2) * (uint32_t)draw(64);
        check_list(account, kinds, draw(2), model[at].id - (int64_t)draw(2), 1 + draw(200));
    }
    check_list(1, 0, true, 0, MODEL_MAX);
    check_list(2, 0, false, 0, MODEL_MAX);
    for (int64_t account = 1; account <= OWNERS + 1; account++) {
        int64_t newest = 0;
        for (size_t i = 0; i < model_count; i++)
            if (model[i].account == account)
                newest = model[i].id;
        assert_int_equal(store_notice_last(test_reader, account, MODE_TEST, &last), 0);
        assert_int_equal(last, newest);
    }
}

/* Numbers go on from the highest, whichever row has it and however the clock stands. */
static void test_numbers_go_on(void **state)
{
    for (int i = 0; i < 10; i++) {
        fill(600);
        int64_t highest = model[model_count - 1].id;
        test_close();
        test_now_us -= 100000000;
        test_open();
        assert_int_equal(test_store->ids.last, highest);
        assert_true(test_accept(1, MODE_TEST, "x").id > highest);
    }
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    test_close();
    test_open();
    assert_int_equal(test_store->ids.last, e.id);
    struct message m = test_sent(1, MODE_TEST);
    struct delivery_record *d;
    assert_int_equal(test_deliveries(m.id, &d), 1);
    int64_t delivery = d[0].id;
    test_close();
    test_open();
    assert_int_equal(test_store->ids.last, delivery);
}

static void test_rollback_leaves_none(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct message_move move = {.id = m.id, .from = ~0u, .to = STATUS_SENT, .at_us = 7};
    struct notice_record *n;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_move(test_store, &move), 1);
    store_rollback(test_store);
    test_accept(2, MODE_TEST, "x");
    assert_int_equal(list_all(&n), 1);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 8), 1);
    assert_int_equal(list_all(&n), 2);
    assert_int_equal(n[1].at_us, 8);
}

static void test_not_of_others(void **state)
{
    struct message m = test_sent(1, MODE_TEST);
    struct notice_record *n, read;

    assert_int_equal(list_all(&n), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(store_notice_get(test_reader, 1, MODE_LIVE, n[i].id, &read), -ENOENT);
        assert_int_equal(store_notice_get(test_reader, 2, MODE_TEST, n[i].id, &read), -ENOENT);
    }
    assert_int_equal(store_notice_get(test_reader, 1, MODE_TEST, n[1].id + 1, &read), -ENOENT);
    assert_int_equal(store_notice_get(test_reader, 1, MODE_TEST, m.id - 1, &read), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_the_way_of_a_message),  STORE_TEST(test_every_way),
        STORE_TEST(test_the_message_as_it_was), STORE_TEST(test_the_other_states_as_they_were),
        STORE_TEST(test_lists_from_anywhere),   STORE_TEST(test_numbers_go_on),
        STORE_TEST(test_rollback_leaves_none),  STORE_TEST(test_not_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
