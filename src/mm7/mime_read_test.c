#include "base/buf.h"
#include "mm7/mime.h"

#include "mm7/test_mm7.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct mm7_part parts[MIME_PARTS_MAX];
static size_t count;
static const char *why;

static int read_as(const char *type_text, struct str body, size_t room)
{
    struct mime_type type;

    assert_int_equal(mime_type_read(&type, &arena, str_of(type_text)), 0);
    /* Exactly as many bytes as there are; they live as long as the views. */
    char *copy = arena_bytes(&arena, body.n);
    memcpy(copy, body.p, body.n);
    count = room;
    why = NULL;
    return mime_read(&type, &arena, (struct str){copy, body.n}, parts, &count, &why);
}

static void good(const char *type, const char *body, size_t want)
{
    if (read_as(type, str_of(body), MIME_PARTS_MAX))
        fail_msg("%s", why);
    assert_int_equal(count, want);
}

static void refused(const char *type, struct str body, int code, const char *reason)
{
    assert_int_equal(read_as(type, body, MIME_PARTS_MAX), code);
    if (!why || !strstr(why, reason))
        fail_msg("'%s' is not '%s'", why ? why : "", reason);
}

static void parts_are_read(void **state)
{
    good("multipart/mixed; boundary=B",
         "preamble\r\n--B not yet\r\n--B\r\n"
         "Content-Type: text/plain; charset=UTF-8; name=a.txt\r\nContent-ID: <1>\r\n"
         "Content-Location: a.txt\r\n\r\none\r\n\r\n"
         "--B\r\nContent-Disposition: attachment; filename=\"b c.bin\"\r\nContent-ID: 2\r\n"
         "Content-Transfer-Encoding: BASE64\r\n\r\ndHdv\r\n"
         "--B\r\n\r\nthree--B\r\n--BB\r\n"
         "--B\r\ncontent-transfer-encoding: quoted-printable\r\nContent-type:Image/GIF\r\n\r\n=34"
         "\r\n--B--\r\nepilogue\r\n--B\r\n\r\nno part\r\n",
         4);
    IS(parts[0].type, "text/plain");
    IS(parts[0].charset, "utf-8");
    IS(parts[0].name, "a.txt");
    IS(parts[0].id, "1");
    IS(parts[0].location, "a.txt");
    IS(parts[0].bytes, "one\r\n");
    assert_int_equal(parts[0].depth, 1);
    IS(parts[1].type, "text/plain");
    IS(parts[1].charset, "");
    IS(parts[1].name, "b c.bin");
    IS(parts[1].id, "2");
    IS(parts[1].bytes, "two");
    IS(parts[2].bytes, "three--B\r\n--BB");
    IS(parts[3].type, "image/gif");
    IS(parts[3].bytes, "4");
}

static void line_ends_and_blanks_do_not_matter(void **state)
{
    good("multipart/related; boundary=\"B \"", "--B\r\n\r\none\r\n--B \r\n\r\ntwo\r\n--B --", 2);
    good("multipart/related; boundary=\"B\"", "\n--B \t\nA: 1\n\none\n--B  \r\n\ntwo\n--B-- ", 2);
    IS(parts[0].bytes, "one");
    IS(parts[1].bytes, "two");
    good("multipart/related; boundary=B", "--B\r\n\r\n\r\n--B--", 1);
    IS(parts[0].bytes, "");
    good("multipart/related; boundary=B", "--B\r\n--B--", 1);
    IS(parts[0].bytes, "");
}

static void the_last_boundary_may_be_missing(void **state)
{
    good("multipart/mixed; boundary=B", "--B\r\n\r\none\r\n--B\r\n\r\ntwo\r\n", 2);
    IS(parts[1].bytes, "two\r\n");
    good("multipart/mixed; boundary=B", "--B\r\n\r\none\r\n--B\r\n", 1);
    good("multipart/mixed; boundary=B", "--B--", 0);
}

static void bytes_stay_as_they_are(void **state)
{
    struct str body =
        STR("--B\r\nContent-Transfer-Encoding: binary\r\n\r\n\0\xff\r\n--b\r\n\n\r\n--B--");

    assert_int_equal(read_as("multipart/mixed; boundary=B", body, MIME_PARTS_MAX), 0);
    assert_int_equal(count, 1);
    assert_true(str_eq(parts[0].bytes, STR("\0\xff\r\n--b\r\n\n")));
}

static void boundaries_of_dashes_are_found(void **state)
{
    good("multipart/mixed; boundary=\"-----\"",
         "-------\r\n\r\none\r\n------\r\n--------\r\n-------\r\n\r\ntwo\r\n---------\r\n", 2);
    IS(parts[0].bytes, "one\r\n------\r\n--------");
    IS(parts[1].bytes, "two");
}

