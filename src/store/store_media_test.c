/* The contract of store.h about media files. */
#include "net/digest.h"
#include "store/test_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[STORE_MEDIA_PATH_SIZE]; /* of the file that was made last */

static void make(const char *content)
{
    int fd = store_media_temporary(test_store, path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    assert_int_equal(fdatasync(fd), 0);
    close(fd);
}

static struct media_record record(int64_t message, unsigned number, const char *content)
{
    struct media_record m = {
        .message = message, .number = number, .size = (int64_t)strlen(content)};

    digest_sha256(str_of(content), m.hash);
    snprintf(m.type, sizeof m.type, "image/%c", content[0]);
    return m;
}

static int put(struct media_record *m)
{
    assert_int_equal(store_begin(test_store), 0);
    int r = store_media_put(test_store, m, path);
    assert_int_equal(store_end(test_store, r < 0 ? r : 0), r < 0 ? r : 0);
    return r;
}

static int put_new(int64_t message, unsigned number, const char *content)
{
    struct media_record m = record(message, number, content);

    make(content);
    return put(&m);
}

static void check_content(const struct media_record *m, const char *content)
{
    char bytes[64] = "";
    int fd = store_media_open(test_store, m);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, bytes, sizeof bytes - 1), strlen(content));
    close(fd);
    assert_string_equal(bytes, content);
}

static void test_put_and_read(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record put_one = record(m.id, 1, "abc"), read;

    make("abc");
    assert_int_equal(put(&put_one), 1);
    assert_int_equal(put_one.at_us, test_now_us);
    check_content(&put_one, "abc");
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    assert_int_equal(read.message, m.id);
    assert_int_equal(read.number, 1);
    assert_int_equal(read.size, 3);
    assert_int_equal(read.at_us, test_now_us);
    assert_string_equal(read.type, "image/a");
    assert_memory_equal(read.hash, put_one.hash, sizeof read.hash);
    check_content(&read, "abc");
    assert_int_equal(store_media_get(test_reader, m.id, 2, &read), -ENOENT);
    assert_int_equal(store_media_get(test_reader, m.id + 1, 1, &read), -ENOENT);
}

