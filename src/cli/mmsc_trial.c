#include "cli/mmsc_trial.h"

#include "base/clock.h"
#include "messaging/https_url.h"
#include "net/loop_http.h"

#include <semaphore.h>

enum { ANSWER_MAX_MS = 10000, PAGE_MAX = 4096, RESULT_SIZE = 384 };

/* The loop's thread has it until `done`. */
struct trial {
    const struct mm7_settings *settings;
    trial_tell *tell;
    void *context;
    struct loop *loop;
    struct loop_http *http;
    struct loop_signal *begins;
    bool good;
    sem_t done;
};

static const struct {
    unsigned first, last;
    bool good;
    const char *meaning;
} meanings[] = {
    {200, 299, true, "it answers"},
    {300, 399, false, "it leads elsewhere, which is not followed; url must be where it leads to"},
    {401, 401, false, "it does not know us; check username and password, or the token"},
    {403, 403, false,
     "it does not let us in; check the credentials, and that your address is allowed"},
    {404, 404, false, "nothing is at this path; check the url"},
    {407, 407, false, "a proxy stands before it; check the url"},
    {400, 499, true, "it is there, and wants to be asked otherwise, as with messages"},
    {501, 501, true, "it is there, and wants to be asked otherwise, as with messages"},
    {502, 504, false, "what stands before it cannot reach it"},
    {500, 599, true, "it is there, and wants to be asked otherwise, as with messages"},
    {0, 999, false, "that is no status of HTTP"},
};

bool mmsc_trial_judge(unsigned status, char *result, size_t size)
{
    size_t i = 0;

    while (status < meanings[i].first || status > meanings[i].last)
        i++;
    str_format(result, size, "answered with HTTP %u: %s", status, meanings[i].meaning);
    return meanings[i].good;
}

static bool is_tls(const struct trial *t)
{
    return str_starts_nocase(str_of(t->settings->config.url), STR("https:"));
}

static void tell(struct trial *t, const char *step, bool good, const char *result, int64_t us)
{
    t->good &= good;
    t->tell(t->context, step, good, result, (us + 500) / 1000);
}

static void on_reply(void *trial, const struct loop_http_reply *reply)
{
    struct trial *t = trial;
    struct str host = url_host(str_of(t->settings->config.url));
    char result[RESULT_SIZE];

    if (reply->outcome != LOOP_HTTP_ANSWERED) {
        tell(t, "connect", false, reply->why, reply->duration_us);
    } else {
        str_format(result, sizeof result, "%.*s%s", STR_FMT(host),
                   is_tls(t) ? ", TLS, its certificate is good" : "");
        tell(t, "connect", true, result, reply->connect_us);
        bool good = mmsc_trial_judge(reply->status, result, sizeof result);
        tell(t, "GET", good, result, reply->duration_us - reply->connect_us);
    }
    sem_post(&t->done);
}

static void begin(void *trial)
{
    struct trial *t = trial;
    const char *headers[] = {t->settings->authorization, NULL};
    struct loop_http_call call = {.method = "GET",
                                  .url = t->settings->config.url,
                                  .headers = headers,
                                  .body_max = PAGE_MAX,
                                  .done = on_reply,
                                  .context = t};
    struct loop_http_request *request;

    if (loop_http_start(t->http, &call, &request) == 0)
        return;
    tell(t, "connect", false, "memory is short", 0);
    sem_post(&t->done);
}

static int start(struct trial *t, char why[LOOP_HTTP_WHY_SIZE])
{
    const struct config_mmsc *c = &t->settings->config;
    struct loop_http_options options = {.ca_file = c->tls_ca,
                                        .max_connections = 1,
                                        .connect_ms = c->connect_timeout_ms,
                                        .total_ms = c->connect_timeout_ms + ANSWER_MAX_MS,
                                        .http1 = true};
    int failed = loop_new(&t->loop);

    if (!failed)
        failed = loop_http_new(&t->http, t->loop, &options, why);
    if (failed)
        return failed;
    t->begins = loop_signal_new(t->loop, begin, t);
    if (!t->begins)
        return -1;
    loop_signal_raise(t->begins);
    return loop_start(t->loop, "trial");
}

bool mmsc_trial_run(const struct mm7_settings *settings, trial_tell *tell_step, void *context)
{
    struct trial t = {.settings = settings, .tell = tell_step, .context = context, .good = true};
    char why[LOOP_HTTP_WHY_SIZE] = "memory is short";

    sem_init(&t.done, 0, 0);
    if (start(&t, why) == 0) {
        while (sem_wait(&t.done) < 0)
            ; /* a signal came */
        loop_stop(t.loop);
    } else {
        tell(&t, "connect", false, why, 0);
    }
    if (t.http)
        loop_http_free(t.http);
    if (t.loop)
        loop_free(t.loop);
    sem_destroy(&t.done);
    return t.good;
}
