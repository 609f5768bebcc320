/* The contract of store.h about lists of deliveries, and about asking for many of them again. */
#include "store/test_outbox.h"

enum { COUNT = 60 };

static struct endpoint_record endpoint;
static struct delivery_record all[COUNT]; /* by number */

/* Deliveries of both modes in all states, a second apart, and as many of another endpoint. */
static void fill(void)
{
    endpoint = test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_QUEUED));
    test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_QUEUED));
    for (unsigned i = 0; i < COUNT; i++) {
        struct delivery_record *d;
        test_now_us += 1000000;
        struct message m = test_accept(1, i % 4 == 3 ? MODE_LIVE : MODE_TEST, "x");
        assert_int_equal(test_deliveries(m.id, &d), 2);
        if (i % 5 < 3)
            test_tried(d[0].id, 1, DELIVERY_WAITING + i % 5, test_now_us);
        if (i % 3 == 0)
            test_tried(d[1].id, 1, DELIVERY_DONE, 0);
        all[i] = test_delivery(d[0].id);
    }
}

static bool matches(const struct delivery_record *d, const struct delivery_filter *f)
{
    return (!f->modes || f->modes & 1u << d->mode) && (!f->states || f->states & 1u << d->state) &&
           (!f->after_us || d->created_us >= f->after_us) &&
           (!f->before_us || d->created_us < f->before_us);
}

/* The page that begins at all[from], by looking at each. */
static void check_page(const struct delivery_filter *f, int from, bool first, size_t limit)
{
    int64_t next = 0, previous = 0, total = 0;
    struct delivery_page p;
    size_t found = 0, newer = 0;

    assert_int_equal(
        store_delivery_page(test_reader, f, first ? 0 : all[from].id, limit, &test_arena, &p), 0);
    for (int i = from; i >= 0 && !next; i--)
        if (matches(&all[i], f)) {
            if (found == limit)
                next = all[i].id;
            else
                assert_int_equal(p.records[found++].id, all[i].id);
        }
    for (int i = from + 1; i < COUNT && newer < limit; i++)
        if (matches(&all[i], f)) {
            previous = all[i].id;
            newer++;
        }
    for (int i = 0; i < COUNT; i++)
        total += matches(&all[i], f);
    assert_int_equal(p.count, found);
    assert_int_equal(p.next, next);
    assert_int_equal(p.previous, previous);
    assert_int_equal(p.total, total);
    assert_int_equal(store_delivery_count(test_reader, f, &total), 0);
    assert_int_equal(p.total, total);
}

static void test_pages_of_all_filters(void **state)
{
    fill();
    for (uint32_t modes = 0; modes < 4; modes++)
        for (uint32_t states = 0; states < 1u << (DELIVERY_FAILED + 1); states += 4)
            for (int bounds = 0; bounds < 4; bounds++) {
                struct delivery_filter f = {
                    .endpoint = endpoint.id,
                    .modes = modes,
                    .states = states,
                    .after_us = bounds & 1 ? all[10].created_us / 1000 * 1000 : 0,
                    .before_us = bounds & 2 ? all[50].created_us / 1000 * 1000 : 0};
                check_page(&f, COUNT - 1, true, 7);
                check_page(&f, 40, false, 7);
                check_page(&f, 25, false, 100);
                check_page(&f, 0, false, 1);
            }
}

/* ---- redeliveries ---- */

static size_t replay(struct endpoint_record *e, size_t limit)
{
    size_t count;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_replay_step(test_store, e, limit, &count), 0);
    assert_int_equal(store_commit(test_store), 0);
    return count;
}

static void check_replay(uint32_t states, uint32_t modes, size_t limit)
{
    struct endpoint_record e = endpoint, read;
    const struct delivery_filter wanted = {.modes = modes, .states = states & ~4u};
    size_t count = 0, steps = 0, expected = 0;
    bool waits[COUNT];

    e.replay_from = all[10].id;
    e.replay_to = all[50].id;
    e.replay_states = states;
    e.replay_modes = modes;
    test_endpoint_put(&e, false);
    test_now_us += 1000000;
    for (int i = 0; i < COUNT; i++) {
        bool again = i >= 10 && i <= 50 && all[i].state != DELIVERY_WAITING &&
                     (!states || states & 1u << all[i].state) && matches(&all[i], &wanted);
        expected += again;
        waits[i] = again || all[i].state == DELIVERY_WAITING;
    }
    while (e.replay_to) {
        count += replay(&e, limit);
        assert_int_equal(store_endpoint_get(test_reader, 1, e.id, &test_arena, &read), 0);
        test_same_endpoint(&read, &e);
        assert_true(++steps <= expected / limit + 1);
    }
    assert_int_equal(e.replay_from, 0);
    assert_int_equal(count, expected);
    assert_int_equal(replay(&e, limit), 0);
    for (int i = 0; i < COUNT; i++) {
        struct delivery_record d = test_delivery(all[i].id);
        assert_int_equal(d.state == DELIVERY_WAITING, waits[i]);
        if (d.state != all[i].state) {
            assert_int_equal(d.due_us, test_now_us);
            assert_int_equal(d.tries, 0);
            assert_int_equal(d.attempts, 1);
        }
        all[i] = d;
    }
    assert_int_equal(test_count(e.id, DELIVERY_WAITING) + test_count(e.id, DELIVERY_DONE) +
                         test_count(e.id, DELIVERY_FAILED),
                     COUNT);
}

static void test_a_redelivery_in_steps(void **state)
{
    fill();
    check_replay(1u << DELIVERY_FAILED, 1u << MODE_LIVE, 2);
    check_replay(1u << DELIVERY_FAILED, TEST_MODES, 4);
    check_replay(1u << DELIVERY_FAILED | 1u << DELIVERY_DONE, 0, 300);
    check_replay(0, 0, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_pages_of_all_filters),
        STORE_TEST(test_a_redelivery_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
