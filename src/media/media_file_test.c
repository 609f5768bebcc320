/* One file, and what can be wrong with it. */
#include "media/test_media.h"

#include "net/digest.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static struct test_peer peer;

static int set_up(void **state)
{
    peer.fd = -1;
    return test_media_set_up(state);
}

static int tear_down(void **state)
{
    test_peer_close(&peer);
    return test_media_tear_down(state);
}

static const char url[] = "https://localhost:%u/cat.jpg?secret=1";
#define MEDIA "Media 1 of 1 (https://localhost:%u/cat.jpg): "

static int64_t wanted(void)
{
    return test_media_wanted(url);
}

static void answer_raw(const char *text)
{
    buf_clear(&test_answer);
    buf_add(&test_answer, str_of(text));
    test_media_serve(&peer);
}

/* Nothing is kept, and nothing is left behind. */
static void check_failed(int64_t message, enum failure failure, const char *detail)
{
    struct media_record m;

    assert_int_equal(test_media_answer(message), failure);
    assert_string_equal(test_detail, detail);
    test_media_idle();
    assert_int_equal(test_media_kept(message, 1, &m, NULL), -ENOENT);
    assert_int_equal(test_media_files(), 0);
}

static void check_kept(int64_t message, const char *type, struct str content)
{
    uint8_t hash[DIGEST_SHA256_SIZE];
    struct media_record m;
    struct buf kept BUF_CLEANUP;

    buf_init(&kept, 1 << 20);
    assert_int_equal(test_media_answer(message), FAILURE_NONE);
    assert_int_equal(test_media_kept(message, 1, &m, &kept), 0);
    assert_string_equal(m.type, type);
    assert_int_equal(m.size, content.n);
    assert_true(str_eq(buf_str(&kept), content));
    digest_sha256(content, hash);
    assert_memory_equal(m.hash, hash, sizeof hash);
}

/* ---- good ones ---- */

static void test_a_file(void **state)
{
    int64_t message = wanted();
    struct str jpeg = test_jpeg(TEST_MEDIA_MAX); /* not a byte too many */

    test_media_content("image/jpeg", jpeg);
    test_media_serve(&peer);
    assert_memory_equal(peer.in.p, "GET /cat.jpg?secret=1 HTTP/1.1\r\n", 32);
    check_kept(message, "image/jpeg", jpeg);
    struct media_desk_counts counts = media_desk_count(test_desk);
    assert_int_equal(counts.files, 1);
    assert_int_equal(counts.bytes, TEST_MEDIA_MAX);
    assert_int_equal(counts.failures, 0);
}

static void test_a_short_text(void **state)
{
    int64_t message = wanted();

    test_media_content("text/plain; charset=utf-8", STR("hi"));
    test_media_serve(&peer);
    check_kept(message, "text/plain", STR("hi"));
}

static void test_byte_by_byte(void **state)
{
    int64_t message = wanted();
    struct str jpeg = test_jpeg(600);

    test_media_content("image/jpeg", jpeg);
    assert_true(test_peer_accept(&peer, &test_media_server, TEST_PEER_PATIENCE_MS));
    test_peer_await_request(&peer);
    for (size_t i = 0; i < test_answer.n; i++)
        test_peer_send(&peer, (struct str){test_answer.p + i, 1});
    check_kept(message, "image/jpeg", jpeg);
}

/* ---- a second attempt ---- */

static void check_second_attempt(int64_t message)
{
    struct str jpeg = test_jpeg(1000);

    test_peer_close(&peer);
    test_media_content("image/jpeg", jpeg);
    test_media_serve(&peer);
    check_kept(message, "image/jpeg", jpeg);
    assert_int_equal(media_desk_count(test_desk).retries, 1);
}

