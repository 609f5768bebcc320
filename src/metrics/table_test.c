/* The table in docs/METRICS.md is that of metrics.def. With SKYLARK_WRITE_DOCS=1 in the environment
 * it is written anew instead. */
#include "base/buf.h"
#include "base/file.h"
#include "base/metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define BEGIN "<!-- made from src/base/metrics.def -->\n"
#define END   "<!-- end -->\n"

static const char *const types[] = {"counter", "gauge", "histogram"};

static void add_label(struct buf *b, const char *name)
{
    if (name[0])
        buf_printf(b, "%s`%s`", b->p[b->n - 1] == '`' ? ", " : "", name);
}

static void add_row(struct buf *b, const struct metric_row *row)
{
    struct str names = str_of(row->sample_labels);

    buf_printf(b, "| `%s` | %s | ", row->name, types[row->type]);
    if (!row->sampled)
        for (size_t i = 0; i < 2; i++)
            add_label(b, row->labels[i].name);
    while (names.n) {
        struct str name = str_cut(&names, ' ');
        buf_printf(b, "%s`%.*s`", b->p[b->n - 1] == '`' ? ", " : "", STR_FMT(name));
    }
    buf_printf(b, " | %s |\n", row->help);
}

static void make_table(struct buf *b)
{
    buf_text(b, "| metric | type | labels | what it is |\n|---|---|---|---|\n");
    for (size_t i = 0; i < METRIC_COUNT; i++)
        add_row(b, &metric_rows[i]);
}

static void write_anew(const char *path, const char *text, const char *begin, const char *end,
                       const struct buf *table)
{
    struct buf whole BUF_CLEANUP;

    buf_init(&whole, 1 << 20);
    buf_add(&whole, (struct str){text, (size_t)(begin - text)});
    buf_add(&whole, buf_str(table));
    buf_text(&whole, end);
    assert_int_equal(file_replace(path, buf_str(&whole), 0644), 0);
}

static void test_table_is_true(void **state)
{
    struct buf table BUF_CLEANUP, text BUF_CLEANUP;
    char path[4096];

    buf_init(&table, 1 << 20);
    buf_init(&text, 1 << 20);
    make_table(&table);
    snprintf(path, sizeof path, "%s/docs/METRICS.md", getenv("SKYLARK_SOURCE"));
    assert_int_equal(file_read(path, &text), 0);
    buf_add_char(&text, '\0');
    char *begin = strstr(text.p, BEGIN), *end = strstr(text.p, END);
    assert_true(begin && end);
    begin += sizeof BEGIN - 1;
    if (getenv("SKYLARK_WRITE_DOCS"))
        write_anew(path, text.p, begin, end, &table);
    else
        assert_true(str_eq((struct str){begin, (size_t)(end - begin)}, buf_str(&table)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_is_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
