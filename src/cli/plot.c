#include "cli/plot.h"

#include "cli/figure.h"

#include <math.h>

enum { STEPS = 8, PITCH_MAX = 13 }; /* of a bar: wide enough for the dates of two to stand apart */

/* What all panels have in common. */
struct frame {
    size_t group, first; /* buckets in a bar; the first bar may have fewer, so that the last, which
                            is looked at first, is whole */
    size_t bars;
    int gutter;       /* columns of the axis' figures */
    int pitch, thick; /* columns from bar to bar, and of a bar */
};

static const char *const blocks[STEPS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* ---- figures ---- */

/* The least round figure that is not below it; half of it is round as well. */
static double round_top(double greatest)
{
    static const double steps[] = {1, 1.2, 1.6, 2, 3, 4, 5, 6, 8};
    double unit = pow(10, floor(log10(greatest)));

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * unit >= greatest * (1 - 1e-9))
            return steps[i] * unit;
    return 10 * unit;
}

static double bar_value(const struct frame *f, const double *values, size_t bar)
{
    size_t begin = bar ? f->first + (bar - 1) * f->group : 0;
    size_t end = f->first + bar * f->group;
    double sum = 0;

    for (size_t i = begin; i < end; i++)
        sum += values[i];
    return sum;
}

static double top_of(const struct frame *f, const struct plot_panel *panel)
{
    double greatest = 0;

    for (size_t i = 0; i < f->bars; i++)
        greatest = fmax(greatest, bar_value(f, panel->values, i));
    return greatest > 0 ? round_top(greatest) : 0;
}

static void axis_figure(const struct plot_panel *panel, double value, char out[FIGURE_SIZE])
{
    char text[FIGURE_SIZE];

    str_format(out, FIGURE_SIZE, "%s%s", value > 0 && panel->before ? panel->before : "",
               figure_short(value, text));
}

/* Nobody sends half a message. */
static bool has_half(const struct plot_panel *panel, double top)
{
    return !panel->whole || fmod(top, 2) == 0;
}

/* ---- the frame ---- */

static void divide(struct frame *f, size_t count, size_t columns)
{
    f->group = (count + columns - 1) / columns;
    f->bars = (count + f->group - 1) / f->group;
    f->first = count - (f->bars - 1) * f->group;
}

static int widest_figure(const struct plot *p, const struct frame *f)
{
    int widest = 1;

    for (size_t i = 0; i < p->panel_count; i++) {
        double top = top_of(f, &p->panels[i]);
        for (int half = 0; half < 1 + has_half(&p->panels[i], top); half++) {
            char text[FIGURE_SIZE];
            axis_figure(&p->panels[i], half ? top / 2 : top, text);
            widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
        }
    }
    return widest;
}

/* Sums need wider figures than their parts, and wider figures leave less room for bars: the room is
 * measured once with the narrowest axis and then with the one that came out. */
static struct frame frame_of(const struct plot *p)
{
    int width = p->width < PLOT_WIDTH_MIN ? PLOT_WIDTH_MIN : p->width;
    struct frame f;

    width = width > PLOT_WIDTH_MAX ? PLOT_WIDTH_MAX : width;
    divide(&f, p->count, (size_t)width - 4);
    for (int i = 0; i < 2; i++) {
        f.gutter = widest_figure(p, &f);
        divide(&f, p->count, (size_t)(width - f.gutter - 4));
    }
    f.pitch = (width - f.gutter - 3) / (int)f.bars;
    f.pitch = f.pitch > PITCH_MAX ? PITCH_MAX : f.pitch;
    f.thick = f.pitch > 1 ? f.pitch - 1 : 1;
    return f;
}

/* ---- bars ---- */

static const char *cell(const struct plot *p, const struct plot_panel *panel, long eighths,
                        char ascii[2])
{
    long steps = eighths < 0 ? 0 : eighths > STEPS ? STEPS : eighths;

    if (!p->ascii)
        return blocks[steps];
    ascii[0] = steps == 0 ? ' ' : steps < 3 ? '.' : steps < 6 ? ':' : panel->mark;
    ascii[1] = '\0';
    return ascii;
}

static long height_of(double value, double top, unsigned rows)
{
    long eighths = top > 0 ? lround(value / top * rows * STEPS) : 0;
    return value > 0 && eighths == 0 ? 1 : eighths;
}

/* One line of bars, `row` from below. Spaces are owed until the next bar. */
static void add_bars(const struct plot *p, const struct frame *f, const struct plot_panel *panel,
                     double top, unsigned row, struct buf *out)
{
    int owed = 1;

    if (p->fancy)
        buf_printf(out, "\033[%sm", panel->colour);
    for (size_t i = 0; i < f->bars; i++) {
        char ascii[2];
        long height = height_of(bar_value(f, panel->values, i), top, panel->rows);
        const char *text = cell(p, panel, height - (long)row * STEPS, ascii);
        if (*text == ' ') {
            owed += f->pitch;
            continue;
        }
        buf_printf(out, "%*s", owed, "");
        for (int column = 0; column < f->thick; column++)
            buf_text(out, text);
        owed = f->pitch - f->thick;
    }
    buf_text(out, p->fancy ? "\033[0m\n" : "\n");
}

