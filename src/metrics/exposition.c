#include "metrics/exposition.h"

#include <inttypes.h>
#include <math.h>

static const char *type_word(enum metric_type type)
{
    switch (type) {
    case METRIC_COUNTER:
        return "counter";
    case METRIC_GAUGE:
        return "gauge";
    case METRIC_HISTOGRAM:
        return "histogram";
    }
    return "untyped";
}

/* Quotes are special in words only. */
static void add_escaped(struct buf *out, const char *text, bool word)
{
    for (; *text; text++)
        if (*text == '\n')
            buf_text(out, "\\n");
        else if (*text == '\\')
            buf_text(out, "\\\\");
        else if (word && *text == '"')
            buf_text(out, "\\\"");
        else
            buf_add_char(out, *text);
}

void exposition_head(struct buf *out, enum metric m)
{
    const struct metric_row *row = &metric_rows[m];

    buf_printf(out, "# HELP %s ", row->name);
    add_escaped(out, row->help, false);
    buf_printf(out, "\n# TYPE %s %s\n", row->name, type_word(row->type));
}

/* ---- labels ---- */

struct labels {
    struct buf *out;
    bool any;
};

static void add_label(struct labels *l, struct str name, const char *word)
{
    buf_printf(l->out, "%s%.*s=\"", l->any ? "," : "{", STR_FMT(name));
    add_escaped(l->out, word, true);
    buf_add_char(l->out, '"');
    l->any = true;
}

static void end_labels(struct labels *l)
{
    buf_text(l->out, l->any ? "} " : " ");
}

/* The words of a series of a metric that is counted. */
static void add_words(struct labels *l, const struct metric_row *row, unsigned series)
{
    unsigned second = row->labels[1].count;
    unsigned words[] = {series / second, series % second};

    for (size_t i = 0; i < 2; i++)
        if (row->labels[i].name[0])
            add_label(l, str_of(row->labels[i].name), row->labels[i].words[words[i]]);
}

/* ---- values ---- */

/* A whole number of units as a decimal, exactly: 2500 of 1000000 is 0.0025. */
static void add_ratio(struct buf *out, int64_t value, int64_t unit)
{
    buf_add_i64(out, value / unit);
    if (value % unit == 0)
        return;
    buf_add_char(out, '.');
    for (int64_t rest = value % unit * 10; rest; rest = rest % unit * 10)
        buf_add_char(out, (char)('0' + rest / unit));
}

static void add_number(struct buf *out, double value)
{
    if (isnan(value))
        buf_text(out, "NaN");
    else if (isinf(value))
        buf_text(out, value > 0 ? "+Inf" : "-Inf");
    else if (value > -1e15 && value < 1e15 && value == (double)(int64_t)value)
        buf_add_i64(out, (int64_t)value);
    else
        buf_printf(out, "%.15g", value);
}

static void add_line(struct buf *out, const struct metric_row *row, const char *ending,
                     unsigned series, const char *le)
{
    struct labels l = {.out = out};

    buf_printf(out, "%s%s", row->name, ending);
    add_words(&l, row, series);
    if (le)
        add_label(&l, STR("le"), le);
    end_labels(&l);
}

static void add_histogram(struct buf *out, enum metric m, unsigned series)
{
    const struct metric_row *row = &metric_rows[m];
    int64_t buckets[METRIC_BUCKETS_MAX], sum, count = 0;
    unsigned n = metric_read_histogram(m, series, buckets, &sum);

    for (unsigned i = 0; i < n; i++) {
        char room[32] = "";
        struct buf le = {.p = room, .size = sizeof room, .max = sizeof room};
        if (i < row->bound_count) {
            add_ratio(&le, row->bounds[i], row->unit);
            room[le.n] = '\0';
        }
        count += buckets[i];
        add_line(out, row, "_bucket", series, i < row->bound_count ? room : "+Inf");
        buf_printf(out, "%" PRId64 "\n", count);
    }
    add_line(out, row, "_sum", series, NULL);
    add_ratio(out, sum, row->unit);
    buf_add_char(out, '\n');
    add_line(out, row, "_count", series, NULL);
    buf_printf(out, "%" PRId64 "\n", count);
}

void exposition_counted(struct buf *out, enum metric m)
{
    const struct metric_row *row = &metric_rows[m];

    for (unsigned series = 0; series < row->series; series++)
        if (row->type == METRIC_HISTOGRAM) {
            add_histogram(out, m, series);
        } else {
            add_line(out, row, "", series, NULL);
            buf_printf(out, "%" PRId64 "\n", metric_read(m, series));
        }
}

void exposition_sample(struct buf *out, enum metric m, const char *const *words, double value)
{
    const struct metric_row *row = &metric_rows[m];
    struct str names = str_of(row->sample_labels);
    struct labels l = {.out = out};

    buf_text(out, row->name);
    for (size_t i = 0; words && names.n; i++) {
        struct str name = str_cut(&names, ' ');
        add_label(&l, name, words[i]);
    }
    end_labels(&l);
    add_number(out, value);
    buf_add_char(out, '\n');
}
