#include "mm7/body.h"

#include "mm7/test_mm7.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct mm7_dialect usual;
static const struct mm7_recipient to[] = {
    {MM7_ROLE_TO, {MM7_FORM_NUMBER, {"+14155550100", 12}}, false}};
static struct mm7_body body;
static struct str bytes;

static int file_of(struct str content)
{
    char path[] = "/tmp/skylark-make-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0 && write(fd, content.p, content.n) == (ssize_t)content.n);
    unlink(path);
    return fd;
}

static int fds[2];

static int open_again(void *unused, size_t file)
{
    return dup(fds[file]);
}

static struct mm7_message message_of(const struct mm7_file *files, size_t count)
{
    return (struct mm7_message){
        .submit = {.transaction = STR("t"), .recipients = to, .recipient_count = 1},
        .files = files,
        .file_count = count,
        .opener = {open_again, NULL}};
}

/* The whole body, in the arena. */
static void make(const struct mm7_message *m)
{
    assert_int_equal(mm7_body_init(&body, &usual, m), 0);
    char *all = arena_bytes(&arena, (size_t)body.length + 1);
    assert_int_equal(mm7_body_read(&body, all, (size_t)body.length + 1), body.length);
    bytes = (struct str){all, (size_t)body.length};
    mm7_body_done(&body);
}

static struct mm7_heard heard;
static struct mm7_part parts[MIME_PARTS_MAX];
static size_t count;

static void hear(void)
{
    char why[MM7_WHY_SIZE];

    count = MIME_PARTS_MAX;
    if (mm7_read(&heard, &arena, str_of(body.content_type), bytes, parts, &count, why))
        fail_msg("%s", why);
}

static void part_is(size_t i, const char *type, const char *id, struct str content)
{
    IS(parts[i].type, type);
    IS(parts[i].id, id);
    assert_int_equal(parts[i].depth, 2);
    if (!str_eq(parts[i].bytes, content))
        fail_msg("part %zu: '%.*s'", i, STR_FMT(parts[i].bytes));
}

static void messages_come_back_as_they_were(void **state)
{
    struct str first = STR("\xff\xd8\0\r\n--\r\n\n"), second = STR("BEGIN:VCARD\r\n");
    struct mm7_file files[] = {{(int64_t)first.n, STR("image/jpeg")},
                               {(int64_t)second.n, STR("text/vcard")}};
    struct mm7_message m = message_of(files, 2);

    fds[0] = file_of(first);
    fds[1] = file_of(second);
    m.text = STR("Gr\xc3\xbc\xc3\x9f\x65\nzwei\r\n");
    for (int binary = 0; binary < 2; binary++) {
        m.binary = binary;
        make(&m);
        hear();
        assert_int_equal(heard.kind, MM7_SUBMIT_REQ);
        IS(heard.content, "mms");
        assert_int_equal(count, 4);
        IS(parts[0].type, "application/smil");
        IS(parts[0].id, "smil");
        assert_non_null(memmem(parts[0].bytes.p, parts[0].bytes.n, "cid:1.jpg", 9));
        assert_non_null(memmem(parts[0].bytes.p, parts[0].bytes.n, "cid:2.vcf", 9));
        assert_non_null(memmem(parts[0].bytes.p, parts[0].bytes.n, "cid:text.txt", 12));
        part_is(1, "text/plain", "text.txt", m.text);
        IS(parts[1].charset, "utf-8");
        part_is(2, "image/jpeg", "1.jpg", first);
        IS(parts[2].location, "1.jpg");
        IS(parts[2].name, "1.jpg");
        part_is(3, "text/vcard", "2.vcf", second);
        assert_int_equal(memmem(bytes.p, bytes.n, "/9gADQotLQ0KCg==", 16) != NULL, !binary);
    }
    close(fds[0]);
    close(fds[1]);
}

/* What the protocol wants of the outside. */
static void heads_are_those_of_the_protocol(void **state)
{
    struct mm7_message m = message_of(NULL, 0);

    m.text = STR("hi");
    make(&m);
    assert_true(str_starts(str_of(body.content_type),
                           STR("multipart/related; type=\"text/xml\"; start=\"<soap>\"; "
                               "boundary=\"m_")));
    struct str rest = bytes;
    assert_true(str_starts(str_cut(&rest, '\r'), STR("--m_")));
    assert_true(str_starts(rest, STR("\nContent-Type: text/xml; charset=utf-8\r\n"
                                     "Content-Transfer-Encoding: 8bit\r\n"
                                     "Content-ID: <soap>\r\n\r\n<?xml version=\"1.0\"")));
    static const char inner[] = "Content-Type: multipart/related; type=\"application/smil\"; "
                                "start=\"<smil>\"; boundary=\"c_";
    assert_non_null(memmem(bytes.p, bytes.n, inner, sizeof inner - 1));
    hear();
    assert_int_equal(count, 2);
}

static void boundaries_are_new_each_time(void **state)
{
    struct mm7_message m = message_of(NULL, 0);
    char first[sizeof body.content_type];

    make(&m);
    memcpy(first, body.content_type, sizeof first);
    make(&m);
    assert_string_not_equal(first, body.content_type);
    const char *boundary = strstr(first, "boundary=\"");
    assert_int_equal(strlen(boundary), strlen("boundary=\"\"") + 2 + 32);
}

static void texts_with_long_lines_are_binary(void **state)
{
    struct mm7_message m = message_of(NULL, 0);
    char text[1200];

    memset(text, 'x', sizeof text);
    text[998] = '\n';
    m.text = (struct str){text, sizeof text};
    make(&m);
    assert_null(memmem(bytes.p, bytes.n, "Encoding: binary", 16));
    text[998] = 'x';
    make(&m);
    assert_non_null(memmem(bytes.p, bytes.n, "Encoding: binary", 16));
    hear();
    part_is(1, "text/plain", "text.txt", m.text);
}

static void what_cannot_go_is_refused(void **state)
{
    static const char *const types[] = {
        "",           "image",     "/",       "image/", "/png", "a/b/c", "image/png\r\nX: y",
        "image/p ng", "image/p;x", "im\xc3/a"};
    struct mm7_file files[MM7_FILES_MAX + 1] = {0};
    struct mm7_message m = message_of(files, 1);

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        files[0] = (struct mm7_file){1, str_of(types[i])};
        assert_int_equal(mm7_body_init(&body, &usual, &m), -EINVAL);
    }
    for (size_t i = 0; i <= MM7_FILES_MAX; i++)
        files[i] = (struct mm7_file){1, STR("image/png")};
    m.file_count = MM7_FILES_MAX + 1;
    assert_int_equal(mm7_body_init(&body, &usual, &m), -EINVAL);
    m.file_count = MM7_FILES_MAX;
    assert_int_equal(mm7_body_init(&body, &usual, &m), 0);
    mm7_body_done(&body);
    files[0] = (struct mm7_file){-1, STR("image/png")};
    assert_int_equal(mm7_body_init(&body, &usual, &m), -EINVAL);
    m = message_of(NULL, 0);
    m.submit.recipient_count = 0;
    assert_int_equal(mm7_body_init(&body, &usual, &m), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(messages_come_back_as_they_were), CASE(heads_are_those_of_the_protocol),
        CASE(boundaries_are_new_each_time),    CASE(texts_with_long_lines_are_binary),
        CASE(what_cannot_go_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