static void test_list(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x"), other = test_accept(1, MODE_TEST, "y");
    struct media_record all[MEDIA_MAX];
    size_t count;

    assert_int_equal(store_media_list(test_reader, m.id, all, &count), 0);
    assert_int_equal(count, 0);
    put_new(other.id, 1, "other");
    put_new(m.id, 3, "c");
    put_new(m.id, 1, "a");
    assert_int_equal(store_media_list(test_reader, m.id, all, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(all[0].number, 1);
    check_content(&all[0], "a");
    assert_int_equal(all[1].number, 3);
    check_content(&all[1], "c");
}

/* A file for each content, not for each message. */
static void test_same_content(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x"), other = test_accept(2, MODE_LIVE, "y");
    struct media_record read;

    assert_int_equal(put_new(m.id, 1, "same"), 1);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(put_new(m.id, 2, "same"), 1);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(put_new(other.id, 1, "same"), 1);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(store_media_get(test_reader, other.id, 1, &read), 0);
    check_content(&read, "same");
}

/* ---- room ---- */

static void test_room(void **state)
{
    assert_int_equal(store_media_room(test_store), 0);
    store_media_reserve(test_store, INT64_MAX); /* before and after there is a folder */
    assert_int_equal(store_media_room(test_store), -ENOSPC);
    make("x");
    assert_int_equal(store_media_room(test_store), -ENOSPC);
    store_media_reserve(test_store, 1);
    assert_int_equal(store_media_room(test_store), 0);
    assert_int_equal(unlink(path), 0);
}

/* ---- loose files ---- */

static int put_loose(int64_t message, const char *content)
{
    struct media_record m = record(message, 1, content);

    m.loose = true;
    assert_int_equal(store_begin(test_store), 0);
    int r = store_media_put(test_store, &m, NULL);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

static void test_has(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record same = record(m.id, 1, "same"), longer = record(m.id, 1, "same as this");

    assert_int_equal(store_media_has(test_reader, &same), 0);
    put_new(m.id, 1, "same");
    assert_int_equal(store_media_has(test_reader, &same), 1);
    assert_int_equal(store_media_has(test_reader, &longer), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(store_media_has(test_reader, &same), 0);
}

static void test_loose_of_a_kept_content(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x"), other = test_accept(1, MODE_TEST, "y");
    struct media_record read;

    put_new(m.id, 1, "same");
    assert_int_equal(put_loose(other.id, "same"), 1);
    assert_int_equal(store_media_get(test_reader, other.id, 1, &read), 0);
    check_content(&read, "same");
}

/* What was kept when it was looked for may be dropped before it is put. */
static void test_loose_of_a_dropped_content(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record read;

    assert_int_equal(put_loose(m.id, "gone"), -ENOENT);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), -ENOENT);
}

static void test_loose_and_not_wanted(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");

    put_new(m.id, 1, "first");
    assert_int_equal(put_loose(m.id, "second"), 0);
}

static void test_put_twice(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record read;

    assert_int_equal(put_new(m.id, 1, "first"), 1);
    assert_int_equal(put_new(m.id, 1, "second"), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    check_content(&read, "first");
}

static void test_no_such_message(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");

    assert_int_equal(put_new(m.id + (INT64_C(1) << 40), 1, "a"), 0);
    assert_int_equal(access(path, F_OK), -1);
}

/* In one transaction with the message, as it is with one that a carrier brought. */
static void test_put_with_its_message(void **state)
{
    struct message m = test_message(1, MODE_LIVE, "x");
    struct media_record one, two, read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    one = record(m.id, 1, "one");
    make("one");
    assert_int_equal(store_media_put(test_store, &one, path), 1);
    two = record(m.id, 2, "one");
    make("one");
    assert_int_equal(store_media_put(test_store, &two, path), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(store_media_get(test_reader, m.id, 2, &read), 0);
    check_content(&read, "one");
}

/* What came to nothing can be put again: the writer tries again what it owes. */
static void test_rollback(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record one = record(m.id, 1, "one"), same = record(m.id, 2, "one");
    struct media_record read;
    char first[STORE_MEDIA_PATH_SIZE];

    make("one");
    memcpy(first, path, sizeof first);
    make("one");
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_media_put(test_store, &one, first), 1);
    assert_int_equal(store_media_put(test_store, &same, path), 1);
    store_rollback(test_store);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), -ENOENT);
    assert_int_equal(access(first, F_OK), 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(put(&same), 1);
    check_content(&same, "one");
    assert_int_equal(unlink(first), 0);
}

/* A row whose content is lost is as good as none. */
static void test_lost_content_of_the_same_message(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record read;

    assert_int_equal(put_new(m.id, 1, "same"), 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(put_new(m.id, 1, "same"), 1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    check_content(&read, "same");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(put_new(m.id, 1, "other"), 1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    check_content(&read, "other");
    assert_string_equal(read.type, "image/o");
}

/* Content that is lost, or was cut short, comes back with the next message that has it. */
static void test_lost_content(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record read;

    put_new(m.id, 1, "lost");
    assert_int_equal(truncate(path, 2), 0);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    assert_int_equal(store_media_open(test_store, &read), -ENOENT);
    assert_int_equal(store_media_look(test_store, &read), -ENOENT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(store_media_open(test_store, &read), -ENOENT);
    assert_int_equal(store_media_look(test_store, &read), -ENOENT);
    assert_int_equal(put_new(m.id, 2, "lost"), 1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    assert_int_equal(store_media_look(test_store, &read), 0);
    check_content(&read, "lost");
}

/* Other bytes, as many of them; later than the last ones by the file system's clock. */
static void damage(const char *bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    struct stat before, after;

    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &before), 0);
    do {
        assert_int_equal(pwrite(fd, bytes, strlen(bytes), 0), strlen(bytes));
        assert_int_equal(fstat(fd, &after), 0);
    } while (memcmp(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim) == 0);
    close(fd);
}

/* It is not given to another message, and comes back with the next one that brings it. */
static void test_damaged_content(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record wanted = record(m.id, 2, "whole"), read;
    char first[STORE_MEDIA_PATH_SIZE];

    put_new(m.id, 1, "whole");
    memcpy(first, path, sizeof first);
    assert_int_equal(store_media_has(test_reader, &wanted), 1);
    damage("whale");
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    assert_int_equal(store_media_look(test_store, &read), -EILSEQ);
    assert_int_equal(store_media_has(test_reader, &wanted), -EILSEQ);
    wanted.loose = true;
    assert_int_equal(put(&wanted), -ENOENT);
    assert_int_equal(put_new(m.id, 2, "whole"), 1);
    assert_int_equal(access(first, F_OK), -1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    assert_int_equal(store_media_look(test_store, &read), 0);
    check_content(&read, "whole");
}

/* A row whose content is damaged is as good as none. */
static void test_damaged_content_of_the_same_message(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record read;

    put_new(m.id, 1, "whole");
    damage("whale");
    assert_int_equal(put_new(m.id, 1, "whole"), 1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    check_content(&read, "whole");
    damage("whale");
    assert_int_equal(put_new(m.id, 1, "other"), 1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    check_content(&read, "other");
}

/* Who wrote it vouches for it, until it changes. */
static void test_a_file_that_was_just_written(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record one = record(m.id, 1, "other than the file");

    make("as long as the name");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    store_media_written(test_store, path, fd);
    close(fd);
    assert_int_equal(put(&one), 1);
    assert_int_equal(store_media_look(test_store, &one), 0); /* it was not read */
    damage("As");
    assert_int_equal(store_media_look(test_store, &one), -EILSEQ);
}

static void test_foreign_file(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record one = record(m.id, 1, "one");

    snprintf(path, sizeof path, "/dev/null");
    assert_int_equal(put(&one), -EINVAL);
    snprintf(path, sizeof path, "/tmp/000000000000000");
    assert_int_equal(put(&one), -EINVAL);
}

static void test_files_are_private(void **state)
{
    struct stat status;

    make("x");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void test_write(void **state)
{
    /* SHA-256 of "abc", FIPS 180-2. */
    static const uint8_t hash[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea};
    struct message m = test_accept(1, MODE_TEST, "x");
    struct media_record written = {.message = m.id, .number = 1, .type = "image/a"}, read;

    assert_int_equal(store_media_write(test_store, STR("abc"), &written, path), 0);
    assert_int_equal(written.size, 3);
    assert_memory_equal(written.hash, hash, sizeof hash);
    assert_int_equal(put(&written), 1);
    assert_int_equal(store_media_get(test_reader, m.id, 1, &read), 0);
    check_content(&read, "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_put_and_read),
        STORE_TEST(test_list),
        STORE_TEST(test_room),
        STORE_TEST(test_has),
        STORE_TEST(test_loose_of_a_kept_content),
        STORE_TEST(test_loose_of_a_dropped_content),
        STORE_TEST(test_loose_and_not_wanted),
        STORE_TEST(test_lost_content_of_the_same_message),
        STORE_TEST(test_same_content),
        STORE_TEST(test_put_twice),
        STORE_TEST(test_no_such_message),
        STORE_TEST(test_put_with_its_message),
        STORE_TEST(test_rollback),
        STORE_TEST(test_lost_content),
        STORE_TEST(test_damaged_content),
        STORE_TEST(test_damaged_content_of_the_same_message),
        STORE_TEST(test_a_file_that_was_just_written),
        STORE_TEST(test_foreign_file),
        STORE_TEST(test_files_are_private),
        STORE_TEST(test_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
