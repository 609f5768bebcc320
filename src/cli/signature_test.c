/* What is told of signatures: the form of their values, the mistakes that explain them, and the
 * whole explanation. Digests are made here by hand, with HMAC alone. */
#include "base/base64.h"
#include "cli/signature_check.h"
#include "cli/signature_guess.h"
#include "cli/signature_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define SECRET  "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
#define DECODED "0123456789abcdef01234567"
#define BODY    "{\"id\":\"evt_1\",\"cost\":0.0075,\"text\":\"grüße / \\\"x\\\"\"}"
#define NOW     1800000000

static char text[256];
static uint8_t digest[DIGEST_SHA256_SIZE];

static void sign(const char *key, const char *content)
{
    struct str part = str_of(content);

    digest_hmac_sha256(str_of(key), &part, 1, digest);
}

static const char *hex_signature(const char *key, const char *content)
{
    char hex[2 * DIGEST_SHA256_SIZE + 1];

    sign(key, content);
    digest_hex(digest, sizeof digest, hex);
    snprintf(text, sizeof text, "sha256=%s", hex);
    return text;
}

static const char *standard_signature(const char *key, const char *content)
{
    sign(key, content);
    memcpy(text, "v1,", 3);
    base64_encode(digest, sizeof digest, text + 3);
    text[3 + BASE64_SIZE(DIGEST_SHA256_SIZE)] = '\0';
    return text;
}

/* ---- values ---- */

static void check_value(const char *header, size_t count, const char *fault)
{
    struct signature_value v;

    signature_value_read(str_of(header), &v);
    assert_int_equal(v.count, count);
    if (count)
        assert_memory_equal(v.digests[0], digest, sizeof digest);
    assert_int_equal(!v.fault, !fault);
    if (v.fault && fault)
        assert_non_null(strstr(v.fault, fault));
}

static void test_values_of_bodies(void **state)
{
    char other[256];

    hex_signature(SECRET, BODY);
    check_value(text, 1, NULL);
    str_format(other, sizeof other, " %s ", text);
    check_value(other, 1, NULL);
    check_value(text + strlen("sha256="), 1, "lacks sha256=");
    for (char *c = other; *c; c++)
        *c = *c >= 'a' && *c <= 'f' ? (char)(*c - 'a' + 'A') : *c;
    check_value(other, 1, "capital");
    text[strlen(text) - 1] = '\0';
    check_value(text, 0, "not sha256=");
    check_value("", 0, "not sha256=");
    standard_signature(SECRET, BODY);
    check_value(text, 0, "the value of webhook-signature");
    check_value(text + 3, 1, "base64");
    str_format(other, sizeof other, "sha256=%s", text + 3);
    check_value(other, 1, "base64");
}

static void check_standard(const char *header, size_t count, const char *fault)
{
    struct signature_value v;

    signature_value_read_standard(str_of(header), &v);
    assert_int_equal(v.count, count);
    assert_int_equal(!v.fault, !fault);
    if (v.fault && fault)
        assert_non_null(strstr(v.fault, fault));
}

static void test_standard_values(void **state)
{
    char other[1024];

    standard_signature(DECODED, BODY);
    check_standard(text, 1, NULL);
    str_format(other, sizeof other, "%s v1a,zzz %s", text, text);
    check_standard(other, 2, NULL);
    check_standard(text + 3, 1, "lacks v1,");
    check_standard("v1,AAAA", 0, "no signature");
    check_standard("", 0, "no signature");
    check_standard(hex_signature(SECRET, BODY) + strlen("sha256="), 1, "hex");
    standard_signature(DECODED, BODY);
    memset(other, 0, sizeof other);
    for (int i = 0; i < SIGNATURES_MAX + 4; i++)
        snprintf(other + strlen(other), sizeof other - strlen(other), "%s ", text);
    check_standard(other, SIGNATURES_MAX, NULL);
}

/* ---- mistakes ---- */

static struct slip slips[SLIPS_MAX];

static size_t guess(const char *secret, const char *body, bool standard)
{
    return signature_guess(&(struct signature_guess){.secret = str_of(secret),
                                                     .body = str_of(body),
                                                     .id = STR("evt_1"),
                                                     .timestamp = STR("1800000000"),
                                                     .standard = standard,
                                                     .digests = &digest,
                                                     .count = 1},
                           slips);
}

#define check_guess(part, ...)                                                                     \
    do {                                                                                           \
        assert_int_equal(guess(__VA_ARGS__), 1);                                                   \
        assert_non_null(strstr(slips[0].what, part));                                              \
        assert_non_null(slips[0].remedy);                                                          \
    } while (0)