static void add_axis(const struct plot *p, const struct frame *f, const char *figure,
                     struct buf *out)
{
    buf_printf(out, "%*s %s", f->gutter, figure, p->ascii ? "|" : *figure ? "┤" : "│");
}

static void add_title(const struct plot *p, const struct frame *f, const struct plot_panel *panel,
                      struct buf *out)
{
    buf_printf(out, "%s%s%s", p->fancy ? "\033[1m" : "", panel->title, p->fancy ? "\033[0m" : "");
    if (f->group == 1)
        buf_printf(out, " per %s\n", p->bucket);
    else
        buf_printf(out, " per %zu %ss\n", f->group, p->bucket);
}

static void add_base(const struct plot *p, const struct frame *f, struct buf *out)
{
    buf_printf(out, "%*s %s", f->gutter, "0", p->ascii ? "+" : "┼");
    for (int i = 0; i < (int)f->bars * f->pitch + 1; i++)
        buf_text(out, p->ascii ? "-" : "─");
    buf_text(out, "\n");
}

static void add_panel(const struct plot *p, const struct frame *f, const struct plot_panel *panel,
                      struct buf *out)
{
    double top = top_of(f, panel);

    add_title(p, f, panel, out);
    for (unsigned row = top > 0 ? panel->rows : 0; row-- > 0;) {
        char figure[FIGURE_SIZE] = "";
        bool half = row == panel->rows / 2 - 1 && has_half(panel, top);
        if (row == panel->rows - 1 || half)
            axis_figure(panel, half ? top / 2 : top, figure);
        add_axis(p, f, figure, out);
        add_bars(p, f, panel, top, row, out);
    }
    add_base(p, f, out);
}

/* ---- dates ---- */

/* Puts a label where its bar is, if it stands at least two columns behind what is there. */
static void place(char *line, size_t *end, size_t at, const char *label)
{
    if (*end && at < *end + 2)
        return;
    memcpy(line + at, label, strlen(label));
    *end = at + strlen(label);
}

static size_t bar_label(const struct frame *f, size_t bar)
{
    return bar ? f->first + (bar - 1) * f->group : 0;
}

/* The first is below the left edge of its bar, the last below the right edge, the one between in
 * the middle of the two. */
static void add_dates(const struct plot *p, const struct frame *f, struct buf *out)
{
    char line[PLOT_WIDTH_MAX + 64];
    size_t end = 0, middle = f->bars / 2, pitch = (size_t)f->pitch, thick = (size_t)f->thick;
    const char *last = p->labels[bar_label(f, f->bars - 1)];
    const char *between = p->labels[bar_label(f, middle)];
    size_t right = (f->bars - 1) * pitch + thick;
    size_t centre = middle * pitch + thick / 2, half = strlen(between) / 2;
    size_t left_of_last = right > strlen(last) ? right - strlen(last) : 0;

    memset(line, ' ', sizeof line);
    place(line, &end, 0, p->labels[0]);
    if (middle && centre > half && centre - half + strlen(between) + 2 <= left_of_last)
        place(line, &end, centre - half, between);
    if (f->bars > 1)
        place(line, &end, left_of_last, last);
    buf_printf(out, "%*s%.*s\n", f->gutter + 3, "", (int)end, line);
}

/* That a bar is more than a bucket. */
static void add_note(const struct plot *p, const struct frame *f, struct buf *out)
{
    if (f->group == 1)
        return;
    buf_printf(out, "Each bar is %zu %ss", f->group, p->bucket);
    if (f->first != f->group)
        buf_printf(out, ", the first %zu", f->first);
    buf_text(out, ".\n");
}

void plot_draw(const struct plot *p, struct buf *out)
{
    struct frame f = frame_of(p);

    for (size_t i = 0; i < p->panel_count; i++)
        add_panel(p, &f, &p->panels[i], out);
    add_dates(p, &f, out);
    add_note(p, &f, out);
}

void plot_spark(const double *values, size_t count, bool ascii, struct buf *out)
{
    static const char *const plain[STEPS + 1] = {"_", ".", ".", ":", ":", "-", "=", "+", "#"};
    double greatest = 0;

    for (size_t i = 0; i < count; i++)
        greatest = fmax(greatest, values[i]);
    for (size_t i = 0; i < count; i++) {
        long steps = height_of(values[i], greatest, 1);
        buf_text(out, ascii ? plain[steps] : blocks[steps]);
    }
}
