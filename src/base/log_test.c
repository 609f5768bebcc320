/* What the log writes, caught in a file that stands in for stderr. */
#include "base/log.h"

#include "base/utf8.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static FILE *caught;
static int real_stderr;

static int catch_stderr(void **state)
{
    caught = tmpfile();
    real_stderr = dup(STDERR_FILENO);
    return caught && dup2(fileno(caught), STDERR_FILENO) >= 0 ? 0 : -1;
}

static int give_stderr_back(void **state)
{
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    return fclose(caught);
}

/* The lines since the last call. */
static struct str take_lines(void)
{
    static char lines[1 << 20];

    off_t size = lseek(fileno(caught), 0, SEEK_END);
    assert_in_range(size, 0, sizeof lines);
    assert_int_equal(pread(fileno(caught), lines, (size_t)size, 0), size);
    assert_int_equal(ftruncate(fileno(caught), 0), 0);
    lseek(fileno(caught), 0, SEEK_SET);
    return (struct str){lines, (size_t)size};
}

static unsigned hex_of(struct str four)
{
    char text[5] = "", *end;

    assert_int_equal(four.n, 4);
    memcpy(text, four.p, 4);
    unsigned value = (unsigned)strtoul(text, &end, 16);
    assert_ptr_equal(end, text + 4);
    return value;
}

/* What a JSON string stands for, up to its closing quote; strict. */
static const char *parse_string(struct str *rest)
{
    static char out[8192];
    size_t n = 0;

    assert_true(utf8_valid(*rest));
    for (; rest->n && rest->p[0] != '"'; n++) {
        assert_true((unsigned char)rest->p[0] >= 0x20);
        out[n] = rest->p[0];
        if (out[n] == '\\') {
            *rest = str_skip(*rest, 1);
            out[n] = rest->p[0];
            assert_true(rest->n && strchr("\"\\u", out[n]));
            if (out[n] == 'u') {
                out[n] = (char)hex_of((struct str){rest->p + 1, 4});
                *rest = str_skip(*rest, 4);
            }
        }
        *rest = str_skip(*rest, 1);
    }
    out[n] = '\0';
    return out;
}

static void pass_over(struct str *rest, const char *text)
{
    assert_true(str_starts(*rest, str_of(text)));
    *rest = str_skip(*rest, strlen(text));
}

/* One line of JSON with these four members; its message is returned. */
static const char *parse_line(struct str line, const char *level)
{
    pass_over(&line, "{\"time\":\"");
    assert_int_equal(strlen(parse_string(&line)), 24);
    pass_over(&line, "\",\"level\":\"");
    assert_string_equal(parse_string(&line), level);
    pass_over(&line, "\",\"event\":\"test\",\"message\":\"");
    const char *message = parse_string(&line);
    pass_over(&line, "\"}\n");
    assert_int_equal(line.n, 0);
    return message;
}

static void check_message(const char *text, const char *expected)
{
    log_warning("test", "%s", text);
    assert_string_equal(parse_line(take_lines(), "warning"), expected);
}

