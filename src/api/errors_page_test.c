#include "api/errors_page.h"
#include "messaging/problem.h"
#include "net/http_server.h"
#include "store/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static bool page_has(const struct buf *page, const char *text)
{
    return memmem(page->p, page->n, text, strlen(text)) != NULL;
}

static void page_make(struct buf *page)
{
    buf_init(page, 256 * 1024);
    errors_page_write(page);
    assert_false(page->failed);
}

static void every_code_has_its_anchor_and_example(void **state)
{
    BUF_CLEANUP struct buf page;
    page_make(&page);

    for (int code = PROBLEM_NONE + 1; code < PROBLEM_COUNT; code++) {
        const struct problem_entry *e = problem_entry((enum problem_code)code);
        char text[128];
        snprintf(text, sizeof text, "<section id=\"%s\">", e->code);
        assert_true(page_has(&page, text));
        snprintf(text, sizeof text, "\"code\": \"%s\",\n  \"statusCode\": %u", e->code, e->status);
        assert_true(page_has(&page, text));
        assert_true(strlen(http_reason(e->status)) > 0);
    }
}

static void every_failure_of_a_message_is_told(void **state)
{
    BUF_CLEANUP struct buf page;
    page_make(&page);

#define X(name, number, code, text)                                                                \
    assert_true(page_has(&page, "<dt><code>" code "</code></dt>\n<dd>" text "</dd>"));
    FAILURES(X)
#undef X
    assert_true(page_has(&page, "href=\"#errorCode\""));
}

static void texts_are_escaped(void **state)
{
    BUF_CLEANUP struct buf page;
    page_make(&page);

    assert_true(page_has(&page, "Bearer &lt;API_KEY&gt;"));
    assert_false(page_has(&page, "<API_KEY>"));
    assert_false(page_has(&page, "`"));
    assert_true(page_has(&page, "<code>text</code> is empty"));
}

static void page_is_static(void **state)
{
    BUF_CLEANUP struct buf page;
    page_make(&page);

    assert_false(page_has(&page, "<script"));
    assert_false(page_has(&page, "src="));
    assert_true(page_has(&page, "</html>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_anchor_and_example),
        cmocka_unit_test(every_failure_of_a_message_is_told),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(page_is_static),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
