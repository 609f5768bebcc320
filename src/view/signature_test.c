/* What must come out was computed by another program:
 *
 *   python3 - <<'END'
 *   import base64, hashlib, hmac
 *   body, head = b'{"test": 2432232314}', b"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330."
 *   for s in "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD":
 *       print(hmac.new(s.encode(), body, hashlib.sha256).hexdigest())
 *       key = base64.b64decode(s[6:])
 *       print(base64.b64encode(hmac.new(key, head + body, hashlib.sha256).digest()).decode())
 *   END
 *
 * The first secret, id, time and body are the example of the Standard Webhooks specification. */
#include "view/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEW_SECRET   "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define OLD_SECRET   "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
#define NEW_STANDARD "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
#define OLD_STANDARD "v1,78nXHjpFP0tVJQW5D0SBwmVyyW87BV/rL6MgfM/Bw44="

static const struct signing example = {
    .secret = {NEW_SECRET, sizeof NEW_SECRET - 1},
    .id = {"msg_p5jXN8AQM9LWM0D4loKWxJek", 28},
    .timestamp_s = 1614265330,
    .body = {"{\"test\": 2432232314}", 20},
};

static void check(void (*make)(const struct signing *s, struct buf *out), const struct signing *s,
                  const char *want)
{
    BUF_CLEANUP struct buf out;

    buf_init(&out, 256);
    make(s, &out);
    buf_add_char(&out, '\0');
    assert_false(out.failed);
    assert_string_equal(out.p, want);
}

static void test_body(void **state)
{
    check(signature_of_body, &example,
          "sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c");
}

static void test_standard(void **state)
{
    check(signature_standard, &example, NEW_STANDARD);
}

/* A receiver that knows one secret only understands the old one until its time is over. */
static void test_rotation(void **state)
{
    struct signing s = example;

    s.old_secret = STR(OLD_SECRET);
    check(signature_of_body, &s,
          "sha256=fc40649f80ed2d64aa1f71768b00c87e0db70663005ac910f741c296eff3be32");
    check(signature_standard, &s, NEW_STANDARD " " OLD_STANDARD);
}

static void test_secret_without_form(void **state)
{
    struct signing s = example;

    s.secret = STR("no secret of ours");
    check(signature_standard, &s, "v1,fnsWNiy1TR2VO6CXHf5IxNVO1S9yXYpZOb33qb46Lgw=");
}

static void test_made_secrets(void **state)
{
    char one[SECRET_SIZE + 1], other[SECRET_SIZE + 1];

    secret_make(one);
    secret_make(other);
    assert_int_equal(strlen(one), SECRET_SIZE);
    assert_null(secret_fault(str_of(one)));
    assert_null(secret_fault(str_of(other)));
    assert_string_not_equal(one, other);
}

static struct str secret_of(char *room, size_t bytes)
{
    size_t digits = (bytes * 8 + 5) / 6, size = (bytes + 2) / 3 * 4;

    memcpy(room, SECRET_PREFIX, 6);
    memset(room + 6, 'A', digits);
    memset(room + 6 + digits, '=', size - digits);
    return (struct str){room, 6 + size};
}

static void test_brought_secrets(void **state)
{
    char room[6 + 4096];
    static const char *const bad[] = {"",
                                      "whsec_",
                                      "whsec_short",
                                      "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                                      "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                                      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS_",
                                      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw ",
                                      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAA"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(secret_fault(str_of(bad[i])));
    assert_null(secret_fault(STR(NEW_SECRET)));
    for (size_t n = 0; n <= 70; n++) {
        const char *fault = secret_fault(secret_of(room, n));

        if (n >= SECRET_BYTES_MIN && n <= SECRET_BYTES_MAX)
            assert_null(fault);
        else
            assert_non_null(fault);
    }
    assert_non_null(strstr(secret_fault(secret_of(room, 3000)), "too long"));
    assert_non_null(strstr(secret_fault(secret_of(room, 23)), "too short"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body),         cmocka_unit_test(test_standard),
        cmocka_unit_test(test_rotation),     cmocka_unit_test(test_secret_without_form),
        cmocka_unit_test(test_made_secrets), cmocka_unit_test(test_brought_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
