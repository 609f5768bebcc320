#include "carriers/smpp_link_internal.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum { UNBIND_WAIT_MS = 1000, ENQUIRIES_MAX = 2, TICK_MAX_MS = 1000 };

/* ---- troubles ---- */

/* Each trouble once: a carrier that is away for a day says the same every minute. */
static void log_trouble(struct smpp_link *l, const char *why, uint64_t wait_ms)
{
    bool known = strcmp(l->logged, why) == 0;

    log_event(known ? LOG_DEBUG : LOG_WARNING, "carrier", "%s %s: %s; it tries again in %.1f s",
              l->options.name, l->bound_us ? "is lost" : "is not bound", why,
              (double)wait_ms / 1000);
    str_format(l->logged, sizeof l->logged, "%s", why);
}

static void hang_up(struct smpp_link *l)
{
    if (l->tcp)
        loop_tcp_close(l->tcp);
    l->tcp = NULL;
}

static void answer_all_with_nothing(struct smpp_link *l)
{
    void *request;

    while (smpp_window_take_oldest(&l->window, &request))
        l->options.answered(l->options.context, request, NULL);
}

/* Callbacks come last: they may call us. */
static void wait_and_tell(struct smpp_link *l, const char *reason, uint64_t wait_ms)
{
    char why[sizeof l->why];

    str_format(why, sizeof why, "%s", reason); /* it may be l->why, or the connection's */
    hang_up(l);
    l->state = SMPP_LINK_WAITING;
    loop_timer_start(l->timer, wait_ms, 0);
    log_trouble(l, why, wait_ms);
    l->bound_us = 0;
    answer_all_with_nothing(l);
    l->options.lost(l->options.context, why);
}

void smpp_link_lose(struct smpp_link *l, const char *why)
{
    if (l->state == SMPP_LINK_UNBINDING) {
        smpp_link_unbound(l);
        return;
    }
    int64_t bound_ms = l->bound_us ? (clock_monotonic_us() - l->bound_us) / 1000 : 0;
    wait_and_tell(l, why, smpp_backoff_wait_ms(&l->backoff, (uint64_t)bound_ms, random_fast()));
}

void smpp_link_refused(struct smpp_link *l, uint32_t status)
{
    bool credentials = status >= 0x0d && status <= 0x0f; /* bind failed, password, system_id */
    const char *name = smpp_status_name(status);
    char why[sizeof l->why];

    str_format(why, sizeof why, "the bind was refused with %s (0x%08x)%s", name ? name : "a status",
               status, credentials ? ": look at system_id and password" : "");
    if (credentials)
        wait_and_tell(l, why, smpp_backoff_jitter(l->options.refused_wait_ms, random_fast()));
    else
        smpp_link_lose(l, why);
}

/* ---- up ---- */

static void on_opened(void *link)
{
    struct smpp_link *l = link;

    l->state = SMPP_LINK_BINDING;
    loop_timer_start(l->timer, l->options.bind_timeout_ms, 0);
    if (smpp_link_say_bind(l) < 0)
        wait_and_tell(l, "system_id, password or system_type is too long for a bind",
                      l->options.refused_wait_ms);
}

static void on_closed(void *link, const char *why)
{
    struct smpp_link *l = link;

    l->tcp = NULL;
    smpp_link_lose(l, why);
}

static void connect(struct smpp_link *l)
{
    const struct smpp_link_options *o = &l->options;
    const struct loop_tcp_options options = {
        .host = o->host,
        .port = o->port,
        .tls = o->tls,
        .tls_name = o->tls_name,
        .connect_timeout_ms = o->connect_timeout_ms,
        .opened = on_opened,
        .received = smpp_link_hear,
        .closed = on_closed,
        .context = l,
    };

    l->state = SMPP_LINK_CONNECTING;
    l->generation = (l->generation + 1) & INT32_MAX;
    l->nack_logged = false;
    smpp_window_begin(&l->window);
    if (loop_tcp_open(&l->tcp, o->loop, &options) < 0)
        smpp_link_lose(l, "memory is short");
}

/* Often enough to see each time-out within a quarter of it. */
static uint64_t tick_ms(const struct smpp_link_options *o)
{
    uint64_t ms = o->response_timeout_ms;

    if (o->enquire_ms && o->enquire_ms < ms)
        ms = o->enquire_ms;
    ms /= 4;
    return ms == 0 ? 1 : ms < TICK_MAX_MS ? ms : TICK_MAX_MS;
}

void smpp_link_bound(struct smpp_link *l, uint8_t peer_version)
{
    static const char *const roles[] = {[SMPP_BIND_TRX] = "transceiver",
                                        [SMPP_BIND_TX] = "transmitter",
                                        [SMPP_BIND_RX] = "receiver"};
    char version[32] = "";

    if (peer_version)
        str_format(version, sizeof version, ", which speaks SMPP %x.%x", peer_version >> 4,
                   peer_version & 15);
    log_info("carrier", "%s is bound as %s to %s port %u%s", l->options.name,
             roles[l->options.bind], l->options.host, l->options.port, version);
    l->logged[0] = '\0';
    l->state = SMPP_LINK_BOUND;
    l->bound_us = clock_monotonic_us();
    loop_timer_start(l->timer, tick_ms(&l->options), tick_ms(&l->options));
    l->options.bound(l->options.context);
}

/* ---- while it is bound ---- */

