/* The files of one message: together or not at all, unless nobody waits for them. */
#include "media/test_media.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEERS = 5 };

static struct test_peer peers[PEERS];

static int set_up(void **state)
{
    for (int i = 0; i < PEERS; i++)
        peers[i] = (struct test_peer){.fd = -1};
    return test_media_set_up(state);
}

static int tear_down(void **state)
{
    for (int i = 0; i < PEERS; i++)
        test_peer_close(&peers[i]);
    return test_media_tear_down(state);
}

static const char two[] = "https://localhost:%u/1\nhttps://localhost:%u/2";

/* The path of a request: one digit. */
static unsigned number_of(const struct test_peer *p)
{
    assert_memory_equal(p->in.p, "GET /", 5);
    return (unsigned)(p->in.p[5] - '0');
}

static unsigned accept_one(struct test_peer *p)
{
    assert_true(test_peer_accept(p, &test_media_server, TEST_PEER_PATIENCE_MS));
    test_peer_await_request(p);
    return number_of(p);
}

/* File n has 100 * n bytes, and is answered as the others are. */
static void give(struct test_peer *p)
{
    test_media_content("image/jpeg", test_jpeg(100 * number_of(p)));
    test_peer_send(p, buf_str(&test_answer));
}

static void refuse(struct test_peer *p)
{
    test_peer_send(p, STR("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"));
}

static void check_kept(int64_t message, unsigned number)
{
    struct media_record m;
    struct buf content BUF_CLEANUP;

    buf_init(&content, 1 << 20);
    assert_int_equal(test_media_kept(message, number, &m, &content), 0);
    assert_int_equal(m.number, number);
    assert_true(str_eq(buf_str(&content), test_jpeg(100 * number)));
}

static bool is_kept(int64_t message, unsigned number)
{
    struct media_record m;
    return test_media_kept(message, number, &m, NULL) == 0;
}

/* Serves on a kept connection or a new one, in whatever order they come, until all have come. */
static void give_all(unsigned count)
{
    unsigned served = 0;

    for (int i = 0; i < 3; i++) {
        accept_one(&peers[i]);
        give(&peers[i]);
        served++;
    }
    for (int i = 0; served < count; i = (i + 1) % 3) {
        buf_clear(&peers[i].in);
        if (!test_peer_read(&peers[i], 10))
            continue;
        test_peer_await_request(&peers[i]);
        give(&peers[i]);
        served++;
    }
}

static void test_all_files_in_their_places(void **state)
{
    int64_t message =
        test_media_wanted("https://localhost:%u/1\nhttps://localhost:%u/2\nhttps://localhost:%u/3\n"
                          "https://localhost:%u/4\nhttps://localhost:%u/5");

    give_all(5);
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
    for (unsigned n = 1; n <= 5; n++)
        check_kept(message, n);
    assert_int_equal(test_media_files(), 5);
}

static void test_three_at_once(void **state)
{
    test_media_wanted("https://localhost:%u/1\nhttps://localhost:%u/2\nhttps://localhost:%u/3\n"
                      "https://localhost:%u/4");
    for (int i = 0; i < 3; i++)
        assert_in_range(accept_one(&peers[i]), 1, 3);
    assert_false(test_peer_accept(&peers[3], &test_media_server, 100));
}

/* The first bad one ends it: the other is not waited for, and nothing is kept. */
static void test_one_bad_one(void **state)
{
    int64_t message = test_media_wanted(two);

    for (int i = 0; i < 2; i++)
        if (accept_one(&peers[i]) == 2)
            refuse(&peers[i]);
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_UNREACHABLE);
    assert_string_equal(test_detail,
                        "Media 2 of 2 (https://localhost:%u/2): the server answered 404.");
    for (int i = 0; i < 2; i++)
        if (number_of(&peers[i]) == 1)
            assert_true(test_peer_ends(&peers[i]));
    test_media_idle();
    assert_false(is_kept(message, 1));
    assert_int_equal(test_media_files(), 0);
}

static void test_a_good_one_before_a_bad_one_goes(void **state)
{
    int64_t message = test_media_wanted(two);

    for (int i = 0; i < 2; i++)
        accept_one(&peers[i]);
    int first = number_of(&peers[0]) == 1 ? 0 : 1;
    give(&peers[first]);
    while (media_desk_count(test_desk).files == 0)
        test_loop_settle();
    refuse(&peers[!first]);
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_UNREACHABLE);
    assert_false(is_kept(message, 1));
    assert_int_equal(test_media_files(), 0);
}

