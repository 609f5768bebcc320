/* The contract of store.h, sentence by sentence. */
#include "store/test_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The store keeps account and mode in one number. */
static const int64_t account_max = STORE_ACCOUNT_MAX;

static int get(int64_t account, enum mode mode, int64_t id, struct message *ret)
{
    return store_message_get(test_reader, account, mode, id, &test_arena, ret);
}

static struct message_page page(int64_t account, enum mode mode, int64_t cursor, size_t limit)
{
    struct message_page p;

    assert_int_equal(
        store_message_page(test_reader, account, mode, NULL, cursor, limit, &test_arena, &p), 0);
    return p;
}

/* ---- accepting and getting ---- */

static void test_accept_and_get(void **state)
{
    struct message m = test_accept(7, MODE_LIVE, "hello"), read;

    assert_true(m.id > 0);
    assert_int_equal(m.created_us, test_now_us);
    assert_int_equal(m.updated_us, test_now_us);
    assert_int_equal(m.sent_us, 0);
    assert_int_equal(get(7, MODE_LIVE, m.id, &read), 0);
    test_same(&read, &m);
}

static void test_get_is_for_account_and_mode(void **state)
{
    struct message m = test_accept(7, MODE_LIVE, "hello"), read;

    assert_int_equal(get(8, MODE_LIVE, m.id, &read), -ENOENT);
    assert_int_equal(get(7, MODE_TEST, m.id, &read), -ENOENT);
    assert_int_equal(get(7, MODE_LIVE, m.id + 1, &read), -ENOENT);
    assert_int_equal(get(7, MODE_LIVE, 0, &read), -ENOENT);
    assert_int_equal(get(7, MODE_LIVE, m.id, &read), 0);
}

/* More in one instant than a millisecond has numbers for, and a clock that is turned back. */
static void test_ids_and_times_go_forward(void **state)
{
    int64_t last = 0, last_created = 0;

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < 9000; i++) {
        struct message m = test_message(1, MODE_TEST, "x");
        if (i == 1 || i == 5000)
            test_now_us -= 3600000000;
        assert_int_equal(store_accept(test_store, &m), 0);
        assert_true(m.id > last);
        assert_true(m.created_us >= last_created);
        assert_true(m.created_us / 1000 >= id_time_ms(m.id));
        last = m.id;
        last_created = m.created_us;
    }
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(page(1, MODE_TEST, 0, 1).total, 9000);
}

static void test_every_column_is_kept(void **state)
{
    struct message m = test_message(account_max, MODE_LIVE, ""), read;

    m.kind = KIND_MMS;
    m.type = TYPE_PROMOTIONAL;
    m.from = STR("SKYLARK");
    m.media = STR("https://example.com/a.jpg\nhttps://example.com/b%20c.png");
    m.number_type = NUMBER_ALPHANUMERIC;
    m.coverage = COVERAGE_LOW;
    m.reason = REASON_INTERNATIONAL;
    m.encoding = ENCODING_GSM7;
    m.segments = 255;
    m.rate_limit = 100000;
    m.calling_code = 1684;
    m.country[0] = '\0';
    m.cost_micros = 0;
    test_accept_this(&m);
    assert_int_equal(get(account_max, MODE_LIVE, m.id, &read), 0);
    test_same(&read, &m);
}

enum { EXTRAS = 8 };

static void give_extra(struct message *m, int which)
{
    switch (which) {
    case 0:
        m->subject = STR("Gru\xc3\x9f");
        break;
    case 1:
        m->tags = STR("one\ntwo");
        break;
    case 2:
        m->metadata = STR("{\"a\": [1, \"b\"]}");
        break;
    case 3:
        m->webhook_url = STR("https://example.com/hook");
        break;
    case 4:
        m->webhook_failover_url = STR("https://example.org/hook");
        break;
    case 5:
        m->validity_s = 172800;
        break;
    case 6:
        m->scheduled_us = test_now_us + 600000000;
        break;
    default:
        m->batch = INT64_MAX;
    }
}

