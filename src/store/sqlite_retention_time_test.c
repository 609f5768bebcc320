/* Dropping a great many rows never keeps the writer for long.
 *
 * What is measured is the processor's time that each call takes, because the time that passes has
 * in it what other processes take from a busy machine. The files lie in memory, so that nothing
 * else is waited for; and a disk that must be read first is played by a file whose pages take a
 * while to come, which is spent on the processor, too. */
#include "store/sqlite_internal.h"
#include "store/test_outbox.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||                           \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { MESSAGES = 20000, SLOWNESS = 10 }; /* the sanitizers look for other faults */
#else
enum { MESSAGES = 200000, SLOWNESS = 1 };
#endif
enum { IN_A_TRANSACTION = 1000, HELD_MAX_US = 20000 * SLOWNESS, PAGE_US = 300 };

/* ---- how long a call holds the thread ---- */

static int64_t held_clock_us(void)
{
    struct timespec t;

    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct longest {
    const char *what;
    int64_t us;
    int calls;
};

static void note(struct longest *l, int64_t began_us)
{
    int64_t took_us = held_clock_us() - began_us;

    l->calls++;
    if (took_us > l->us)
        l->us = took_us;
}

/* ---- a slow disk ---- */

static sqlite3_vfs slow_vfs;
static sqlite3_io_methods slow_methods;
static int (*plain_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static int (*plain_read)(sqlite3_file *, void *, int, sqlite3_int64);
static bool slow;

static int slow_read(sqlite3_file *f, void *out, int n, sqlite3_int64 at)
{
    int64_t until_us = held_clock_us() + PAGE_US;

    while (slow && n >= 4096 && held_clock_us() < until_us) {
    }
    return plain_read(f, out, n, at);
}

/* The pages of the main file are slow; the log is written and read by us alone, and is not. */
static int slow_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret)
{
    int code = plain_open(vfs, name, f, flags, ret);

    if (code == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
        plain_read = f->pMethods->xRead;
        slow_methods = *f->pMethods;
        slow_methods.xRead = slow_read;
        f->pMethods = &slow_methods;
    }
    return code;
}

static void make_disk_slow(void)
{
    slow_vfs = *sqlite3_vfs_find(NULL);
    plain_open = slow_vfs.xOpen;
    slow_vfs.zName = "slow";
    slow_vfs.xOpen = slow_open;
    assert_int_equal(sqlite3_vfs_register(&slow_vfs, 1), SQLITE_OK);
}

static void make_disk_fast(void)
{
    sqlite3_vfs_unregister(&slow_vfs);
}

/* ---- many rows ---- */

static struct message any_message(int i)
{
    static char to[IN_A_TRANSACTION][16];
    struct message m = test_message(1 + i % 3, MODE_TEST, "The parcel is on its way to you.");
    char *number = to[i % IN_A_TRANSACTION];

    snprintf(number, sizeof *to, "+1202%07d", i * 37 % 10000000);
    m.to = str_of(number);
    m.tags = i % 2 ? STR("spring\nsale") : STR("autumn");
    m.webhook_url = i % 50 ? STR("") : STR("https://hooks.example/");
    return m;
}

static void keep_answer(int i)
{
    static char body[8000];
    struct once_record o = {.account = 1, .mode = MODE_TEST, .status = 201};

    memset(body, 'x', sizeof body);
    memcpy(o.key, &i, sizeof i);
    o.answer = (struct str){body, i % 10 ? 200 : sizeof body};
    assert_int_equal(store_once_keep(test_store, &o), 0);
}

static void add_beside(int64_t message, int i)
{
    struct event_record e = {.message = message, .at_us = 5, .kind = 1, .detail = STR("a detail")};
    struct stray_record stray = {.carrier = 2,
                                 .reference = STR("A1"),
                                 .source = STR("1"),
                                 .destination = STR("2"),
                                 .raw = STR("id:A1 sub:001 dlvrd:001")};

    if (i % 4 == 0)
        assert_int_equal(store_event_add(test_store, &e), 0);
    if (i % 40 == 0)
        assert_int_equal(store_stray_add(test_store, &stray), 0);
    if (i % 10 == 0)
        keep_answer(i);
}

static void send_some(int first, int64_t ids[IN_A_TRANSACTION])
{
    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < IN_A_TRANSACTION; i++) {
        struct message m = any_message(first + i);
        test_now_us += 100;
        assert_int_equal(store_accept(test_store, &m), 0);
        ids[i] = m.id;
        add_beside(m.id, first + i);
    }
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < IN_A_TRANSACTION; i++) {
        struct message_move move = {ids[i], UINT32_MAX, STATUS_SENT, 0, test_now_us};
        assert_int_equal(store_move(test_store, &move), 1);
        move.to = i % 16 ? STATUS_DELIVERED : STATUS_FAILED;
        if (i % 100)
            assert_int_equal(store_move(test_store, &move), 1);
    }
    assert_int_equal(store_commit(test_store), 0);
}