static void test_together_they_are_too_large(void **state)
{
    int64_t message = test_media_wanted(two);

    test_media_content("image/jpeg", test_jpeg(2600));
    for (int i = 0; i < 2; i++) {
        accept_one(&peers[i]);
        test_peer_send(&peers[i], buf_str(&test_answer));
    }
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_TOO_LARGE);
    assert_non_null(strstr(test_detail, "with it the media of the message have at least 5200 "
                                        "bytes, and they may have 5000 together."));
    assert_int_equal(test_media_files(), 0);
}

static void test_together_they_just_fit(void **state)
{
    int64_t message = test_media_wanted(two);

    test_media_content("image/jpeg", test_jpeg(2500));
    for (int i = 0; i < 2; i++) {
        accept_one(&peers[i]);
        test_peer_send(&peers[i], buf_str(&test_answer));
    }
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
    assert_int_equal(test_media_files(), 1); /* they are the same */
}

/* Where the message does not wait for them, whoever looks at it sees what there is. */
static void test_beside_the_good_ones_are_kept(void **state)
{
    test_profile.need = MEDIA_BESIDE;
    int64_t message = test_media_wanted(two);

    for (int i = 0; i < 2; i++)
        if (accept_one(&peers[i]) == 1)
            refuse(&peers[i]);
    assert_false(test_media_answered(message));
    for (int i = 0; i < 2; i++)
        if (number_of(&peers[i]) == 2)
            give(&peers[i]);
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_UNREACHABLE);
    assert_string_equal(test_detail,
                        "Media 1 of 2 (https://localhost:%u/1): the server answered 404.");
    assert_false(is_kept(message, 1));
    check_kept(message, 2);
    assert_int_equal(test_media_files(), 1);
}

static void break_off(struct test_peer *p)
{
    test_media_content("image/jpeg", test_jpeg(4000));
    struct str whole = buf_str(&test_answer);
    test_peer_send(p, (struct str){whole.p, whole.n - 1000});
    test_peer_close(p);
}

/* What came of one that broke off is not counted among what the others may have. */
static void test_a_broken_one_takes_no_room(void **state)
{
    test_profile.need = MEDIA_BESIDE;
    int64_t message = test_media_wanted(two);

    for (int i = 0; i < 2; i++)
        accept_one(&peers[i]);
    int first = number_of(&peers[0]) == 1 ? 0 : 1;
    break_off(&peers[first]);
    assert_int_equal(accept_one(&peers[2]), 1);
    break_off(&peers[2]);
    while (media_desk_count(test_desk).failures == 0)
        test_loop_settle();
    test_media_content("image/jpeg", test_jpeg(3000));
    test_peer_send(&peers[!first], buf_str(&test_answer));
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_UNREACHABLE);
    assert_true(is_kept(message, 2));
}

/* As after a restart: what is there is not fetched again, but counts. */
static void test_what_is_kept_is_not_fetched_again(void **state)
{
    test_profile.need = MEDIA_BESIDE;
    int64_t message = test_media_wanted(two);

    for (int i = 0; i < 2; i++)
        accept_one(&peers[i]);
    int first = number_of(&peers[0]) == 1 ? 0 : 1;
    give(&peers[first]);
    refuse(&peers[!first]);
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_UNREACHABLE);
    for (int i = 0; i < 2; i++)
        test_peer_close(&peers[i]);

    test_profile.need = MEDIA_FIRST;
    test_profile.size_max = 299;
    assert_int_equal(test_media_ask(message), 0);
    assert_int_equal(accept_one(&peers[0]), 2);
    give(&peers[0]);
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_TOO_LARGE);
    test_peer_close(&peers[0]);

    test_profile.size_max = 300;
    assert_int_equal(test_media_ask(message), 0);
    assert_int_equal(accept_one(&peers[0]), 2);
    give(&peers[0]);
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
    check_kept(message, 1);
    check_kept(message, 2);

    assert_int_equal(test_media_ask(message), 0);
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
    assert_false(test_peer_accept(&peers[1], &test_media_server, 50));
}

/* What is there was fetched for one carrier, and may be too much for another. */
static void test_what_is_kept_is_judged_again(void **state)
{
    static const struct {
        struct media_profile profile;
        enum failure failure;
        const char *detail;
    } judged[] = {
        {{.need = MEDIA_FIRST, .size_max = 299},
         FAILURE_MEDIA_TOO_LARGE,
         "Media 2 of 2 (https://localhost:%u/2): with it the media of the message have at least "
         "300 bytes, and they may have 299 together."},
        {{.need = MEDIA_FIRST, .kinds = UINT32_C(1) << MEDIA_PNG},
         FAILURE_UNSUPPORTED_MEDIA_TYPE,
         "Media 1 of 2 (https://localhost:%u/1): the carrier does not take image/jpeg."},
        {{.need = MEDIA_FIRST, .size_max = 300}, FAILURE_NONE, ""},
    };
    int64_t message = test_media_wanted(two);

    for (int i = 0; i < 2; i++) {
        accept_one(&peers[i]);
        give(&peers[i]);
    }
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        test_profile = judged[i].profile;
        assert_int_equal(test_media_ask(message), 0);
        assert_int_equal(test_media_answer(message), judged[i].failure);
        assert_string_equal(test_detail, judged[i].detail);
        check_kept(message, 1);
        check_kept(message, 2);
    }
    assert_false(test_peer_accept(&peers[2], &test_media_server, 50));
}

