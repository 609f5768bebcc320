#include "api/answered.h"

#include "api/call.h"
#include "base/config.h"
#include "base/log.h"
#include "base/metric.h"

/* ---- counts ---- */

/* The first that a path begins with counts. */
static const struct {
    const char *path;
    unsigned handler;
} handlers[] = {
    {"/v1/send", METRIC_HANDLER_SEND},           {"/v1/messages/batch", METRIC_HANDLER_BATCH},
    {"/v1/messages", METRIC_HANDLER_MESSAGES},   {"/v1/events", METRIC_HANDLER_EVENTS},
    {"/v1/webhooks", METRIC_HANDLER_WEBHOOKS},   {"/v1/keys", METRIC_HANDLER_KEYS},
    {"/v1/opt-outs", METRIC_HANDLER_OPT_OUTS},   {"/v1/rate-limits", METRIC_HANDLER_LIMITS},
    {"/v1/analytics", METRIC_HANDLER_ANALYTICS}, {"/v1/stats", METRIC_HANDLER_STATS},
    {"/v1/test", METRIC_HANDLER_TEST},           {"/v1/openapi.json", METRIC_HANDLER_SERVICE},
    {"/docs", METRIC_HANDLER_SERVICE},           {"/livez", METRIC_HANDLER_SERVICE},
    {"/readyz", METRIC_HANDLER_SERVICE},
};

unsigned handler_of(const char *pattern)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (str_starts(str_of(pattern), str_of(handlers[i].path)))
            return handlers[i].handler;
    return METRIC_HANDLER_UNKNOWN;
}

static unsigned class_of(unsigned status)
{
    return status >= 100 && status < 600 ? status / 100 - 1 : METRIC_CODE_5;
}

/* ---- paths ---- */

/* Digits of a number that stands alone; digits in a row that ids hardly ever have. */
enum { SEGMENT_MAX = 64, DIGITS_LEAST = 5, RUN_LEAST = 9, PATH_SHOWN = 200 };

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next character, decoded. */
static char next_character(struct str *s)
{
    char c = s->p[0];
    size_t n = 1;

    if (c == '%' && s->n >= 3 && hex_digit(s->p[1]) >= 0 && hex_digit(s->p[2]) >= 0) {
        c = (char)(hex_digit(s->p[1]) << 4 | hex_digit(s->p[2]));
        n = 3;
    }
    *s = str_skip(*s, n);
    return c;
}

/* Whether it is a number in any of the forms that people write: its + and digits. */
static bool is_number(struct str segment, char out[SEGMENT_MAX], size_t *ret_n)
{
    size_t n = 0, digits = 0;

    while (segment.n) {
        char c = next_character(&segment);
        bool digit = c >= '0' && c <= '9';
        if (!digit && !strchr("+-(). /", c))
            return false;
        if ((digit || (c == '+' && n == 0)) && n < SEGMENT_MAX)
            out[n++] = c;
        digits += digit;
    }
    *ret_n = n;
    return digits >= DIGITS_LEAST;
}

static bool holds_number(struct str segment)
{
    size_t run = 0;

    while (segment.n && run < RUN_LEAST) {
        char c = next_character(&segment);
        run = c >= '0' && c <= '9' ? run + 1 : 0;
    }
    return run == RUN_LEAST;
}

/* Keys of the API and secrets of webhooks begin so; whoever puts one into a path has lost it, but
 * not to whoever reads the log. */
static bool holds_secret(struct str segment)
{
    static const char *const marks[] = {"sl_test_", "sl_live_", "whsec_"};
    char text[PATH_SHOWN + 1] = "";
    size_t n = 0;

    while (segment.n && n < PATH_SHOWN)
        text[n++] = next_character(&segment);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (memmem(text, n, marks[i], strlen(marks[i])))
            return true;
    return false;
}

static void add_segment(struct buf *out, struct str segment)
{
    char number[SEGMENT_MAX], shown[LOG_NUMBER_SIZE];
    size_t n;

    if (is_number(segment, number, &n))
        buf_text(out, log_number((struct str){number, n}, shown));
    else if (holds_number(segment) || holds_secret(segment))
        buf_text(out, "***");
    else
        buf_add(out, segment);
}

void path_for_log(struct str path, char out[LOGGED_PATH_SIZE])
{
    struct buf b = {.p = out, .size = LOGGED_PATH_SIZE - 1, .max = LOGGED_PATH_SIZE - 1};

    /* What is cut off ends a segment that may have been a number: it is shorter, and still one. */
    if (path.n > PATH_SHOWN)
        path.n = PATH_SHOWN;
    while (path.p && path.n) {
        struct str segment = str_cut(&path, '/');
        add_segment(&b, segment);
        if (path.p)
            buf_add_char(&b, '/');
    }
    out[b.n] = '\0';
}

/* ---- lines ---- */

static bool has_line(const struct http_request *r)
{
    const struct api_worker *w = r->worker_context;

    switch (atomic_load_explicit(&w->api->logged_requests, memory_order_relaxed)) {
    case CONFIG_REQUESTS_ALL:
        return true;
    case CONFIG_REQUESTS_ERRORS:
        return r->status >= 500;
    default:
        return false;
    }
}

static void log_request(const struct http_request *r, int64_t duration_us)
{
    char path[LOGGED_PATH_SIZE];
    struct str body = r->static_body.p ? r->static_body : buf_str(&r->out);

    path_for_log(r->head.path, path);
    struct log_field fields[] = {
        /* One that is not HTTP's can be anything, also what nobody may read. */
        {.name = "method", .text = r->method == HTTP_OTHER ? STR("other") : r->head.method},
        {.name = "path", .text = str_of(path)},
        {.name = "status", .number = r->status},
        {.name = "duration_us", .number = duration_us},
        {.name = "bytes", .number = (int64_t)body.n},
        {.name = "key", .text = str_of(r->caller)},
        {.name = "address", .text = str_of(r->peer->text)},
    };
    log_event_with(r->status >= 500 ? LOG_ERROR : LOG_INFO, "http", fields,
                   sizeof fields / sizeof *fields, "answered");
}

void api_answered(const struct http_request *r, int64_t duration_us)
{
    metric_add(METRIC_HTTP_REQUESTS,
               metric_pair(METRIC_HTTP_REQUESTS, r->about, class_of(r->status)), 1);
    metric_observe(METRIC_HTTP_SECONDS, r->about, duration_us);
    if (has_line(r))
        log_request(r, duration_us);
}
