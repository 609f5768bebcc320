/* Pictures from a handset that a test plays, over HTTP. */
#include "api/test_api.h"

#include "base/base64.h"
#include "store/store_media.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define POST    "POST /v1/test/inbound"
#define FROM    "\"from\":\"+15551234567\""
#define PICTURE "{\"contentType\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}"

static void inbound(const char *rest)
{
    char body[4096];

    snprintf(body, sizeof body, "{" FROM ",%s}", rest);
    test_call(TEST_KEY, POST, body);
}

static size_t files;

static int count_file(const char *path, const struct stat *status, int type)
{
    files += type == FTW_F;
    return 0;
}

/* How many media files there are. */
static size_t count_files(void)
{
    files = 0;
    ftw(test_store->media->path, count_file, 8);
    return files;
}

static void assert_total(const char *count)
{
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), count);
}

/* The file that the message of the last answer has under this number. */
static void assert_file(const char *message, int number, const char *type, struct str content)
{
    char head[128];

    snprintf(head, sizeof head, "GET /v1/messages/%s/media/%d", message, number);
    struct http_request *r = test_call(TEST_KEY, head, NULL);
    assert_int_equal(r->status, 200);
    assert_string_equal(r->content_type, type);
    r->stream->more(r);
    assert_true(str_eq(buf_str(&r->out), content));
    r->stream->over(r);
}

static void a_picture_is_received(void **state)
{
    char message[64], url[128];

    inbound("\"text\":\"Look\",\"media\":[" PICTURE
            ",{\"data\":\"AAAA\",\"contentType\":\"Audio/AMR; codec=x\",\"fileName\":\"a.amr\"}]");
    assert_string_equal(test_member("status"), "received");
    assert_string_equal(test_member("type"), "mms");
    assert_string_equal(test_member("segments"), "1");
    assert_string_equal(test_member("text"), "Look");
    assert_string_equal(test_member("to"), "+18005551234");
    snprintf(message, sizeof message, "%s", test_member("messageId"));
    snprintf(url, sizeof url, "/v1/messages/%s/media/2", message);
    assert_non_null(strstr(test_member("mediaUrls.1"), url));
    assert_string_equal(test_member("mediaUrls.2"), "");
    assert_file(message, 1, "image/png", STR("\x89PNG\r\n\x1a\n"));
    assert_file(message, 2, "audio/amr", STR("\0\0\0"));
    assert_int_equal(count_files(), 2);
}

/* Also to a sender whose country has no MMS here: live carriers bring them to any. */
static void it_needs_no_text(void **state)
{
    inbound("\"media\":[" PICTURE "]");
    assert_string_equal(test_member("type"), "mms");
    assert_string_equal(test_member("text"), "");
    inbound("\"text\":\"\",\"media\":[" PICTURE "],\"to\":\"+447700900123\"");
    assert_string_equal(test_member("to"), "+447700900123");
    assert_string_equal(test_member("segments"), "1");
    inbound("\"text\":null,\"media\":null");
    test_assert_problem(400, "missing_required_field", "text");
    inbound("\"text\":\"\"");
    test_assert_problem(400, "text_required", "text");
    inbound("\"to\":5");
    test_assert_problem(400, "missing_required_field", "text");
}

/* The same picture a thousand times is one file. */
static void a_content_is_kept_once(void **state)
{
    inbound("\"media\":[" PICTURE "," PICTURE "]");
    inbound("\"media\":[" PICTURE "]");
    assert_string_equal(test_member("type"), "mms");
    assert_int_equal(count_files(), 1);
}

static void stop_under_a_picture_is_heard(void **state)
{
    inbound("\"text\":\"Stop\",\"media\":[" PICTURE "]");
    assert_true(
        optouts_has(test_api->options.optouts, FIRST_ACCOUNT, MODE_TEST, STR("+15551234567")));
}

static void a_form_will_do(void **state)
{
    test_call(TEST_KEY, POST "\nContent-Type: application/x-www-form-urlencoded",
              "from=%2B15551234567&media=[{\"contentType\":\"image/png\",\"data\":\"AAAA\"}]");
    assert_string_equal(test_member("type"), "mms");
}