static void nested_parts_are_flat(void **state)
{
    good("multipart/related; boundary=B",
         "--B\r\n\r\n0\r\n--B\r\nContent-Type: multipart/mixed; boundary=BB\r\n\r\n"
         "--BB\r\n\r\n1\r\n--BB\r\nContent-Type: multipart/alternative;\r\n boundary=\"C\"\r\n\r\n"
         "--C\r\n\r\n2\r\n--C--\r\n--BB--\r\n"
         "--B\r\nContent-Type: multipart/mixed; boundary=D\r\n\r\n--D\r\n\r\n3\r\n"
         "--B\r\n\r\n4\r\n--B--",
         5);
    static const unsigned depths[] = {1, 2, 3, 2, 1};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(parts[i].depth, depths[i]);
        assert_int_equal(parts[i].bytes.n, 1);
        assert_int_equal(parts[i].bytes.p[0], '0' + (int)i);
    }
}

static void nest(struct buf *out, unsigned depth)
{
    for (unsigned i = 2; i <= depth; i++)
        buf_printf(out, "--B%u\r\nContent-Type: multipart/mixed; boundary=B%u\r\n\r\n", i - 1, i);
    buf_printf(out, "--B%u\r\n\r\nx\r\n", depth);
}

static void depth_is_limited(void **state)
{
    static const unsigned depths[] = {MIME_DEPTH_MAX, MIME_DEPTH_MAX + 1, 2000};

    for (size_t i = 0; i < 3; i++) {
        BUF_CLEANUP struct buf out;
        buf_init(&out, 1 << 20);
        nest(&out, depths[i]);
        if (i == 0)
            assert_int_equal(read_as("multipart/mixed; boundary=B1", buf_str(&out), 32), 0);
        else
            refused("multipart/mixed; boundary=B1", buf_str(&out), -E2BIG, "4 deep");
    }
}

static void number_is_limited(void **state)
{
    for (int n = MIME_PARTS_MAX; n <= MIME_PARTS_MAX + 1; n++) {
        BUF_CLEANUP struct buf out;
        buf_init(&out, 1 << 20);
        for (int i = 0; i < n; i++)
            buf_text(&out, "--B\r\n\r\nx\r\n");
        if (n == MIME_PARTS_MAX)
            assert_int_equal(read_as("multipart/mixed; boundary=B", buf_str(&out), n), 0);
        else
            refused("multipart/mixed; boundary=B", buf_str(&out), -E2BIG, "128 parts");
    }
    assert_int_equal(read_as("multipart/mixed; boundary=B", STR("--B\n\n1\n--B\n\n2\n--B--"), 1),
                     -E2BIG);
}

static void heads_are_limited(void **state)
{
    BUF_CLEANUP struct buf out;

    buf_init(&out, 1 << 20);
    buf_text(&out, "--B\r\nX: ");
    for (int i = 0; i < MIME_HEAD_MAX; i++)
        buf_add_char(&out, 'x');
    buf_text(&out, "\r\n\r\nx");
    refused("multipart/mixed; boundary=B", buf_str(&out), -E2BIG, "8 KiB");
    buf_clear(&out);
    buf_text(&out, "--B\r\n");
    for (int i = 0; i <= MIME_FIELDS_MAX; i++)
        buf_text(&out, "X: x\r\n");
    buf_text(&out, "\r\nx");
    refused("multipart/mixed; boundary=B", buf_str(&out), -E2BIG, "64 lines");
}

static void no_boundary_no_parts(void **state)
{
    refused("multipart/mixed", STR("--B\r\n\r\nx"), -EBADMSG, "no boundary");
    refused("multipart/mixed; boundary=\"\"", STR("--\r\n\r\nx"), -EBADMSG, "no boundary");
    refused("multipart/mixed; boundary=B", STR("nothing"), -EBADMSG, "not in the body");
    refused("multipart/mixed; boundary=B", STR(""), -EBADMSG, "not in the body");
    refused("multipart/mixed; boundary=B", STR("x--B\r\n"), -EBADMSG, "not in the body");
    refused("multipart/mixed; boundary=B",
            STR("--B\r\nContent-Type: multipart/mixed\r\n\r\nx\r\n--B--"), -EBADMSG, "no boundary");
}

static void full_arenas_are_told(void **state)
{
    BUF_CLEANUP struct buf out;
    struct arena small;
    struct mime_type type;

    buf_init(&out, 1 << 20);
    buf_text(&out, "--B\r\nContent-Transfer-Encoding: base64\r\n\r\n");
    for (int i = 0; i < 10000; i++)
        buf_text(&out, "QUFB");
    arena_init(&small, 16 << 10);
    assert_int_equal(mime_type_read(&type, &small, STR("multipart/mixed; boundary=B")), 0);
    count = MIME_PARTS_MAX;
    assert_int_equal(mime_read(&type, &small, buf_str(&out), parts, &count, &why), -ENOMEM);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(parts_are_read),
        CASE(line_ends_and_blanks_do_not_matter),
        CASE(the_last_boundary_may_be_missing),
        CASE(bytes_stay_as_they_are),
        CASE(boundaries_of_dashes_are_found),
        CASE(nested_parts_are_flat),
        CASE(depth_is_limited),
        CASE(number_is_limited),
        CASE(heads_are_limited),
        CASE(no_boundary_no_parts),
        CASE(full_arenas_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
