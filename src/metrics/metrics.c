#include "metrics/metrics.h"

#include "metrics/exposition.h"
#include "metrics/samples.h"
#include "net/digest.h"

#include <errno.h>
#include <stdlib.h>

struct metrics {
    struct facts_sources sources;
    char *database;
    bool guarded;
    uint8_t token[DIGEST_SHA256_SIZE]; /* its digest: all have the same length */
};

struct metrics_worker {
    struct metrics *metrics;
    struct facts facts;
};

int metrics_new(struct metrics **ret, const struct metrics_options *options)
{
    struct metrics *m = calloc(1, sizeof *m);

    *ret = NULL;
    if (!m)
        return -ENOMEM;
    m->sources = options->sources;
    m->sources.database = m->database = strdup(options->sources.database);
    if (!m->database) {
        free(m);
        return -ENOMEM;
    }
    m->guarded = options->token[0] != '\0';
    digest_sha256(str_of(options->token), m->token);
    *ret = m;
    return 0;
}

void metrics_free(struct metrics *m)
{
    if (m)
        free(m->database);
    free(m);
}

int metrics_worker_open(void *metrics, void **ret)
{
    struct metrics_worker *w = calloc(1, sizeof *w);

    *ret = NULL;
    if (!w)
        return -ENOMEM;
    w->metrics = metrics;
    int failed = facts_open(&w->facts, &w->metrics->sources);
    if (failed) {
        free(w);
        return failed;
    }
    *ret = w;
    return 0;
}

void metrics_worker_close(void *worker)
{
    struct metrics_worker *w = worker;

    facts_close(&w->facts);
    free(w);
}

/* ---- who may ---- */

/* "Bearer TOKEN", the only one of its name; an empty view when there is none. */
static struct str bearer_of(const struct http_head *head)
{
    struct str found = STR("");
    unsigned count = 0;

    for (size_t i = 0; i < head->field_count; i++)
        if (str_eq_nocase(head->fields[i].name, STR("Authorization"))) {
            found = head->fields[i].value;
            count++;
        }
    if (count != 1 || !str_starts_nocase(found, STR("Bearer ")))
        return STR("");
    return str_trim(str_skip(found, 7));
}

/* Digests are compared, so neither time nor length tells anything of the token. */
static bool may_read(const struct metrics *m, const struct http_request *r)
{
    uint8_t shown[DIGEST_SHA256_SIZE];

    if (!m->guarded)
        return true;
    digest_sha256(bearer_of(&r->head), shown);
    return digest_equal(shown, m->token, sizeof shown);
}

/* ---- answers ---- */

static void answer_text(struct http_request *r, unsigned status, const char *text)
{
    r->status = status;
    r->content_type = "text/plain; charset=utf-8";
    buf_clear(&r->out);
    buf_text(&r->out, text);
}

static void answer_page(struct http_request *r, struct facts *f)
{
    facts_look(f);
    r->status = 200;
    r->content_type = EXPOSITION_TYPE;
    http_request_add_header(r, "Cache-Control", "no-store");
    for (enum metric m = 0; m < METRIC_COUNT; m++) {
        exposition_head(&r->out, m);
        if (metric_rows[m].sampled)
            samples_put(&r->out, m, f);
        else
            exposition_counted(&r->out, m);
    }
}

void metrics_handle(struct http_request *r)
{
    struct metrics_worker *w = r->worker_context;
    bool reads = r->method == HTTP_GET || r->method == HTTP_HEAD;

    if (r->malformed || r->head_too_large || r->body_too_large) {
        answer_text(r, 400, "This is no request for metrics.\n");
    } else if (!may_read(w->metrics, r)) {
        answer_text(r, 401, "Metrics need the token: Authorization: Bearer TOKEN.\n");
        http_request_add_header(r, "WWW-Authenticate", "Bearer");
    } else if (!reads || !str_is(r->head.path, "/metrics")) {
        answer_text(r, 404, "There is nothing but GET /metrics.\n");
    } else {
        answer_page(r, &w->facts);
    }
}