static void test_json(void **state)
{
    char text[256];

    log_init(LOG_INFO, true);
    check_message("plain", "plain");
    check_message("", "");
    check_message("\"quoted\" and \\back\\", "\"quoted\" and \\back\\");
    check_message("line\nbreak\r\n\ttab", "line\nbreak\r\n\ttab");
    check_message("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
                  "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    for (int i = 1; i < 128; i++)
        text[i - 1] = (char)i;
    text[127] = '\0';
    check_message(text, text);
}

/* Bytes that are no UTF-8 would make the line no JSON. */
static void test_json_of_odd_bytes(void **state)
{
    log_init(LOG_INFO, true);
    check_message("a\xff"
                  "b",
                  "a\xef\xbf\xbd"
                  "b");
    check_message("\xc3", "\xef\xbf\xbd");
    check_message("\xed\xa0\x80.", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd.");
}

static void check_long(const char *piece, size_t times)
{
    static char text[1 << 16];

    text[0] = '\0';
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * strlen(piece), piece, strlen(piece) + 1);
    log_error("test", "%s", text);
    assert_true(strlen(parse_line(take_lines(), "error")) > 900);
}

static void test_json_of_long_texts(void **state)
{
    log_init(LOG_INFO, true);
    check_long("x", 20000);
    check_long("\x01", 20000);
    check_long("\"", 20000);
    check_long("\xff", 20000);
    check_long("\xe2\x82\xac", 5000); /* cut off inside a character, whatever the size */
    check_long("\xf0\x9f\x98\x80", 5000);
    check_long("a\xc3\xa4", 5000);
}

static void test_level(void **state)
{
    log_init(LOG_WARNING, true);
    assert_false(log_wants(LOG_INFO));
    assert_true(log_wants(LOG_WARNING));
    log_debug("test", "no");
    log_info("test", "no");
    assert_int_equal(take_lines().n, 0);
    log_warning("test", "yes");
    parse_line(take_lines(), "warning");
    log_init(LOG_DEBUG, true);
    log_debug("test", "yes");
    parse_line(take_lines(), "debug");
}

/* Whatever is logged, an event is one line, and a terminal is told no commands. */
static void test_text(void **state)
{
    log_init(LOG_INFO, false);
    log_info("start", "listening on %s", "127.0.0.1:8443");
    struct str line = take_lines();
    assert_int_equal(line.n, strlen("00:00:00 info    start: listening on 127.0.0.1:8443\n"));
    assert_memory_equal(line.p + 8, " info    start: listening on 127.0.0.1:8443\n", line.n - 8);
    log_info("start", "%s", "a\n00:00:00 error   forged: \x1b[2J\x7f");
    line = take_lines();
    for (size_t i = 0; i + 1 < line.n; i++)
        assert_true(line.p[i] >= ' ' && line.p[i] != 0x7f);
    assert_int_equal(line.p[line.n - 1], '\n');
}

static void *log_much(void *argument)
{
    for (int i = 0; i < 200; i++)
        log_info("test", "%d %s", i, (const char *)argument);
    return NULL;
}

static void test_lines_do_not_mix(void **state)
{
    static char texts[4][200];
    pthread_t threads[4];
    unsigned lines = 0;

    log_init(LOG_INFO, true);
    for (size_t i = 0; i < 4; i++) {
        memset(texts[i], 'a' + (int)i, sizeof texts[i] - 1);
        assert_int_equal(pthread_create(&threads[i], NULL, log_much, texts[i]), 0);
    }
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (struct str all = take_lines(); all.n; lines++) {
        struct str line = {all.p, str_cut(&all, '\n').n + 1};
        parse_line(line, "info");
    }
    assert_int_equal(lines, 800);
}

/* ---- fields and requests ---- */

static void assert_ends(struct str line, const char *end)
{
    size_t n = strlen(end);

    assert_true(line.n >= n);
    assert_memory_equal(line.p + line.n - n, end, n);
}

static void test_fields(void **state)
{
    struct log_field fields[] = {{.name = "status", .number = 503},
                                 {.name = "path", .text = STR("/a\"b\n")},
                                 {.name = "none", .text = STR("")}};

    log_init(LOG_INFO, true);
    log_event_with(LOG_INFO, "http", fields, 3, "%s", "an answer");
    assert_ends(take_lines(), "\"event\":\"http\",\"message\":\"an answer\",\"status\":503,"
                              "\"path\":\"/a\\\"b\\u000a\",\"none\":\"\"}\n");
    log_init(LOG_INFO, false);
    log_event_with(LOG_INFO, "http", fields, 3, "%s", "an answer");
    assert_ends(take_lines(), " http: an answer status=503 path=/a\"b  none=\n");
    log_init(LOG_WARNING, false);
    log_event_with(LOG_INFO, "http", fields, 3, "%s", "an answer");
    assert_int_equal(take_lines().n, 0);
}

static void *log_beside(void *unused)
{
    log_info("test", "beside");
    return NULL;
}

/* Until its end, on this thread alone, and whatever becomes of the id that was given. */
static void test_request(void **state)
{
    char id[] = "req_0123456789abcdef";
    pthread_t thread;

    log_init(LOG_INFO, true);
    log_begin_request(id);
    memset(id, 'x', sizeof id - 1);
    log_info("test", "inside");
    assert_ends(take_lines(), "\"message\":\"inside\",\"request\":\"req_0123456789abcdef\"}\n");
    assert_int_equal(pthread_create(&thread, NULL, log_beside, NULL), 0);
    pthread_join(thread, NULL);
    assert_ends(take_lines(), "\"message\":\"beside\"}\n");
    log_init(LOG_INFO, false);
    log_info("test", "inside");
    assert_ends(take_lines(), " test: inside req_0123456789abcdef\n");
    log_begin_request("an id that is far too long for any request");
    log_info("test", "inside");
    assert_ends(take_lines(), " inside an id that is far too l\n");
    log_end_request();
    log_info("test", "outside");
    assert_ends(take_lines(), " test: outside\n");
}

static void test_number(void **state)
{
    static const struct {
        const char *number, *shown;
    } cases[] = {{"+15551234567", "+1555***4567"},
                 {"15551234567", "1555***4567"},
                 {"+491701234567890", "+4917***7890"},
                 {"+290123456", "+2901***3456"},
                 {"+29012345", "***45"},
                 {"12345", "***45"},
                 {"1", "***1"},
                 {"+", "+"},
                 {"", ""},
                 {"ACME", "ACME"},
                 {"+1 (555) 123-4567", "+1555***4567"},
                 {"tel:15551234567", "1555***4567"},
                 {"Route 66", "Route 66"},
                 {"A1234567", "***67"},
                 {"A sender that is long", "A sender that i"}};
    char out[LOG_NUMBER_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(log_number(str_of(cases[i].number), out), cases[i].shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_of_odd_bytes),
        cmocka_unit_test(test_json_of_long_texts),
        cmocka_unit_test(test_level),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_lines_do_not_mix),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_number),
    };
    return cmocka_run_group_tests(tests, catch_stderr, give_stderr_back);
}