static void test_mistakes_with_secrets(void **state)
{
    sign(SECRET, BODY);
    check_guess("white space around", " " SECRET "\t", BODY, false);
    check_guess("quotes", "\"" SECRET "\"", BODY, false);
    check_guess("quotes", "'" SECRET "' ", BODY, false);
    check_guess("lacks whsec_", &SECRET[strlen("whsec_")], BODY, false);
    sign(SECRET "\n", BODY);
    check_guess("line end behind", SECRET, BODY, false);
    sign(DECODED, BODY);
    check_guess("decoded", SECRET, BODY, false);
    sign(&SECRET[strlen("whsec_")], BODY);
    check_guess("without whsec_", SECRET, BODY, false);
}

static void test_mistakes_with_bodies(void **state)
{
    sign(SECRET, BODY);
    check_guess("line end or other", SECRET, BODY "\n", false);
    check_guess("line end or other", SECRET, BODY "\r\n", false);
    check_guess("byte order mark", SECRET, "\xef\xbb\xbf" BODY, false);
    sign(SECRET, BODY "\n");
    check_guess("lost the line end", SECRET, BODY, false);
    sign(SECRET, "a\nb");
    check_guess("became CR LF", SECRET, "a\r\nb", false);
    sign(SECRET, "a\r\nb");
    check_guess("became LF", SECRET, "a\nb", false);
}

static void test_json_written_again(void **state)
{
    sign(SECRET, BODY);
    check_guess("written again", SECRET,
                "{\n  \"id\": \"evt_1\",\n  \"cost\": 0.0075,\n  \"text\": "
                "\"gr\\u00fc\\u00dfe \\/ \\\"x\\\"\"\n}",
                false);
    assert_int_equal(guess(SECRET, "{\"id\":\"evt_2\"}", false), 0);
}

static void test_mistakes_with_standard_signatures(void **state)
{
    sign(DECODED, "evt_1.1800000000." BODY);
    check_guess("line end or other", SECRET, BODY "\n", true);
    check_guess("lacks whsec_", &SECRET[strlen("whsec_")], BODY, true);
    sign(SECRET, "evt_1.1800000000." BODY);
    check_guess("secret as text.", SECRET, BODY, true);
    sign(&SECRET[strlen("whsec_")], "evt_1.1800000000." BODY);
    check_guess("secret as text, without", SECRET, BODY, true);
    sign(DECODED, BODY);
    check_guess("over the body alone", SECRET, BODY, true);
    sign(SECRET, "evt_1.1800000000." BODY);
    check_guess("webhook-timestamp and the body", SECRET, BODY, false);
}

static void test_several_mistakes_at_once(void **state)
{
    sign(DECODED, BODY);
    assert_int_equal(guess("\"" SECRET "\"", BODY "\n", false), 3);
    assert_non_null(strstr(slips[0].what, "quotes"));
    assert_non_null(strstr(slips[1].what, "decoded"));
    assert_non_null(strstr(slips[2].what, "line end"));
    sign("whsec_another", BODY);
    assert_int_equal(guess(SECRET, BODY, false), 0);
}

/* ---- the whole ---- */

static char told[4096];

static bool explain(struct signature_check c)
{
    struct buf out BUF_CLEANUP;

    buf_init(&out, sizeof told - 1);
    c.now_s = NOW;
    bool good = signature_check(&c, &out);
    snprintf(told, sizeof told, "%.*s", STR_FMT(buf_str(&out)));
    return good;
}

#define check_told(part) assert_non_null(strstr(told, part))

static void test_good_request(void **state)
{
    char standard[256];

    snprintf(standard, sizeof standard, "%s",
             standard_signature(DECODED, "evt_1.1799999990." BODY));
    assert_true(explain((struct signature_check){.secret = STR(SECRET "\n"),
                                                 .body = STR(BODY),
                                                 .signature = str_of(hex_signature(SECRET, BODY)),
                                                 .webhook_id = STR("evt_1"),
                                                 .webhook_time = STR("1799999990"),
                                                 .standard = str_of(standard)}));
    check_told("Secret   38 characters, whsec_ and base64\n");
    check_told("The line end behind it is left out");
    check_told("bytes of JSON\n");
    check_told("10 s ago");
    check_told("They are the same.");
    check_told("\nGood: ");
}