/* Each alone, then all: none is taken for another, and none is there that was not given. */
static void test_what_few_messages_have(void **state)
{
    for (int i = 0; i <= EXTRAS; i++) {
        struct message m = test_message(1, MODE_TEST, "x"), read;
        for (int j = 0; j < EXTRAS; j++)
            if (i == j || i == EXTRAS)
                give_extra(&m, j);
        test_accept_this(&m);
        assert_int_equal(get(1, MODE_TEST, m.id, &read), 0);
        test_same(&read, &m);
        test_same(&page(1, MODE_TEST, 0, 1).messages[0], &m);
    }
}

static void test_received_is_over_at_once(void **state)
{
    struct message m = test_message(1, MODE_TEST, "STOP"), read, *work;

    m.direction = DIRECTION_INBOUND;
    m.status = STATUS_RECEIVED;
    m.cost_micros = 0;
    test_accept_this(&m);
    assert_int_equal(get(1, MODE_TEST, m.id, &read), 0);
    test_same(&read, &m);
    assert_int_equal(read.updated_us, read.created_us);
    assert_int_equal(test_open_work(0, 10, &work), 0);
    assert_int_equal(page(1, MODE_TEST, 0, 5).total, 1);
    assert_int_equal(test_move(m.id, ~0u, STATUS_SENT, 0, 99), 0);
}

/* Short ones and one that is longer than what the store gathers, in one transaction. */
static void test_long_messages_among_short_ones(void **state)
{
    enum { COUNT = 40, LONG = 40000 };
    struct message sent[COUNT], read;
    char *text = malloc(LONG);

    memset(text, 'x', LONG);
    assert_int_equal(store_begin(test_store), 0);
    for (size_t i = 0; i < COUNT; i++) {
        sent[i] = test_message(1, MODE_TEST, "");
        sent[i].text = (struct str){text, i % 7 == 3 ? LONG : i * 131};
        assert_int_equal(store_accept(test_store, &sent[i]), 0);
    }
    assert_int_equal(store_commit(test_store), 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(get(1, MODE_TEST, sent[i].id, &read), 0);
        test_same(&read, &sent[i]);
    }
    free(text);
}

/* The caller's memory is its own again when store_accept returns. */
static void test_accepted_text_is_the_stores(void **state)
{
    char text[] = "first";
    struct message m = test_message(1, MODE_TEST, text), read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    memcpy(text, "other", sizeof text);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(get(1, MODE_TEST, m.id, &read), 0);
    assert_true(str_is(read.text, "first"));
}

static size_t put_utf8(char *to, uint32_t point)
{
    size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = n; i-- > 1; point >>= 6)
        to[i] = (char)(0x80 | (point & 0x3f));
    to[0] = (char)(lead[n] | point);
    return n;
}

/* Every character there is, in texts of the greatest length. */
static void test_all_of_unicode(void **state)
{
    enum { LENGTH = 1600, TEXTS = 0x110000 / LENGTH + 1 };
    char *all = malloc(TEXTS * LENGTH * 4);
    struct message *sent = calloc(TEXTS, sizeof *sent), read;
    uint32_t point = 1;
    char *at = all;

    assert_int_equal(store_begin(test_store), 0);
    for (size_t i = 0; i < TEXTS; i++) {
        sent[i] = test_message(1, MODE_TEST, "");
        sent[i].text.p = at;
        for (int j = 0; j < LENGTH && point < 0x110000; j++) {
            at += put_utf8(at, point++);
            if (point == 0xd800)
                point = 0xe000;
        }
        sent[i].text.n = (size_t)(at - sent[i].text.p);
        assert_int_equal(store_accept(test_store, &sent[i]), 0);
    }
    assert_int_equal(store_commit(test_store), 0);
    for (size_t i = 0; i < TEXTS; i++) {
        arena_reset(&test_arena);
        assert_int_equal(get(1, MODE_TEST, sent[i].id, &read), 0);
        test_same(&read, &sent[i]);
    }
    free(sent);
    free(all);
}