/* A content goes to disk once, however many messages have it. */
static void test_a_content_that_is_known(void **state)
{
    for (uint64_t i = 0; i < 3; i++) {
        int64_t message = test_media_wanted("https://localhost:%u/1");

        accept_one(&peers[0]);
        give(&peers[0]);
        assert_int_equal(test_media_answer(message), FAILURE_NONE);
        check_kept(message, 1);
        assert_int_equal(media_desk_count(test_desk).known, i);
        assert_int_equal(test_media_files(), 1);
        test_peer_close(&peers[0]);
    }
}

static char found[STORE_MEDIA_PATH_SIZE]; /* the file of a message */

static void find(int64_t message)
{
    struct media_record m;
    char opened[64];

    assert_int_equal(test_media_kept(message, 1, &m, NULL), 0);
    int fd = store_media_open(test_media_store, &m);
    assert_true(fd >= 0);
    snprintf(opened, sizeof opened, "/proc/self/fd/%d", fd);
    memset(found, 0, sizeof found);
    assert_true(readlink(opened, found, sizeof found - 1) > 0);
    close(fd);
}

static void lose(int64_t message)
{
    find(message);
    assert_int_equal(unlink(found), 0);
}

/* Another byte in its middle; later than the others by the file system's clock. */
static void damage(int64_t message)
{
    struct stat before, after;

    find(message);
    int fd = open(found, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &before), 0);
    do {
        assert_int_equal(pwrite(fd, "\x7f", 1, before.st_size / 2), 1);
        assert_int_equal(fstat(fd, &after), 0);
    } while (memcmp(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim) == 0);
    close(fd);
}

static void fetched_again(int64_t message)
{
    accept_one(&peers[0]);
    give(&peers[0]);
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
    test_peer_close(&peers[0]);
    assert_int_equal(media_desk_count(test_desk).known, 0);
    assert_int_equal(test_media_files(), 1);
}

static void test_a_content_that_is_damaged(void **state)
{
    int64_t first = test_media_wanted("https://localhost:%u/1");

    fetched_again(first);
    damage(first);
    int64_t second = test_media_wanted("https://localhost:%u/1");
    fetched_again(second); /* what the store has is not taken for it */
    check_kept(first, 1);
    check_kept(second, 1);
    damage(second);
    assert_int_equal(test_media_ask(first), 0);
    fetched_again(first);
    check_kept(first, 1);
}

/* What the store had when it was asked, and has not when the message is put. */
static void test_a_content_that_goes_meanwhile(void **state)
{
    int64_t second = test_media_message("https://localhost:%u/1");
    int64_t first = test_media_wanted("https://localhost:%u/1");

    accept_one(&peers[0]);
    give(&peers[0]);
    assert_int_equal(test_media_answer(first), FAILURE_NONE);
    test_peer_close(&peers[0]);
    test_close_gate();
    assert_int_equal(test_media_ask(second), 0);
    accept_one(&peers[1]);
    give(&peers[1]);
    while (media_desk_count(test_desk).known == 0)
        test_loop_settle();
    lose(first);
    assert_int_equal(test_media_files(), 0);
    test_open_gate();
    assert_int_equal(test_media_answer(second), FAILURE_NONE);
    check_kept(second, 1);
    check_kept(first, 1);
    assert_int_equal(test_media_files(), 1);
}

static void test_no_files(void **state)
{
    int64_t message = test_media_wanted("");
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_all_files_in_their_places),
        TEST(test_three_at_once),
        TEST(test_one_bad_one),
        TEST(test_a_good_one_before_a_bad_one_goes),
        TEST(test_together_they_are_too_large),
        TEST(test_together_they_just_fit),
        TEST(test_beside_the_good_ones_are_kept),
        TEST(test_what_is_kept_is_not_fetched_again),
        TEST(test_what_is_kept_is_judged_again),
        TEST(test_a_broken_one_takes_no_room),
        TEST(test_a_content_that_is_known),
        TEST(test_a_content_that_goes_meanwhile),
        TEST(test_a_content_that_is_damaged),
        TEST(test_no_files),
    };
#undef TEST

    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