static void test_bad_request(void **state)
{
    assert_false(explain((struct signature_check){.secret = STR(SECRET),
                                                  .body = STR(BODY "\n"),
                                                  .signature = str_of(hex_signature(SECRET, BODY)),
                                                  .content_length = STR("51")}));
    check_told("(Content-Length says 51.)");
    check_told("They differ.");
    check_told("\nNot good: X-Service-Signature.\n  The body has a line end");
    check_told("Remedy: ");
    assert_false(explain((struct signature_check){
        .secret = STR("secret"), .body = STR(""), .signature = STR("\033[2J")}));
    check_told("must begin with whsec_");
    check_told("Body     empty");
    check_told("given    ?[2J");
    check_told("It is not sha256= and 64");
    assert_false(explain((struct signature_check){
        .secret = STR(SECRET), .body = STR("x"), .signature = str_of(hex_signature("a", "b"))}));
    check_told("that are no JSON");
    check_told("None of the usual mistakes");
    assert_false(explain((struct signature_check){
        .secret = STR(SECRET), .body = STR(""), .signature = str_of(hex_signature(SECRET, BODY))}));
    check_told("  The body is empty");
}

/* The signature fits, but not its form: the form is what is told. */
static void test_form_alone(void **state)
{
    hex_signature(SECRET, BODY);
    assert_false(explain((struct signature_check){
        .secret = STR(SECRET), .body = STR(BODY), .signature = str_of(text + strlen("sha256="))}));
    check_told("It lacks sha256=");
    assert_null(strstr(told, "None of the usual"));
}

static bool explain_standard(const char *content, const char *id, const char *time,
                             const char *more)
{
    char both[256];

    str_format(both, sizeof both, "%s%s", standard_signature(DECODED, content), more);
    return explain((struct signature_check){.secret = STR(SECRET),
                                            .body = STR(BODY),
                                            .webhook_id = str_of(id),
                                            .webhook_time = str_of(time),
                                            .standard = str_of(both)});
}

static void test_times(void **state)
{
    assert_true(explain_standard("evt_1.1799999700." BODY, "evt_1", "1799999700", ""));
    assert_false(explain_standard("evt_1.1799999699." BODY, "evt_1", "1799999699", ""));
    check_told("more than five minutes old");
    check_told("They are the same.");
    assert_true(explain_standard("evt_1.1800000300." BODY, "evt_1", "1800000300", ""));
    assert_false(explain_standard("evt_1.1800000301." BODY, "evt_1", "1800000301", ""));
    check_told("in the future");
    assert_false(explain_standard("evt_1.1800000000000." BODY, "evt_1", "1800000000000", ""));
    check_told("in milliseconds");
    assert_false(explain_standard("evt_1." BODY, "evt_1", NULL, ""));
    check_told("webhook-timestamp is missing");
    assert_false(explain_standard("1800000000." BODY, NULL, "1800000000", ""));
    check_told("webhook-id or");
    assert_false(
        explain_standard("evt_1.9223372036854775807." BODY, "evt_1", "9223372036854775807", ""));
}

static void test_rotation(void **state)
{
    char both[256], old[256];

    snprintf(old, sizeof old, "%s", standard_signature("another", "evt_1.1800000000." BODY));
    str_format(both, sizeof both, "%s %s", standard_signature(DECODED, "evt_1.1800000000." BODY),
               old);
    assert_false(
        explain((struct signature_check){.secret = STR(SECRET),
                                         .body = STR(BODY),
                                         .signature = str_of(hex_signature("whsec_old", BODY)),
                                         .webhook_id = STR("evt_1"),
                                         .webhook_time = STR("1800000000"),
                                         .standard = str_of(both)}));
    check_told("One of the 2 given is the expected one.");
    check_told("being rotated, and this is the new one");
}

/* What spoils both signatures is told once. */
static void test_one_mistake_for_both(void **state)
{
    char standard[256];

    snprintf(standard, sizeof standard, "%s",
             standard_signature(DECODED, "evt_1.1800000000." BODY));
    assert_false(explain((struct signature_check){.secret = STR(SECRET),
                                                  .body = STR(BODY "\n"),
                                                  .signature = str_of(hex_signature(SECRET, BODY)),
                                                  .webhook_id = STR("evt_1"),
                                                  .webhook_time = STR("1800000000"),
                                                  .standard = str_of(standard)}));
    check_told("Not good: X-Service-Signature and webhook-signature.\n");
    const char *first = strstr(told, "Remedy:");
    assert_non_null(first);
    assert_null(strstr(first + 1, "Remedy:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_bodies),
        cmocka_unit_test(test_standard_values),
        cmocka_unit_test(test_mistakes_with_secrets),
        cmocka_unit_test(test_mistakes_with_bodies),
        cmocka_unit_test(test_json_written_again),
        cmocka_unit_test(test_mistakes_with_standard_signatures),
        cmocka_unit_test(test_several_mistakes_at_once),
        cmocka_unit_test(test_good_request),
        cmocka_unit_test(test_bad_request),
        cmocka_unit_test(test_form_alone),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_one_mistake_for_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