/* ---- repetitions ---- */

static void a_repetition_is_received_once(void **state)
{
    static const char first[] = "{" FROM ",\"media\":[" PICTURE "]}",
                      other[] = "{" FROM ",\"media\":[{\"contentType\":\"image/png\",\"data\":"
                                "\"AAAA\"}]}",
                      same[] = "{\"media\":[{\"data\":\"iVBORw0\\u004bGgo=\",\"contentType\":"
                               "\"image/png\"}]," FROM "}";
    char answer[4096];

    test_call(TEST_KEY, POST "\nIdempotency-Key: a", first);
    snprintf(answer, sizeof answer, "%s", test_body());
    test_call(TEST_KEY, POST "\nIdempotency-Key: a", same);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_string_equal(test_body(), answer);
    test_call(TEST_KEY, POST "\nIdempotency-Key: a", other);
    test_assert_problem(400, "idempotency_key_mismatch", NULL);
    assert_int_equal(count_files(), 1);
    assert_total("1");
}

/* ---- what is refused ---- */

#define ITEM(type, data) "\"media\":[" PICTURE ",{\"contentType\":" type ",\"data\":" data "}]"

static void wrong_media_are_refused(void **state)
{
    static const struct {
        const char *rest, *code, *field;
    } table[] = {
        {"\"media\":[]", "invalid_parameter", "media"},
        {"\"media\":{}", "invalid_parameter", "media"},
        {"\"text\":\"x\",\"media\":{}", "invalid_parameter", "media"},
        {"\"media\":[1]", "invalid_parameter", "media[0]"},
        {"\"media\":[\"iVBORw0KGgo=\"]", "invalid_parameter", "media[0]"},
        {"\"media\":[null]", "invalid_parameter", "media[0]"},
        {"\"media\":[{}]", "missing_required_field", "media[0].contentType"},
        {"\"media\":[{\"contentType\":\"a/b\"}]", "missing_required_field", "media[0].data"},
        {"\"media\":[{\"contentType\":5}]", "missing_required_field", "media[0].data"},
        {ITEM("5", "\"AAAA\""), "invalid_parameter", "media[1].contentType"},
        {ITEM("\"image/png\"", "[]"), "invalid_parameter", "media[1].data"},
        {ITEM("\"\"", "\"AAAA\""), "invalid_parameter", "media[1].contentType"},
        {ITEM("\"png\"", "\"AAAA\""), "invalid_parameter", "media[1].contentType"},
        {ITEM("\"text/PLAIN; x\"", "\"AAAA\""), "invalid_parameter", "media[1].contentType"},
        {ITEM("\"application/smil\"", "\"AAAA\""), "invalid_parameter", "media[1].contentType"},
        {ITEM("\"application/smil+xml\"", "\"AAAA\""), "invalid_parameter", "media[1].contentType"},
        {ITEM("\"image/png\"", "\"\""), "invalid_parameter", "media[1].data"},
        {ITEM("\"image/png\"", "\"AAA\""), "invalid_parameter", "media[1].data"},
        {ITEM("\"image/png\"", "\"AA\\nAA\""), "invalid_parameter", "media[1].data"},
        {ITEM("\"image/png\"", "\"AAA-\""), "invalid_parameter", "media[1].data"},
        {ITEM("\"image/png\"", "\"data:image/png;base64,AAAA\""), "invalid_parameter",
         "media[1].data"},
        {"\"text\":5,\"media\":[" PICTURE "]", "invalid_parameter", "text"},
        {"\"to\":\"Skylark\",\"media\":[" PICTURE "]", "invalid_parameter", "to"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        inbound(table[i].rest);
        test_assert_problem(400, table[i].code, table[i].field);
    }
    assert_int_equal(count_files(), 0);
    assert_total("0");
}

static void eleven_are_too_many(void **state)
{
#define FIVE PICTURE "," PICTURE "," PICTURE "," PICTURE "," PICTURE
    inbound("\"media\":[" FIVE "," FIVE "]");
    assert_string_equal(test_member("type"), "mms");
    inbound("\"media\":[" FIVE "," FIVE "," PICTURE "]");
    test_assert_problem(400, "too_many_media", "media");
    assert_string_equal(test_member("message"),
                        "11 media files were given; at most 10 are allowed.");
}

/* A body with two files of so many bytes together, the second of one. */
static char *large_body(size_t bytes)
{
    size_t n = BASE64_SIZE(bytes - 1);
    char *zeros = calloc(1, bytes), *data = malloc(n), *body = NULL;

    base64_encode(zeros, bytes - 1, data);
    assert_true(asprintf(&body,
                         "{" FROM ",\"media\":[{\"contentType\":\"a/b\",\"data\":\"%.*s\"},"
                         "{\"contentType\":\"a/b\",\"data\":\"AA==\"}]}",
                         (int)n, data) > 0);
    free(zeros);
    free(data);
    return body;
}

static void together_they_have_so_many_bytes(void **state)
{
    char *most = large_body(INBOUND_MEDIA_BYTES), *more = large_body(INBOUND_MEDIA_BYTES + 1);

    assert_true(strlen(more) < API_LARGE_BODY_MAX);
    assert_int_equal(test_call(TEST_KEY, POST "\nIdempotency-Key: a", most)->status, 201);
    test_call(TEST_KEY, POST, more);
    test_assert_problem(400, "request_too_large", "media[1].data");
    assert_string_equal(test_member("message"),
                        "The field 'media[1].data' makes 3000001 bytes of media; at most 3000000 "
                        "are allowed together. Give smaller files.");
    free(most);
    free(more);
}

/* Room for so much is given to whoever may play a handset. */
static void only_test_keys_have_the_room(void **state)
{
    struct http_request *r = test_call(TEST_KEY, POST, "{}");

    assert_int_equal(api_body_max(r), API_LARGE_BODY_MAX);
    assert_int_equal(api_body_max(test_call(LIVE_KEY, POST, "{}")), API_BODY_MAX);
    assert_int_equal(api_body_max(test_call(READ_KEY, POST, "{}")), API_BODY_MAX);
    assert_int_equal(api_body_max(test_request(POST, "{}")), API_BODY_MAX);
    assert_int_equal(api_body_max(test_call(TEST_KEY, "GET /v1/test/inbox", "{}")), API_BODY_MAX);
}

/* ---- the way to disk ---- */

static struct store_engine engine;

static int fail_put(struct store *s, const struct media_record *m)
{
    return store_fail(s, -EIO, "no luck");
}

/* The message and its files are there together, or not at all. */
static void what_cannot_be_written_leaves_nothing(void **state)
{
    engine = *test_store->engine;
    engine.media_put = fail_put;
    const struct store_engine *whole = test_set_engine(&engine);
    inbound("\"text\":\"STOP\",\"media\":[" PICTURE "]");
    test_assert_problem(503, "service_unavailable", NULL);
    test_set_engine(whole);
    assert_int_equal(count_files(), 0);
    assert_total("0");
}

static void a_full_disk_leaves_nothing(void **state)
{
    store_media_reserve(test_store, INT64_MAX);
    inbound("\"media\":[" PICTURE "]");
    test_assert_problem(503, "service_unavailable", NULL);
    inbound("\"text\":\"x\"");
    assert_string_equal(test_member("type"), "sms");
    store_media_reserve(test_store, 0);
    assert_int_equal(count_files(), 0);
    assert_total("1");
}

static void an_end_is_told(void **state)
{
    api_stop(test_api);
    inbound("\"media\":[" PICTURE "]");
    test_assert_problem(503, "service_unavailable", NULL);
    assert_int_equal(count_files(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_picture_is_received),
        API_TEST(it_needs_no_text),
        API_TEST(a_content_is_kept_once),
        API_TEST(stop_under_a_picture_is_heard),
        API_TEST(a_form_will_do),
        API_TEST(a_repetition_is_received_once),
        API_TEST(wrong_media_are_refused),
        API_TEST(eleven_are_too_many),
        API_TEST(together_they_have_so_many_bytes),
        API_TEST(only_test_keys_have_the_room),
        API_TEST(what_cannot_be_written_leaves_nothing),
        API_TEST(a_full_disk_leaves_nothing),
        API_TEST(an_end_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