static void check_silence(struct smpp_link *l, int64_t now_us)
{
    int64_t enquire_us = (int64_t)l->options.enquire_ms * 1000;
    int64_t asked_us = l->enquiries ? l->enquired_us : l->alive_us;

    if (enquire_us == 0 || now_us - asked_us < enquire_us)
        return;
    if (l->enquiries == ENQUIRIES_MAX) {
        smpp_link_lose(l, "it is silent: two enquire_link were not answered");
        return;
    }
    l->enquiries++;
    l->enquired_us = now_us;
    smpp_link_ask(l, SMPP_ENQUIRE_LINK);
}

static void tick(struct smpp_link *l)
{
    int64_t now_us = clock_monotonic_us();

    if (smpp_window_is_late(&l->window, now_us))
        smpp_link_lose(l, "a request was not answered in time");
    else
        check_silence(l, now_us);
}

/* ---- down ---- */

void smpp_link_unbound(struct smpp_link *l)
{
    hang_up(l);
    l->state = SMPP_LINK_STOPPING;
    loop_timer_start(l->timer, 0, 0);
}

/* The callback may free the link. */
static void finish_stop(struct smpp_link *l)
{
    hang_up(l);
    answer_all_with_nothing(l);
    l->state = SMPP_LINK_IDLE;
    l->bound_us = 0;
    loop_timer_stop(l->timer);
    log_info("carrier", "%s is stopped", l->options.name);
    if (l->stopped)
        l->stopped(l->stopped_context);
}

static void on_timer(void *link)
{
    struct smpp_link *l = link;

    switch (l->state) {
    case SMPP_LINK_IDLE:
    case SMPP_LINK_CONNECTING: /* the connection has a time limit of its own */
        break;
    case SMPP_LINK_WAITING:
        connect(l);
        break;
    case SMPP_LINK_BINDING:
        smpp_link_lose(l, "the bind was not answered in time");
        break;
    case SMPP_LINK_BOUND:
        tick(l);
        break;
    case SMPP_LINK_GIVING_UP:
        smpp_link_lose(l, l->why);
        break;
    case SMPP_LINK_UNBINDING:
    case SMPP_LINK_STOPPING:
        finish_stop(l);
        break;
    }
}

/* ---- what others call ---- */

static const char *copy_text(struct smpp_link *l, const char *text)
{
    return text ? arena_copy(&l->texts, str_of(text)).p : NULL;
}

static void copy_texts(struct smpp_link *l)
{
    struct smpp_link_options *o = &l->options;
    const char **texts[] = {&o->name,      &o->host,     &o->tls_name,
                            &o->system_id, &o->password, &o->system_type};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = copy_text(l, *texts[i]);
}

int smpp_link_new(struct smpp_link **ret, const struct smpp_link_options *options)
{
    struct smpp_link *l = calloc(1, sizeof *l);

    *ret = NULL;
    if (!l)
        return -ENOMEM;
    l->options = *options;
    l->backoff = (struct smpp_backoff){.min_ms = options->reconnect_min_ms,
                                       .max_ms = options->reconnect_max_ms};
    arena_init(&l->texts, 64 << 10);
    buf_init(&l->out, (size_t)2 * SMPP_PDU_MAX);
    copy_texts(l);
    l->timer = loop_timer_new(options->loop, on_timer, l);
    if (!l->timer || l->texts.failed || smpp_window_init(&l->window, options->window) < 0) {
        smpp_link_free(l);
        return -ENOMEM;
    }
    *ret = l;
    return 0;
}

void smpp_link_start(struct smpp_link *l)
{
    assert(l->state == SMPP_LINK_IDLE);
    l->state = SMPP_LINK_WAITING; /* for nothing: nothing is told from inside this call */
    loop_timer_start(l->timer, 0, 0);
}

bool smpp_link_is_bound(const struct smpp_link *l)
{
    return l->state == SMPP_LINK_BOUND;
}

unsigned smpp_link_room(const struct smpp_link *l)
{
    return smpp_link_is_bound(l) ? l->window.size - l->window.count : 0;
}

unsigned smpp_link_in_flight(const struct smpp_link *l)
{
    return l->window.count;
}

void smpp_link_rebind(struct smpp_link *l, const char *why)
{
    if (l->state != SMPP_LINK_CONNECTING && l->state != SMPP_LINK_BINDING &&
        l->state != SMPP_LINK_BOUND)
        return;
    str_format(l->why, sizeof l->why, "%s", why);
    hang_up(l);
    l->state = SMPP_LINK_GIVING_UP;
    loop_timer_start(l->timer, 0, 0);
}

void smpp_link_stop(struct smpp_link *l, void (*stopped)(void *context), void *context)
{
    l->stopped = stopped;
    l->stopped_context = context;
    if (l->state == SMPP_LINK_UNBINDING)
        return;
    if (l->state != SMPP_LINK_BOUND) {
        smpp_link_unbound(l);
        return;
    }
    l->state = SMPP_LINK_UNBINDING;
    loop_timer_start(l->timer, UNBIND_WAIT_MS, 0);
    smpp_link_ask(l, SMPP_UNBIND);
}

void smpp_link_free(struct smpp_link *l)
{
    if (!l)
        return;
    hang_up(l);
    loop_timer_free(l->timer);
    smpp_window_done(&l->window);
    buf_done(&l->out);
    arena_done(&l->texts);
    free(l);
}
