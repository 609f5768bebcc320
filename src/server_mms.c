#include "server_mms.h"

#include "base/log.h"
#include "base/urgency.h"
#include "carriers/mm7_wire.h"
#include "media/media_desk.h"
#include "net/address_guard.h"
#include "net/tls_trust.h"
#include "server_internal.h"

#include <errno.h>

static struct address_guard_options guarded(const struct config *c)
{
    return (struct address_guard_options){.allow = c->media_allow,
                                          .allow_localhost = c->media_allow_localhost};
}

bool server_media_good(const struct config *c, struct buf *faults)
{
    struct address_guard_options options = guarded(c);
    struct address_guard *guard = NULL;
    struct tls_trust *trust = NULL;
    char why[ADDRESS_WHY_SIZE], ca_why[TLS_WHY_SIZE];

    bool allow = address_guard_new(&guard, &options, why) == 0;
    bool ca = !c->media_ca[0] || tls_trust_new(&trust, c->media_ca, ca_why) == 0;
    if (!allow)
        buf_printf(faults, "%s: media.allow: %s\n", c->origins[CONFIG_media_allow], why);
    if (!ca)
        buf_printf(faults, "%s: media.ca: %s\n", c->origins[CONFIG_media_ca], ca_why);
    address_guard_free(guard);
    tls_trust_free(trust);
    return allow && ca;
}

/* Media are large and nobody waits for them by the millisecond: messages without any go first. */
static void begin(void *unused)
{
    int failed = urgency_lower();

    if (failed)
        log_warning("mms", "the thread cannot be made less urgent: %s", strerror(-failed));
}

static int build_guard(struct server *s)
{
    struct address_guard_options options = guarded(s->config);
    char why[ADDRESS_WHY_SIZE] = "";
    int failed = address_guard_new(&s->mms.guard, &options, why);

    if (failed && why[0])
        str_format(s->why, sizeof s->why, "media.allow: %s", why);
    return failed;
}

/* ---- the desk of media files ---- */

static void tell_done(void *server, int64_t message, const struct media_answer *answer)
{
    dispatch_media_done(((struct server *)server)->dispatch, message, answer);
}

static void tell_ready(void *server)
{
    dispatch_ready(((struct server *)server)->dispatch);
}

static int build_desk(struct server *s)
{
    const struct config *c = s->config;
    struct media_desk_options options = {.loop = s->mms.loop,
                                         .engine = s->engine,
                                         .done = tell_done,
                                         .ready = tell_ready,
                                         .context = s,
                                         .store = s->store,
                                         .writer = s->writer,
                                         .guard = s->mms.guard,
                                         .ca_file = c->media_ca,
                                         .connections = (size_t)c->media_connections,
                                         .timeout_ms = c->media_timeout_ms,
                                         .size_max = c->media_max_size};
    int failed = media_desk_new(&s->mms.desk, &options, s->why);

    if (!failed)
        dispatch_set_media(s->dispatch, media_desk_port(s->mms.desk));
    return failed;
}

/* ---- life ---- */

static int build(struct server *s)
{
    struct mms *m = &s->mms;
    int failed = build_guard(s);

    if (!failed)
        failed = loop_new(&m->loop);
    if (failed)
        return failed;
    m->begins = loop_signal_new(m->loop, begin, NULL);
    if (!m->begins)
        return -ENOMEM;
    struct mm7_wire_options wire = {.loop = m->loop, .engine = s->engine, .store = s->store};
    failed = mm7_wire_new(&m->wire, &wire);
    return failed ? failed : build_desk(s);
}

int server_build_mms(struct server *s)
{
    int failed = build(s);
    return failed ? server_fail(s, failed, "cannot prepare MMS") : 0;
}

int server_start_mms(struct server *s)
{
    loop_signal_raise(s->mms.begins);
    int failed = loop_start(s->mms.loop, "mms");

    return failed ? server_fail(s, failed, "cannot start MMS") : 0;
}

void server_stop_mms(struct server *s)
{
    if (s->mms.loop)
        loop_stop(s->mms.loop);
}

void server_free_mms(struct server *s)
{
    mm7_wire_free(s->mms.wire);
    media_desk_free(s->mms.desk);
    if (s->mms.loop)
        loop_free(s->mms.loop);
    address_guard_free(s->mms.guard);
}
