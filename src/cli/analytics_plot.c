/* The plot of a report. */
#include "cli/analytics.h"
#include "cli/plot.h"

#include <stdlib.h>

enum { PLOT_MAX = 1 << 20, MEMORY_MAX = 16 << 20 };

double report_number(const struct json_node *node, const char *path)
{
    struct buf text BUF_CLEANUP = {.max = 64};
    const struct json_node *value = json_node_at(node, path);
    const struct json_node *amount = json_node_at(value, "amount");

    json_node_text(amount ? amount : value, &text);
    buf_add_char(&text, '\0');
    return text.failed ? 0 : strtod(text.p, NULL);
}

static const char **labels_of(const struct json_node *data, const char *interval, size_t count,
                              struct arena *a)
{
    const char **labels = arena_alloc(a, count * sizeof *labels);

    for (size_t i = 0; labels && i < count; i++) {
        char date[24];
        report_date(json_node_string(json_node_at(json_node_item(data, i), "date")), interval,
                    date);
        labels[i] = arena_copy(a, str_of(date)).p;
        if (!labels[i])
            return NULL;
    }
    return labels;
}

/* What belongs into a plot is not negative; what does not is shown as nothing. */
static const double *values_of(const struct json_node *data, const char *path, size_t count,
                               struct arena *a)
{
    double *values = arena_alloc(a, count * sizeof *values);

    for (size_t i = 0; values && i < count; i++) {
        double value = report_number(json_node_item(data, i), path);
        values[i] = value > 0 ? value : 0;
    }
    return values;
}

static bool make_panels(const struct report *r, const struct json_node *data, size_t count,
                        struct arena *a, struct plot_panel out[REPORT_BARS_MAX])
{
    bool good = true;

    for (size_t i = 0; i < r->bars_count; i++) {
        const struct report_bars *b = &r->bars[i];
        out[i] = (struct plot_panel){.title = b->title,
                                     .values = values_of(data, b->path, count, a),
                                     .before = b->kind == FIGURE_MONEY ? "$" : NULL,
                                     .whole = b->kind == FIGURE_COUNT,
                                     .rows = b->rows,
                                     .mark = b->mark,
                                     .colour = b->colour};
        good = good && out[i].values;
    }
    return good;
}

void report_plot(const struct report *r, const struct json_node *answer,
                 const struct report_style *style, FILE *out)
{
    const struct json_node *data = json_node_at(answer, "data");
    struct buf text BUF_CLEANUP = {.max = PLOT_MAX};
    struct plot_panel panels[REPORT_BARS_MAX];
    struct plot plot = {.panels = panels,
                        .panel_count = r->bars_count,
                        .count = json_node_count(data),
                        .bucket = report_interval(answer),
                        .width = style->width,
                        .ascii = style->ascii,
                        .fancy = style->fancy};
    struct arena memory;

    if (!plot.count)
        return;
    arena_init(&memory, MEMORY_MAX);
    plot.labels = labels_of(data, plot.bucket, plot.count, &memory);
    if (plot.labels && make_panels(r, data, plot.count, &memory, panels))
        plot_draw(&plot, &text);
    arena_done(&memory);
    fprintf(out, "\n%.*s", STR_FMT(buf_str(&text)));
}
