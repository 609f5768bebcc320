/* Media files of messages as clients get them. */
#include "api/test_api.h"

#include <stdio.h>
#include <unistd.h>

static char message[64], head[256];
static int64_t id;

/* A message with two files. */
static void send_mms(void)
{
    assert_int_equal(test_call(TEST_KEY, "POST /v1/send",
                               "{\"to\":\"+15551234567\",\"text\":\"x\",\"mediaUrls\":["
                               "\"https://a.example/1.png\",\"https://a.example/2.mp4\"]}")
                         ->status,
                     201);
    snprintf(message, sizeof message, "%s", test_member("messageId"));
    assert_true(public_id_parse(store_cipher(test_store), MESSAGE_ID_PREFIX, str_of(message), &id));
}

static int put(struct store *s, void *record)
{
    char path[STORE_MEDIA_PATH_SIZE];
    struct media_record *m = record;
    int fd = store_media_temporary(s, path);
    ssize_t n = write(fd, "the content of the file", (size_t)m->size);

    close(fd);
    return n == m->size ? store_media_put(s, m, path) - 1 : -1;
}

static struct media_record keep(unsigned number, const char *type)
{
    struct media_record m = {.message = id, .number = number, .size = 11 + (int64_t)number};

    memset(m.hash, 0xa0 + (int)number, sizeof m.hash);
    snprintf(m.type, sizeof m.type, "%s", type);
    test_write(put, &m);
    return m;
}

static struct http_request *get(const char *key, const char *number, const char *more)
{
    snprintf(head, sizeof head, "GET /v1/messages/%s/media/%s%s", message, number, more);
    return test_call(key, head, NULL);
}

static void check_body(struct http_request *r, const char *wanted)
{
    assert_non_null(r->stream);
    assert_int_equal(r->length, strlen(wanted));
    r->stream->more(r);
    assert_string_equal(test_body(), wanted);
    buf_clear(&r->out);
    r->stream->more(r);
    assert_int_equal(r->out.n, 0);
    r->stream->over(r);
}

static void a_picture(void **state)
{
    send_mms();
    keep(1, "image/png");
    struct http_request *r = get(TEST_KEY, "1", "");
    assert_int_equal(r->status, 200);
    assert_string_equal(r->content_type, "image/png");
    assert_string_equal(test_header("Content-Disposition"), "inline");
    assert_string_equal(test_header("X-Content-Type-Options"), "nosniff");
    assert_string_equal(test_header("Content-Security-Policy"), "default-src 'none'; sandbox");
    assert_string_equal(test_header("Cache-Control"), "private, max-age=31536000, immutable");
    assert_string_equal(test_header("ETag"),
                        "\"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\"");
    assert_non_null(test_header("X-RateLimit-Reset"));
    check_body(r, "the content ");
    r = get(READ_KEY, "1", "");
    check_body(r, "the content ");
}

static void anything_else_is_for_downloading(void **state)
{
    send_mms();
    keep(1, "text/html\r\nX: y"); /* nobody's type of media: not even repeated */
    keep(2, "video/mp4");
    struct http_request *r = get(TEST_KEY, "2", "");
    assert_string_equal(r->content_type, "video/mp4");
    assert_string_equal(test_header("Content-Disposition"), "attachment; filename=\"media-2.mp4\"");
    r->stream->over(r);
    r = get(TEST_KEY, "1", "");
    assert_string_equal(r->content_type, "application/octet-stream");
    assert_string_equal(test_header("Content-Disposition"), "attachment; filename=\"media-1.bin\"");
    r->stream->over(r);
}

static void what_the_client_has_is_not_sent(void **state)
{
    char condition[128];

    send_mms();
    keep(1, "image/png");
    snprintf(condition, sizeof condition, "\nIf-None-Match: W/\"x\", \"%064d\"", 0);
    struct http_request *r = get(TEST_KEY, "1", condition);
    assert_int_equal(r->status, 200);
    r->stream->over(r);
    for (size_t i = 0; i < 64; i += 2)
        memcpy(strrchr(condition, '"') - 64 + i, "a1", 2);
    r = get(TEST_KEY, "1", condition);
    assert_int_equal(r->status, 304);
    assert_null(r->stream);
    assert_int_equal(r->out.n, 0);
    assert_non_null(test_header("ETag"));
}

static void check_none(const char *number, const char *said)
{
    get(TEST_KEY, number, "");
    test_assert_problem(404, "media_not_found", NULL);
    assert_non_null(strstr(test_member("message"), said));
}

static void what_is_not_there(void **state)
{
    send_mms();
    check_none("1", "not fetched yet");
    check_none("0", "This message has 2 media files");
    check_none("3", "This message has 2 media files");
    check_none("x", "This message has 2 media files");
    check_none("18446744073709551617", "This message has 2 media files");
    struct media_record m = keep(1, "image/png");
    int fd = store_media_open(test_store, &m);
    snprintf(head, sizeof head, "/proc/self/fd/%d", fd);
    assert_int_equal(truncate(head, 1), 0);
    close(fd);
    check_none("1", "not kept any more");
    assert_int_equal(
        test_call(TEST_KEY, "POST /v1/send", "{\"to\":\"+15551234567\",\"text\":\"x\"}")->status,
        201);
    snprintf(message, sizeof message, "%s", test_member("messageId"));
    check_none("1", "This message has no media.");
}

static void nobody_else_gets_it(void **state)
{
    send_mms();
    keep(1, "image/png");
    get(LIVE_KEY, "1", "");
    test_assert_problem(404, "message_not_found", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_picture),
        API_TEST(anything_else_is_for_downloading),
        API_TEST(what_the_client_has_is_not_sent),
        API_TEST(what_is_not_there),
        API_TEST(nobody_else_gets_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
