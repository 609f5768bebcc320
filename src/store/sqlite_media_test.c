/* Media files that can go, go: with their messages, and after a crash. */
#include "net/digest.h"
#include "store/sqlite_internal.h"
#include "store/test_outbox.h"

#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

static char path[STORE_MEDIA_PATH_SIZE]; /* of the file that was made last */

static void make_of(const char bytes[3])
{
    int fd = store_media_temporary(test_store, path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, 3), 3);
    close(fd);
}

static void make(void)
{
    make_of("abc");
}

static struct media_record put(int64_t message, unsigned number, uint8_t content)
{
    struct media_record m = {.message = message, .number = number, .size = 3, .type = "image/gif"};
    char bytes[3];

    memset(bytes, content, sizeof bytes);
    digest_sha256((struct str){bytes, sizeof bytes}, m.hash);
    make_of(bytes);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_media_put(test_store, &m, path), 1);
    assert_int_equal(store_commit(test_store), 0);
    return m;
}

static size_t files;

static int count_one(const char *at, const struct stat *status, int kind, struct FTW *where)
{
    files += kind == FTW_F;
    return 0;
}

static size_t files_there(void)
{
    char folder[80];

    snprintf(folder, sizeof folder, "%.*s/media", (int)(strrchr(test_path, '/') - test_path),
             test_path);
    files = 0;
    nftw(folder, count_one, 8, FTW_PHYS);
    return files;
}

static void commit_something(void)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_touch(test_store), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static struct message ended_message(void)
{
    struct message m = test_accept(1, MODE_TEST, "x");

    test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_UNREACHABLE, test_now_us);
    return m;
}

static void keep_one_day(void)
{
    struct store_retention kept = *store_retention(test_store);

    kept.messages_us = TEST_DAY_US;
    store_set_retention(test_store, &kept);
}

static void test_retention(void **state)
{
    struct message old = ended_message(), new;
    struct media_record read, shared;

    keep_one_day();
    put(old.id, 1, 'a');
    put(old.id, 2, 'b');
    test_now_us += TEST_DAY_US;
    new = ended_message();
    shared = put(new.id, 1, 'b');
    assert_int_equal(files_there(), 2);
    test_now_us += TEST_DAY_US / 2;
    test_housekeep();
    assert_int_equal(store_media_get(test_reader, old.id, 1, &read), -ENOENT);
    assert_int_equal(store_media_get(test_reader, new.id, 1, &read), 0);
    assert_int_equal(files_there(), 2); /* nobody knows whether that is on disk */
    commit_something();
    test_housekeep();
    assert_int_equal(files_there(), 1);
    assert_int_equal(read.size, shared.size);
    int fd = store_media_open(test_store, &read);
    assert_true(fd >= 0);
    close(fd);
    test_now_us += 2 * TEST_DAY_US;
    test_housekeep();
    commit_something();
    test_housekeep();
    assert_int_equal(files_there(), 0);
}

/* A message that is past its time gets no file any more. */
static void test_a_message_that_is_gone(void **state)
{
    struct message old = ended_message();
    struct media_record m = {.message = old.id, .number = 1, .size = 3, .type = "image/gif"};

    keep_one_day();
    test_now_us += 2 * TEST_DAY_US;
    test_housekeep();
    make();
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_media_put(test_store, &m, path), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(files_there(), 0);
}

/* Content that comes back before its file is removed keeps it. */
static void test_used_again(void **state)
{
    struct message old = ended_message(), new;
    struct media_record read;

    keep_one_day();
    put(old.id, 1, 'a');
    test_now_us += 2 * TEST_DAY_US;
    new = ended_message();
    test_housekeep();
    put(new.id, 1, 'a');
    commit_something();
    test_housekeep();
    assert_int_equal(files_there(), 1);
    assert_int_equal(store_media_get(test_reader, new.id, 1, &read), 0);
    int fd = store_media_open(test_store, &read);
    assert_true(fd >= 0);
    close(fd);
}

/* A crash leaves files that no row knows; the next start removes them, and none that is new. */
static void test_what_a_crash_leaves(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record half = {.message = m.id, .number = 2, .size = 3, .type = "image/gif"}, read;

    put(m.id, 1, 'a');
    make();
    make();
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_media_put(test_store, &half, path), 1);
    store_rollback(test_store);
    test_housekeep();
    assert_int_equal(files_there(), 3);
    test_close();
    test_now_us += 1000000;
    test_open();
    make();
    assert_int_equal(files_there(), 4);
    test_housekeep();
    assert_int_equal(files_there(), 2);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    int fd = store_media_open(test_store, &read);
    assert_true(fd >= 0);
    close(fd);
}

/* What an earlier run left is told from what is new also when it began in the same second, or later
 * by a clock that was wrong. */
static void test_starts_without_time_between(void **state)
{
    for (int64_t back_us = 0; back_us <= 5000000; back_us += 5000000) {
        make();
        test_close();
        test_now_us -= back_us;
        test_open();
        make();
        assert_int_equal(files_there(), 2);
        test_housekeep();
        assert_int_equal(files_there(), 1);
        assert_int_equal(access(path, F_OK), 0);
        assert_int_equal(unlink(path), 0);
    }
}

/* More than a folder holds. */
static void test_many(void **state)
{
    for (int i = 0; i < 600; i++)
        make();
    assert_int_equal(files_there(), 600);
    test_close();
    test_now_us += 1000000;
    test_open();
    test_housekeep();
    assert_int_equal(files_there(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_retention),
        STORE_TEST(test_a_message_that_is_gone),
        STORE_TEST(test_used_again),
        STORE_TEST(test_what_a_crash_leaves),
        STORE_TEST(test_starts_without_time_between),
        STORE_TEST(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
