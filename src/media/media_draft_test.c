/* Content that comes in pieces: where it is, and what becomes of it. */
#include "media/media_draft.h"

#include "store/test_store.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct store *store;
static struct media_draft draft;
static size_t held;
static char bytes[MEDIA_DRAFT_HELD + 1000];

static int set_up(void **state)
{
    store = test_store_open(&clock_real);
    held = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + i / 1000);
    media_draft_init(&draft, store, &held);
    assert_int_equal(media_draft_begin(&draft), 0);
    return 0;
}

static int tear_down(void **state)
{
    media_draft_done(&draft, false);
    assert_int_equal(held, 0);
    test_store_close(store);
    return 0;
}

static void add(size_t from, size_t n)
{
    assert_int_equal(media_draft_add(&draft, (struct str){bytes + from, n}), 0);
}

static void check_file(size_t n)
{
    char *read_back = malloc(sizeof bytes);
    int fd = open(draft.path, O_RDONLY | O_CLOEXEC);

    assert_true(read_back && fd >= 0);
    assert_int_equal(read(fd, read_back, sizeof bytes), n);
    assert_memory_equal(read_back, bytes, n);
    close(fd);
    free(read_back);
}

static void test_little_stays_in_memory(void **state)
{
    add(0, 1000);
    add(1000, MEDIA_DRAFT_HELD - 1000);
    assert_null(draft.path);
    assert_int_equal(held, MEDIA_DRAFT_HELD);
}

static void test_little_is_settled(void **state)
{
    add(0, 1000);
    media_draft_close(&draft);
    assert_int_equal(media_draft_settle(&draft), 0);
    check_file(1000);
}

static void test_more_goes_to_a_file(void **state)
{
    add(0, 1000);
    add(1000, sizeof bytes - 1000);
    assert_non_null(draft.path);
    assert_int_equal(held, 0);
    check_file(sizeof bytes);
    assert_int_equal(media_draft_settle(&draft), 0);
    media_draft_close(&draft);
    assert_int_equal(media_draft_settle(&draft), 0);
    check_file(sizeof bytes);
}

static void test_all_have_so_much_memory_together(void **state)
{
    held = MEDIA_DRAFTS_HELD - 1500;
    add(0, 1000);
    assert_null(draft.path);
    add(1000, 1000);
    assert_non_null(draft.path);
    assert_int_equal(held, MEDIA_DRAFTS_HELD - 1500);
    check_file(2000);
    held = 0;
}

static void test_from_the_start_again(void **state)
{
    add(500, 1000);
    assert_int_equal(media_draft_begin(&draft), 0);
    assert_int_equal(held, 0);
    add(0, 10);
    assert_int_equal(media_draft_settle(&draft), 0);
    check_file(10);
}

static void test_a_file_from_the_start_again(void **state)
{
    add(1000, MEDIA_DRAFT_HELD);
    add(0, 1000);
    assert_int_equal(media_draft_begin(&draft), 0);
    add(0, 10);
    assert_int_equal(media_draft_settle(&draft), 0);
    check_file(10);
}

static void test_empty_takes_no_room(void **state)
{
    add(0, 1000);
    media_draft_empty(&draft);
    assert_int_equal(held, 0);
    add(0, sizeof bytes);
    media_draft_empty(&draft);
    check_file(0);
}

static void test_what_is_not_kept_goes(void **state)
{
    char path[STORE_MEDIA_PATH_SIZE];

    add(0, sizeof bytes);
    str_format(path, sizeof path, "%s", draft.path);
    media_draft_done(&draft, false);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_what_is_kept_stays(void **state)
{
    char path[STORE_MEDIA_PATH_SIZE];

    add(0, sizeof bytes);
    str_format(path, sizeof path, "%s", draft.path);
    media_draft_done(&draft, true);
    assert_int_equal(access(path, F_OK), 0);
}

static void test_what_is_left_is_for_messages(void **state)
{
    store_media_reserve(store, INT64_MAX);
    assert_int_equal(media_draft_begin(&draft), -ENOSPC);
    add(0, 1000); /* in memory it may grow */
    assert_int_equal(media_draft_add(&draft, (struct str){bytes + 1000, MEDIA_DRAFT_HELD}),
                     -ENOSPC);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_little_stays_in_memory), TEST(test_little_is_settled),
        TEST(test_more_goes_to_a_file),    TEST(test_all_have_so_much_memory_together),
        TEST(test_from_the_start_again),   TEST(test_a_file_from_the_start_again),
        TEST(test_empty_takes_no_room),    TEST(test_what_is_not_kept_goes),
        TEST(test_what_is_kept_stays),     TEST(test_what_is_left_is_for_messages),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