static void try_some(const int64_t ids[IN_A_TRANSACTION])
{
    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < IN_A_TRANSACTION; i += 10) {
        struct delivery_record *d;
        if (test_deliveries(ids[i], &d) == 0)
            continue;
        struct attempt_record t = {.delivery = d[0].id, .number = 1, .at_us = 8};
        assert_int_equal(store_delivery_tried(test_store, &t, DELIVERY_DONE, 1, test_now_us), 1);
    }
    assert_int_equal(store_commit(test_store), 0);
    arena_reset(&test_arena);
}

static void send_many(int count)
{
    int64_t ids[IN_A_TRANSACTION];

    test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_DELIVERED));
    for (int i = 0; i < count; i += IN_A_TRANSACTION) {
        send_some(i, ids);
        try_some(ids);
        while (store_housekeep(test_store, true)) {
        }
        store_tidy(test_store);
        store_reader_rest(test_reader);
    }
}

/* ---- */

static bool is_anything_left(void)
{
    static const char *const tables[] = {"message", "event", "delivery", "attempt",
                                         "notice",  "stray", "once",     "volume WHERE state = 3"};
    char sql[128];
    int64_t found = 0;

    for (size_t i = 0; i < sizeof tables / sizeof *tables && !found; i++) {
        snprintf(sql, sizeof sql, "SELECT EXISTS (SELECT 1 FROM %s)", tables[i]);
        assert_int_equal(sqlite_number(((struct sqlite_store *)test_store)->db, sql, &found), 0);
    }
    return found;
}

static void set_retention(void)
{
    struct store_retention kept = *store_retention(test_store);

    kept.messages_us = 40 * TEST_DAY_US;
    store_set_retention(test_store, &kept);
    ((struct sqlite_store *)test_store)->sizes = sizes_default;
}

/* What the writer does, with a message now and then. */
static void drop_all(void)
{
    struct longest commits = {.what = "commit"}, steps = {.what = "housekeeping"},
                   tidies = {.what = "tidying"};
    struct longest *const all[] = {&commits, &steps, &tidies};
    bool more = true;

    for (int i = 0; more || is_anything_left(); i++) {
        bool busy = i % 8 == 0;
        if (!more)
            usleep(1000); /* the log is being moved */
        if (busy) {
            int64_t began_us = held_clock_us();
            assert_int_equal(store_begin(test_store), 0);
            assert_int_equal(store_touch(test_store), 0);
            assert_int_equal(store_commit(test_store), 0);
            note(&commits, began_us);
        }
        int64_t began_us = held_clock_us();
        more = store_housekeep(test_store, !busy);
        note(&steps, began_us);
        began_us = held_clock_us();
        store_tidy(test_store);
        note(&tidies, began_us);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        print_message("%s: %d calls, the longest held the writer for %.1f ms\n", all[i]->what,
                      all[i]->calls, (double)all[i]->us / 1000);
        if (all[i]->us >= HELD_MAX_US)
            fail_msg("%s held the writer for %lld us", all[i]->what, (long long)all[i]->us);
    }
}

/* What is read once, at the start, is read by then. */
static void start_again(void)
{
    test_close();
    test_open();
    set_retention();
    store_housekeep(test_store, true);
    test_now_us += 41 * TEST_DAY_US;
}

static void test_dropping(void **state)
{
    send_many(MESSAGES);
    start_again();
    drop_all();
}

static void test_dropping_from_a_slow_disk(void **state)
{
    send_many(MESSAGES / 10);
    make_disk_slow();
    start_again(); /* with nothing in memory */
    slow = true;
    drop_all();
    slow = false;
    test_close();
    make_disk_fast();
    test_open();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_dropping),
        STORE_TEST(test_dropping_from_a_slow_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