static void test_once_more_after_a_server_error(void **state)
{
    int64_t message = wanted();

    answer_raw("HTTP/1.1 503 Away\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    check_second_attempt(message);
}

static void test_once_more_after_too_many(void **state)
{
    int64_t message = wanted();

    answer_raw("HTTP/1.1 429 Slower\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    check_second_attempt(message);
}

/* What came the first time is forgotten: nothing of it is in the file, or counted. */
static void test_once_more_after_half_a_file(void **state)
{
    int64_t message = wanted();
    struct str jpeg = test_jpeg(4900);

    test_media_content("image/jpeg", jpeg);
    test_answer.n -= 100;
    test_media_serve(&peer);
    check_second_attempt(message);
}

static void test_once_more_after_silence(void **state)
{
    int64_t message = wanted();

    answer_raw("");
    assert_true(test_peer_ends(&peer)); /* we have waited long enough */
    check_second_attempt(message);
}

static void test_but_not_a_third_time(void **state)
{
    int64_t message = wanted();

    for (int i = 0; i < 2; i++) {
        answer_raw("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        test_peer_close(&peer);
    }
    check_failed(message, FAILURE_MEDIA_UNREACHABLE,
                 MEDIA "the server answered 500 (tried twice).");
    assert_false(test_peer_accept(&peer, &test_media_server, 3 * TEST_MEDIA_RETRY_MS));
}

static void test_shorter_than_it_said_twice(void **state)
{
    int64_t message = wanted();

    for (int i = 0; i < 2; i++) {
        test_media_content("image/jpeg", test_jpeg(1000));
        test_answer.n -= 1;
        test_media_serve(&peer);
        test_peer_close(&peer);
    }
    check_failed(message, FAILURE_MEDIA_UNREACHABLE,
                 MEDIA "the connection was lost before the answer was complete (tried twice).");
}

static void test_dripping_ends(void **state)
{
    int64_t message = wanted();

    for (int i = 0; i < 2; i++) {
        answer_raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\xff\xd8\xff");
        assert_true(test_peer_ends(&peer));
        test_peer_close(&peer);
    }
    check_failed(message, FAILURE_MEDIA_UNREACHABLE,
                 MEDIA "the answer was not complete after 1.5 s (tried twice).");
}

/* ---- bad ones, asked for once ---- */

static void check_once(const char *answer, enum failure failure, const char *detail)
{
    int64_t message = wanted();

    answer_raw(answer);
    check_failed(message, failure, detail);
    test_peer_close(&peer);
    assert_false(test_peer_accept(&peer, &test_media_server, 3 * TEST_MEDIA_RETRY_MS));
}

static void test_other_statuses(void **state)
{
    check_once("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno", FAILURE_MEDIA_UNREACHABLE,
               MEDIA "the server answered 404.");
    check_once("HTTP/1.1 206 Part\r\nContent-Length: 3\r\n\r\n\xff\xd8\xff",
               FAILURE_MEDIA_UNREACHABLE, MEDIA "the server answered 206.");
    check_once("HTTP/1.1 302 There\r\nLocation: https://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
               FAILURE_MEDIA_UNREACHABLE,
               MEDIA "the server answered 302: it redirects, and redirects are not followed; give "
                     "the address it leads to.");
}

static void test_empty(void **state)
{
    check_once("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", FAILURE_MEDIA_UNREACHABLE,
               MEDIA "it is empty.");
}

static void test_types(void **state)
{
    check_once("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 9\r\n\r\n"
               "%PDF-1.7\x01",
               FAILURE_UNSUPPORTED_MEDIA_TYPE,
               MEDIA "its content is of no type that can be sent; the server calls it "
                     "application/pdf.");
    check_once("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 4\r\n\r\n"
               "\xff\xd8\xff\xe0",
               FAILURE_UNSUPPORTED_MEDIA_TYPE,
               MEDIA "its content is image/jpeg, but the server calls it video/mp4.");
    test_profile.kinds = UINT32_C(1) << MEDIA_PNG;
    check_once("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 4\r\n\r\n"
               "\xff\xd8\xff\xe0",
               FAILURE_UNSUPPORTED_MEDIA_TYPE, MEDIA "the carrier does not take image/jpeg.");
}

static void test_webp_only_where_it_is_taken(void **state)
{
    static const struct str webp = {"RIFF\x24\1\1\1WEBPVP8 ", 16};
    int64_t message = wanted();

    test_media_content("image/webp", webp);
    test_media_serve(&peer);
    check_failed(message, FAILURE_UNSUPPORTED_MEDIA_TYPE,
                 MEDIA "the carrier does not take image/webp.");
    test_profile.kinds = UINT32_C(1) << MEDIA_WEBP;
    message = wanted();
    test_peer_close(&peer);
    test_media_serve(&peer);
    check_kept(message, "image/webp", webp);
}

/* ---- too large ---- */

static void test_a_length_that_is_too_large(void **state)
{
    check_once("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 5001\r\n\r\n",
               FAILURE_MEDIA_TOO_LARGE,
               MEDIA "it has at least 5001 bytes, and the media of a message may have 5000 "
                     "together.");
}

/* It says nothing of its length, and goes on and on: the connection ends. */
static void test_more_and_more(void **state)
{
    int64_t message = wanted();

    answer_raw("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nTransfer-Encoding: chunked\r\n\r\n"
               "1389\r\n");
    test_peer_send(&peer, test_jpeg(5001));
    assert_true(test_peer_ends(&peer));
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_TOO_LARGE);
    test_media_idle();
    assert_int_equal(test_media_files(), 0);
}

static void test_a_carrier_may_take_less(void **state)
{
    test_profile.size_max = 1000;
    check_once("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 1001\r\n\r\n",
               FAILURE_MEDIA_TOO_LARGE,
               MEDIA "it has at least 1001 bytes, and the media of a message may have 1000 "
                     "together.");
    test_profile.size_max = 2 * TEST_MEDIA_MAX; /* but not more */
    check_once("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 5001\r\n\r\n",
               FAILURE_MEDIA_TOO_LARGE,
               MEDIA "it has at least 5001 bytes, and the media of a message may have 5000 "
                     "together.");
}

/* ---- addresses ---- */

static void test_private_addresses(void **state)
{
    int64_t message = test_media_wanted("https://10.1.2.3/cat.jpg");

    check_failed(message, FAILURE_MEDIA_UNREACHABLE,
                 "Media 1 of 1 (https://10.1.2.3/cat.jpg): 10.1.2.3 is a private address; the "
                 "server does not connect to it.");
}

static void test_plain_http(void **state)
{
    int64_t message = test_media_wanted("http://media.example/cat.jpg");

    check_failed(message, FAILURE_MEDIA_UNREACHABLE,
                 "Media 1 of 1 (http://media.example/cat.jpg): the URL must begin with https://.");
}

static void test_distrusted(void **state)
{
    struct test_tls other;
    struct test_listener strange = test_media_server;
    int64_t message = wanted();

    test_tls_init(&other, clock_now_us(&clock_real));
    strange.tls = other.context;
    assert_true(test_peer_accept(&peer, &strange, TEST_PEER_PATIENCE_MS));
    assert_int_equal(test_media_answer(message), FAILURE_MEDIA_UNREACHABLE);
    assert_non_null(strstr(test_detail, "the peer is not trusted: "));
    test_peer_close(&peer);
    assert_false(test_peer_accept(&peer, &test_media_server, 3 * TEST_MEDIA_RETRY_MS));
    test_tls_done(&other);
}

/* ---- trouble of our own ---- */

/* A disk that takes no more is not the message's fault: it waits until that is better. */
static void test_a_full_disk(void **state)
{
    struct rlimit before, none = {100, RLIM_INFINITY};
    int64_t message = wanted();

    signal(SIGXFSZ, SIG_IGN);
    test_wait_for_writer();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    test_media_content("image/jpeg", test_jpeg(1000));
    test_media_serve(&peer);
    assert_true(test_peer_ends(&peer)); /* it was of no use to read on */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    test_peer_close(&peer);
    test_media_serve(&peer);
    check_kept(message, "image/jpeg", test_jpeg(1000));
}

/* Nor does it begin when what is left of the disk is for messages, */
static void test_a_disk_that_is_nearly_full(void **state)
{
    store_media_reserve(test_media_store, INT64_MAX);
    int64_t message = wanted();

    assert_false(test_peer_accept(&peer, &test_media_server, 3 * TEST_MEDIA_RETRY_MS));
    store_media_reserve(test_media_store, 1);
    test_media_content("image/jpeg", test_jpeg(1000));
    test_media_serve(&peer);
    check_kept(message, "image/jpeg", test_jpeg(1000));
}

/* and when that comes while it grows, what there is of it goes until it is better. */
static void test_a_disk_that_fills_up(void **state)
{
    enum { SIZE = 600000, FIRST = 100000 };

    test_media_max = SIZE;
    test_desk_limited(16, 0);
    int64_t message = wanted();
    assert_true(test_peer_accept(&peer, &test_media_server, TEST_PEER_PATIENCE_MS));
    test_peer_await_request(&peer);
    test_media_content("image/jpeg", test_jpeg(SIZE));
    struct str all = buf_str(&test_answer);
    test_peer_send(&peer, (struct str){all.p, FIRST});
    while (media_desk_count(test_desk).bytes < FIRST / 2)
        test_loop_settle();
    assert_true(test_media_bytes() > 0);
    store_media_reserve(test_media_store, INT64_MAX);
    test_peer_send(&peer, (struct str){all.p + FIRST, SIZE / 2});
    while (test_media_bytes() > 0)
        test_loop_settle();
    assert_false(test_media_answered(message));
    store_media_reserve(test_media_store, 1);
    test_peer_close(&peer);
    test_media_serve(&peer);
    check_kept(message, "image/jpeg", test_jpeg(SIZE));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_file),
        TEST(test_a_short_text),
        TEST(test_byte_by_byte),
        TEST(test_once_more_after_a_server_error),
        TEST(test_once_more_after_too_many),
        TEST(test_once_more_after_half_a_file),
        TEST(test_once_more_after_silence),
        TEST(test_but_not_a_third_time),
        TEST(test_shorter_than_it_said_twice),
        TEST(test_dripping_ends),
        TEST(test_other_statuses),
        TEST(test_empty),
        TEST(test_types),
        TEST(test_webp_only_where_it_is_taken),
        TEST(test_a_length_that_is_too_large),
        TEST(test_more_and_more),
        TEST(test_a_carrier_may_take_less),
        TEST(test_private_addresses),
        TEST(test_plain_http),
        TEST(test_distrusted),
        TEST(test_a_full_disk),
        TEST(test_a_disk_that_is_nearly_full),
        TEST(test_a_disk_that_fills_up),
    };
#undef TEST

    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
