/* The links of a carrier: opened by its settings, heard, watched, closed. */
#include "carriers/smpp_carrier_internal.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what links tell ---- */

static void on_bound(void *line)
{
    struct smpp_line *l = line;
    struct smpp_carrier *c = l->carrier;

    l->moved_us = smpp_now_us();
    l->fault = NULL;
    c->room_freed = true;
    smpp_carrier_judge(c);
    live_carrier_wake(&c->live);
}

static void on_lost(void *line, const char *why)
{
    struct smpp_line *l = line;
    struct smpp_carrier *c = l->carrier;

    c->tried = true;
    smpp_carrier_note(c, "%s: %s", l->name, why);
    smpp_answer_lost(l);
    smpp_carrier_judge(c);
    if (c->live.record.state != CARRIER_BOUND)
        smpp_feed_return(c);
    live_carrier_wake(&c->live);
}

static void on_answered(void *line, void *part, const struct smpp_pdu *response)
{
    smpp_answer_take(line, part, response);
}

static void on_delivered(void *line, const struct smpp_pdu *pdu, uint64_t token)
{
    smpp_inbox_take(line, pdu, token);
}

/* ---- opened and closed ---- */

static struct smpp_link_options link_options(struct smpp_line *l, enum smpp_bind bind)
{
    const struct smpp_settings *s = l->carrier->settings;
    const struct config_carrier *f = &s->config;

    return (struct smpp_link_options){
        .loop = l->carrier->live.options.loop,
        .name = l->name,
        .bind = bind,
        .host = f->address.host,
        .port = f->address.port,
        .tls = s->tls,
        .tls_name = f->tls_name[0] ? f->tls_name : NULL,
        .system_id = f->system_id,
        .password = f->password,
        .system_type = f->system_type,
        .interface_version = s->version,
        .window = (unsigned)f->window,
        .connect_timeout_ms = (uint64_t)f->connect_timeout_ms,
        .bind_timeout_ms = (uint64_t)f->connect_timeout_ms,
        .response_timeout_ms = (uint64_t)f->response_timeout_ms,
        .enquire_ms = (uint64_t)f->enquire_link_ms,
        .reconnect_min_ms = (uint64_t)f->reconnect_min_ms,
        .reconnect_max_ms = (uint64_t)f->reconnect_max_ms,
        .refused_wait_ms = (uint64_t)f->refused_wait_ms,
        .bound = on_bound,
        .lost = on_lost,
        .answered = on_answered,
        .delivered = on_delivered,
        .context = l,
    };
}

static int line_open(struct smpp_line *l, struct smpp_carrier *c, unsigned number,
                     enum smpp_bind bind)
{
    static const char *const words[] = {
        [SMPP_BIND_TRX] = "", [SMPP_BIND_TX] = "-out", [SMPP_BIND_RX] = "-in"};

    *l = (struct smpp_line){.carrier = c, .sends = bind != SMPP_BIND_RX};
    str_format(l->name, sizeof l->name, "%s/%u%s", c->live.port.name, number, words[bind]);
    l->submission = calloc(1, sizeof *l->submission);
    if (!l->submission)
        return -ENOMEM;
    struct smpp_link_options options = link_options(l, bind);
    return smpp_link_new(&l->link, &options);
}

static void line_close(struct smpp_line *l)
{
    if (l->link)
        smpp_link_free(l->link);
    l->link = NULL;
    if (l->submission)
        smpp_submission_done(l->submission);
    free(l->submission);
    l->submission = NULL;
}

void smpp_lines_close(struct smpp_carrier *c)
{
    for (unsigned i = 0; i < c->line_count; i++)
        line_close(&c->lines[i]);
    c->line_count = 0;
    c->generation++;
}

int smpp_lines_open(struct smpp_carrier *c)
{
    const struct config_carrier *f = &c->settings->config;
    bool separate = f->bind == CONFIG_BIND_SEPARATE;
    int failed = 0;

    for (unsigned i = 1; i <= (unsigned)f->binds && !failed; i++) {
        failed =
            line_open(&c->lines[c->line_count++], c, i, separate ? SMPP_BIND_TX : SMPP_BIND_TRX);
        if (separate && !failed)
            failed = line_open(&c->lines[c->line_count++], c, i, SMPP_BIND_RX);
    }
    return failed;
}

unsigned smpp_lines_bound(const struct smpp_carrier *c, bool senders_only)
{
    unsigned bound = 0;

    for (unsigned i = 0; i < c->line_count; i++) {
        const struct smpp_line *l = &c->lines[i];
        bound += (l->sends || !senders_only) && l->link && !l->gone && smpp_link_is_bound(l->link);
    }
    return bound;
}

/* ---- watched ---- */

/* What waits for a place in the window waits for the store, not for the carrier. */
static bool has_work(const struct smpp_line *l)
{
    const struct smpp_carrier *c = l->carrier;
    return l->queue.first || (c->ready.first && l->used < c->settings->config.window);
}

void smpp_line_watch(struct smpp_line *l, int64_t now_us)
{
    struct smpp_carrier *c = l->carrier;
    int64_t patience_us = c->settings->config.stall_timeout_ms * 1000;
    bool held_back = /* by ourselves */
        smpp_pause_is_on(&l->pause, now_us) || smpp_rate_wait_us(&c->rate, now_us) > 0;

    if (smpp_link_in_flight(l->link) == 0 && (held_back || !has_work(l))) {
        l->moved_us = now_us;
        return;
    }
    if (now_us - l->moved_us < patience_us)
        return;
    l->moved_us = now_us;
    log_warning("carrier", "%s answers nothing while work waits; it is bound anew", l->name);
    smpp_link_rebind(l->link, "nothing was answered while work waited");
}
