#include "store/test_outbox.h"

struct endpoint_record test_endpoint(int64_t account, uint32_t modes, uint32_t kinds)
{
    return (struct endpoint_record){
        .account = account,
        .modes = modes,
        .kinds = kinds,
        .url = STR("https://example.com/hook"),
        .description = STR("caf\xc3\xa9"),
        .secret = STR("whsec_new"),
        .old_secret = STR("whsec_old"),
        .old_until_us = 11,
        .off = ENDPOINT_OFF_GONE,
        .off_us = 12,
        .failures = 13,
        .failing_since_us = 14,
        .paused_until_us = 15,
        .last_success_us = 16,
    };
}

struct endpoint_record test_endpoint_add(int64_t account, uint32_t modes, uint32_t kinds)
{
    struct endpoint_record e = test_endpoint(account, modes, kinds);

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_endpoint_add(test_store, &e), 0);
    assert_int_equal(store_commit(test_store), 0);
    return e;
}

void test_endpoint_put(struct endpoint_record *e, bool changed)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_endpoint_put(test_store, e, changed), 0);
    assert_int_equal(store_commit(test_store), 0);
}

int test_endpoint_remove(int64_t account, int64_t id)
{
    assert_int_equal(store_begin(test_store), 0);
    int r = store_endpoint_remove(test_store, account, id);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

void test_same_endpoint(const struct endpoint_record *read, const struct endpoint_record *wanted)
{
#define SAME(member) assert_int_equal(read->member, wanted->member)
    SAME(id);
    SAME(account);
    SAME(of_messages);
    SAME(modes);
    SAME(kinds);
    SAME(every_kind);
    SAME(old_until_us);
    SAME(created_us);
    SAME(updated_us);
    SAME(off);
    SAME(off_us);
    SAME(failures);
    SAME(failing_since_us);
    SAME(paused_until_us);
    SAME(last_success_us);
    SAME(replay_from);
    SAME(replay_to);
    SAME(replay_states);
    SAME(replay_modes);
#undef SAME
    test_same_text(read->url, wanted->url);
    test_same_text(read->description, wanted->description);
    test_same_text(read->secret, wanted->secret);
    test_same_text(read->old_secret, wanted->old_secret);
}

struct message test_sent(int64_t account, enum mode mode)
{
    struct message m = test_accept(account, mode, "x");

    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, test_now_us + 1), 1);
    return m;
}

struct message test_delivered(int64_t account, enum mode mode)
{
    struct message m = test_sent(account, mode);

    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, test_now_us + 2),
                     1);
    return m;
}

size_t test_deliveries(int64_t message, struct delivery_record **ret)
{
    size_t count;

    assert_int_equal(store_delivery_of_message(test_reader, message, &test_arena, ret, &count), 0);
    return count;
}

struct delivery_record test_delivery(int64_t id)
{
    struct delivery_record d;

    assert_int_equal(store_delivery_get(test_reader, id, &d), 0);
    return d;
}

int test_tried(int64_t delivery, unsigned number, enum delivery_state state, int64_t due_us)
{
    const struct attempt_record t = {.delivery = delivery,
                                     .number = number,
                                     .at_us = test_now_us,
                                     .duration_us = 1000,
                                     .status = 500};

    assert_int_equal(store_begin(test_store), 0);
    int r = store_delivery_tried(test_store, &t, state, number, due_us);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

int64_t test_count(int64_t endpoint, enum delivery_state state)
{
    const struct delivery_filter f = {.endpoint = endpoint, .states = 1u << state};
    struct delivery_filter bounded = f;
    struct delivery_page p;
    int64_t counted, by_rows;

    bounded.after_us = 1;
    assert_int_equal(store_delivery_count(test_reader, &f, &counted), 0);
    assert_int_equal(store_delivery_count(test_reader, &bounded, &by_rows), 0);
    assert_int_equal(counted, by_rows);
    assert_int_equal(store_delivery_page(test_reader, &f, 0, 10, &test_arena, &p), 0);
    assert_int_equal(p.total, counted);
    assert_int_equal(p.count, counted < 10 ? counted : 10);
    return counted;
}

void test_housekeep(void)
{
    int rounds = 0;

    while (store_housekeep(test_store, true))
        assert_true(++rounds < 10000);
    store_reader_rest(test_reader);
}