/* ---- pages ---- */

static void test_page_of_nothing(void **state)
{
    struct message_page p = page(1, MODE_TEST, 0, 50);

    assert_int_equal(p.count, 0);
    assert_int_equal(p.total, 0);
    assert_int_equal(p.next, 0);
    assert_int_equal(p.previous, 0);
}

static void test_page_edges(void **state)
{
    int64_t ids[10]; /* newest first */

    for (int i = 9; i >= 0; i--) {
        ids[i] = test_accept(1, MODE_TEST, "mine").id;
        test_accept(2, MODE_TEST, "another account's");
        test_accept(1, MODE_LIVE, "another mode's");
    }
    static const struct {
        int first; /* -1: no cursor */
        size_t limit, count;
        int next, previous; /* -1: none */
    } cases[] = {
        {-1, 4, 4, 4, -1}, {0, 4, 4, 4, -1},     {4, 4, 4, 8, 0},      {8, 4, 2, -1, 4},
        {2, 4, 4, 6, 0},   {5, 3, 3, 8, 2},      {7, 3, 3, -1, 4},     {6, 3, 3, 9, 3},
        {9, 1, 1, -1, 8},  {-1, 10, 10, -1, -1}, {-1, 11, 10, -1, -1}, {1, 100, 9, -1, 0},
        {-1, 9, 9, 9, -1}, {1, 1, 1, 2, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int first = cases[i].first < 0 ? 0 : cases[i].first;
        struct message_page p =
            page(1, MODE_TEST, cases[i].first < 0 ? 0 : ids[first], cases[i].limit);
        assert_int_equal(p.count, cases[i].count);
        assert_int_equal(p.total, 10);
        assert_int_equal(p.next, cases[i].next < 0 ? 0 : ids[cases[i].next]);
        assert_int_equal(p.previous, cases[i].previous < 0 ? 0 : ids[cases[i].previous]);
        for (size_t j = 0; j < p.count; j++) {
            assert_int_equal(p.messages[j].id, ids[(size_t)first + j]);
            assert_true(str_is(p.messages[j].text, "mine"));
        }
    }
}

static void test_page_of_a_strange_cursor(void **state)
{
    struct message mine = test_accept(1, MODE_TEST, "mine");
    int64_t strange[] = {mine.id + 1, mine.id - 1, -1, test_accept(2, MODE_TEST, "x").id,
                         test_accept(1, MODE_LIVE, "x").id};
    struct message_page p;

    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        assert_int_equal(
            store_message_page(test_reader, 1, MODE_TEST, NULL, strange[i], 5, &test_arena, &p),
            -ENOENT);
}

static void test_totals_are_apart(void **state)
{
    for (int i = 0; i < 3; i++)
        test_accept(1, MODE_TEST, "x");
    int64_t id = test_accept(1, MODE_LIVE, "x").id;
    test_accept(2, MODE_TEST, "x");
    assert_int_equal(page(1, MODE_TEST, 0, 1).total, 3);
    assert_int_equal(page(1, MODE_LIVE, 0, 1).total, 1);
    assert_int_equal(page(2, MODE_TEST, 0, 1).total, 1);
    assert_int_equal(page(2, MODE_LIVE, 0, 1).total, 0);
    assert_int_equal(test_move(id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5), 1);
    assert_int_equal(page(1, MODE_LIVE, 0, 1).total, 1);
}

/* ---- transactions ---- */

static void test_rollback_leaves_nothing(void **state)
{
    struct message before = test_accept(1, MODE_TEST, "kept"), gone, read, *work;
    struct message_move move = {before.id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_UNKNOWN,
                                5};

    assert_int_equal(store_begin(test_store), 0);
    gone = test_message(1, MODE_TEST, "gone");
    assert_int_equal(store_accept(test_store, &gone), 0);
    assert_int_equal(store_move(test_store, &move), 1);
    store_rollback(test_store);
    assert_int_equal(get(1, MODE_TEST, gone.id, &read), -ENOENT);
    assert_int_equal(get(1, MODE_TEST, before.id, &read), 0);
    test_same(&read, &before);
    assert_int_equal(page(1, MODE_TEST, 0, 5).total, 1);
    assert_int_equal(test_open_work(0, 5, &work), 1);

    struct message after = test_accept(1, MODE_TEST, "after");
    assert_true(after.id > gone.id);
    assert_int_equal(test_move(gone.id, ~0u, STATUS_SENT, 0, 5), 0);
    assert_int_equal(page(1, MODE_TEST, 0, 5).total, 2);
}

static void test_readers_see_what_is_committed(void **state)
{
    struct message before = test_accept(1, MODE_TEST, "x"), added, read, *work;
    struct message_move move = {before.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5};

    assert_int_equal(store_begin(test_store), 0);
    added = test_message(1, MODE_TEST, "y");
    assert_int_equal(store_accept(test_store, &added), 0);
    assert_int_equal(store_move(test_store, &move), 1);
    assert_int_equal(get(1, MODE_TEST, added.id, &read), -ENOENT);
    assert_int_equal(get(1, MODE_TEST, before.id, &read), 0);
    test_same(&read, &before);
    assert_int_equal(page(1, MODE_TEST, 0, 5).total, 1);
    assert_int_equal(test_open_work(0, 5, &work), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(get(1, MODE_TEST, added.id, &read), 0);
    assert_int_equal(get(1, MODE_TEST, before.id, &read), 0);
    assert_int_equal(read.status, STATUS_SENT);
    assert_int_equal(page(1, MODE_TEST, 0, 5).total, 2);
}

static atomic_bool writing;

/* Counts what no snapshot may show: part of a transaction, or a page that its total denies. */
static void *read_while_writing(void *reader)
{
    intptr_t torn = 0;
    struct arena a;

    arena_init(&a, 1 << 20);
    while (atomic_load(&writing)) {
        struct message_page p;
        arena_reset(&a);
        if (store_message_page(reader, 1, MODE_TEST, NULL, 0, 100, &a, &p) != 0 ||
            p.total % 10 != 0 || p.count != (size_t)(p.total < 100 ? p.total : 100))
            torn++;
    }
    arena_done(&a);
    return (void *)torn;
}

static void test_a_page_is_one_snapshot(void **state)
{
    struct store_reader *reader;
    pthread_t thread;
    void *torn;

    assert_int_equal(store_reader_open(test_store, &reader), 0);
    atomic_store(&writing, true);
    assert_int_equal(pthread_create(&thread, NULL, read_while_writing, reader), 0);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(store_begin(test_store), 0);
        for (int j = 0; j < 10; j++) {
            struct message m = test_message(1, MODE_TEST, "x");
            assert_int_equal(store_accept(test_store, &m), 0);
        }
        assert_int_equal(store_commit(test_store), 0);
    }
    atomic_store(&writing, false);
    pthread_join(thread, &torn);
    assert_null(torn);
    store_reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_accept_and_get),
        STORE_TEST(test_get_is_for_account_and_mode),
        STORE_TEST(test_ids_and_times_go_forward),
        STORE_TEST(test_every_column_is_kept),
        STORE_TEST(test_what_few_messages_have),
        STORE_TEST(test_received_is_over_at_once),
        STORE_TEST(test_long_messages_among_short_ones),
        STORE_TEST(test_accepted_text_is_the_stores),
        STORE_TEST(test_all_of_unicode),
        STORE_TEST(test_page_of_nothing),
        STORE_TEST(test_page_edges),
        STORE_TEST(test_page_of_a_strange_cursor),
        STORE_TEST(test_totals_are_apart),
        STORE_TEST(test_rollback_leaves_nothing),
        STORE_TEST(test_readers_see_what_is_committed),
        STORE_TEST(test_a_page_is_one_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
