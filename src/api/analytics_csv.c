/* A report's pieces as comma-separated values, RFC 4180: a line of names, then one for each piece.
 * No value needs quotes. */
#include "api/analytics.h"

#include "base/amount.h"

static void put_header(struct buf *out, const struct measure_list *list)
{
    buf_add(out, STR("date"));
    for (size_t i = 0; i < list->count; i++) {
        buf_add_char(out, ',');
        buf_text(out, measure_word(list->items[i]));
    }
    buf_add(out, STR("\r\n"));
}

static void put_figure(struct buf *out, struct figure f)
{
    char text[AMOUNT_SIZE];

    switch (f.kind) {
    case FIGURE_NONE:
        break;
    case FIGURE_COUNT:
        buf_add_i64(out, f.value);
        break;
    case FIGURE_DECIMAL:
    case FIGURE_MONEY:
        buf_text(out, amount_text(f.value, text));
        break;
    }
}

void analysis_put_csv(struct buf *out, const struct analysis *a)
{
    const struct measure_list *list = &a->report->data;
    int64_t start_us = a->sums.first_us;
    char date[RFC3339_SIZE];

    put_header(out, list);
    for (size_t i = 0; i < a->sums.piece_count; i++) {
        rfc3339_format(start_us, date);
        buf_text(out, date);
        for (size_t k = 0; k < list->count; k++) {
            buf_add_char(out, ',');
            put_figure(out, sum_figure(&a->sums.pieces[i], list->items[k]));
        }
        buf_add(out, STR("\r\n"));
        start_us = analytics_next(&a->sums, start_us);
    }
}
