#include "cli/trial.h"

#include "base/clock.h"
#include "net/loop_tcp.h"
#include "smpp/pdu.h"

#include <errno.h>
#include <semaphore.h>

enum { COME_BACK_LATER = 0x64, ANSWER_MAX_MS = 10000, RESULT_SIZE = 256 };

enum step { CONNECT, BIND, ENQUIRE, UNBIND };

/* The loop's thread has it until `done`. */
struct trial {
    const struct smpp_settings *settings;
    trial_tell *tell;
    void *context;
    uint32_t binds[2]; /* commands, one after the other; 0: no second one */
    unsigned at;       /* which of them */
    enum step step;
    bool failed;
    int64_t began_us; /* the step */
    struct loop *loop;
    struct loop_tcp *tcp; /* NULL: not connected */
    struct loop_timer *timer;
    struct buf out;
    uint32_t sequence; /* of the newest request */
    sem_t done;
};

/* ---- telling ---- */

static const char *step_name(const struct trial *t)
{
    switch (t->step) {
    case CONNECT:
        return "connect";
    case BIND:
        break;
    case ENQUIRE:
        return "enquire_link";
    case UNBIND:
        return "unbind";
    }
    return smpp_command_name(t->binds[t->at]);
}

static void tell(struct trial *t, bool good, const char *result)
{
    int64_t ms = (clock_monotonic_us() - t->began_us + 500) / 1000;

    t->tell(t->context, step_name(t), good, result, ms);
}

static void hang_up(struct trial *t)
{
    loop_timer_stop(t->timer);
    if (t->tcp)
        loop_tcp_close(t->tcp);
    t->tcp = NULL;
}

static void end(struct trial *t)
{
    hang_up(t);
    sem_post(&t->done);
}

static void fail(struct trial *t, const char *result)
{
    tell(t, false, result);
    t->failed = true;
    end(t);
}

/* What to do about a bind that is refused. */
static const char *remedy(uint32_t status)
{
    switch (status) {
    case 0x05: /* ESME_RALYBND */
        return "; the account has no bind left: does a server hold them all?";
    case 0x0d: /* ESME_RBINDFAIL */
        return "; check system_id, password, system_type, and that your address is allowed";
    case 0x0e: /* ESME_RINVPASWD */
        return "; check the password";
    case 0x0f: /* ESME_RINVSYSID */
        return "; check the system_id";
    case 0x53: /* ESME_RINVSYSTYP */
        return "; check the system_type";
    default:
        return "";
    }
}

static void fail_refused(struct trial *t, uint32_t status)
{
    const char *name = smpp_status_name(status);
    char result[RESULT_SIZE];

    str_format(result, sizeof result, "refused with %s (0x%08X)%s", name ? name : "a status",
               status, t->step == BIND ? remedy(status) : "");
    fail(t, result);
}

/* ---- steps ---- */

static void say(struct trial *t, const struct smpp_pdu *pdu)
{
    buf_clear(&t->out);
    if (smpp_encode(pdu, &t->out) < 0 || !loop_tcp_write(t->tcp, buf_str(&t->out)))
        fail(t, "cannot be said: memory is short");
}

static void begin(struct trial *t, enum step step, uint64_t most_ms)
{
    t->step = step;
    t->began_us = clock_monotonic_us();
    loop_timer_start(t->timer, most_ms, 0);
}

static void ask(struct trial *t, enum step step, uint32_t command)
{
    uint64_t most_ms = (uint64_t)t->settings->config.response_timeout_ms;

    begin(t, step, most_ms < ANSWER_MAX_MS ? most_ms : ANSWER_MAX_MS);
    say(t, &(struct smpp_pdu){.command = command, .sequence = ++t->sequence});
}

static void on_opened(void *trial)
{
    struct trial *t = trial;
    const struct config_carrier *c = &t->settings->config;
    char result[RESULT_SIZE];

    str_format(result, sizeof result, "%s:%u%s", c->address.host, c->address.port,
               t->settings->tls ? ", TLS, its certificate is good" : "");
    tell(t, true, result);
    begin(t, BIND, (uint64_t)c->connect_timeout_ms);
    say(t, &(struct smpp_pdu){.command = t->binds[t->at],
                              .sequence = ++t->sequence,
                              .system_id = str_of(c->system_id),
                              .password = str_of(c->password),
                              .system_type = str_of(c->system_type),
                              .interface_version = t->settings->version});
}

static size_t on_received(void *trial, struct str bytes);
static void on_closed(void *trial, const char *why);

static void connect_to(struct trial *t)
{
    const struct config_carrier *c = &t->settings->config;
    struct loop_tcp_options options = {.host = c->address.host,
                                       .port = c->address.port,
                                       .tls = t->settings->tls,
                                       .tls_name = c->tls_name[0] ? c->tls_name : NULL,
                                       .connect_timeout_ms = (uint64_t)c->connect_timeout_ms,
                                       .opened = on_opened,
                                       .received = on_received,
                                       .closed = on_closed,
                                       .context = t};

    t->step = CONNECT;
    t->began_us = clock_monotonic_us();
    if (loop_tcp_open(&t->tcp, t->loop, &options) < 0)
        fail(t, "memory is short");
}

static void next_bind(struct trial *t)
{
    if (t->at == 1 || t->binds[1] == 0) {
        end(t);
        return;
    }
    hang_up(t);
    t->at++;
    connect_to(t);
}

static void tell_bound(struct trial *t, const struct smpp_pdu *pdu)
{
    char version[48] = "", result[RESULT_SIZE];
    uint32_t told;

    if (smpp_tlv_number(pdu, SMPP_TAG_SC_INTERFACE_VERSION, &told))
        str_format(version, sizeof version, ", speaks SMPP %u.%u", told >> 4 & 15, told & 15);
    str_format(result, sizeof result, "taken; the carrier calls itself '%.*s'%s",
               STR_FMT(pdu->system_id), version);
    tell(t, true, result);
}

/* The answer to the step at hand. */
static void take_answer(struct trial *t, const struct smpp_pdu *pdu)
{
    if (pdu->status) {
        fail_refused(t, pdu->status);
        return;
    }
    switch (t->step) {
    case CONNECT:
        break;
    case BIND:
        tell_bound(t, pdu);
        ask(t, ENQUIRE, SMPP_ENQUIRE_LINK);
        break;
    case ENQUIRE:
        tell(t, true, "answered");
        ask(t, UNBIND, SMPP_UNBIND);
        break;
    case UNBIND:
        tell(t, true, "answered");
        next_bind(t);
        break;
    }
}

static void take(struct trial *t, const struct smpp_pdu *pdu)
{
    bool delivery = pdu->command == SMPP_DELIVER_SM || pdu->command == SMPP_DATA_SM;

    if (pdu->command & SMPP_RESPONSE) {
        if (pdu->sequence == t->sequence)
            take_answer(t, pdu);
    } else if (delivery || pdu->command == SMPP_ENQUIRE_LINK) {
        say(t, &(struct smpp_pdu){.command = pdu->command | SMPP_RESPONSE,
                                  .status = delivery ? COME_BACK_LATER : 0,
                                  .sequence = pdu->sequence});
    }
}

static size_t on_received(void *trial, struct str bytes)
{
    struct trial *t = trial;
    unsigned bind = t->at;
    struct smpp_pdu pdu;
    size_t taken = 0, length;

    while (t->tcp && t->at == bind) {
        length = 0;
        struct str rest = str_skip(bytes, taken);
        int bad = smpp_frame(rest, &length);
        if (bad || (length && smpp_decode((struct str){rest.p, length}, &pdu) == -EBADMSG)) {
            fail(t, "what the carrier sends is not SMPP");
            break;
        }
        if (length == 0)
            break;
        taken += length;
        take(t, &pdu);
    }
    return taken;
}

/* A peer that wants TLS and gets none hangs up, and the other way round. */
static void fail_closed(struct trial *t, const char *why)
{
    bool tls = t->settings->tls;
    char result[RESULT_SIZE];

    if (t->step != (tls ? CONNECT : BIND) || !strstr(why, "closed")) {
        fail(t, why);
        return;
    }
    str_format(result, sizeof result, "%s; does the port want tls = %s?", why, tls ? "off" : "on");
    fail(t, result);
}

/* A carrier may hang up instead of answering the unbind. */
static void on_closed(void *trial, const char *why)
{
    struct trial *t = trial;

    t->tcp = NULL;
    if (t->step == UNBIND) {
        tell(t, true, "the carrier closed the connection");
        next_bind(t);
    } else {
        fail_closed(t, why);
    }
}

static void on_timeout(void *trial)
{
    fail(trial, "no answer in time");
}

/* ---- the whole ---- */

static int start(struct trial *t)
{
    bool separate = t->settings->config.bind == CONFIG_BIND_SEPARATE;
    int r = loop_new(&t->loop);

    if (r < 0)
        return r;
    t->binds[0] = separate ? SMPP_BIND_TRANSMITTER : SMPP_BIND_TRANSCEIVER;
    t->binds[1] = separate ? SMPP_BIND_RECEIVER : 0;
    t->timer = loop_timer_new(t->loop, on_timeout, t);
    if (!t->timer)
        return -ENOMEM;
    connect_to(t);
    return loop_start(t->loop, "trial");
}

bool trial_run(const struct smpp_settings *settings, trial_tell *tell_step, void *context)
{
    struct trial t = {.settings = settings, .tell = tell_step, .context = context};

    buf_init(&t.out, 2 * SMPP_PDU_MAX);
    sem_init(&t.done, 0, 0);
    int r = start(&t);
    if (r == 0) {
        while (sem_wait(&t.done) < 0)
            ; /* a signal came */
        loop_stop(t.loop);
    } else {
        tell(&t, false, "memory is short");
    }
    if (t.loop)
        loop_free(t.loop);
    sem_destroy(&t.done);
    buf_done(&t.out);
    return r == 0 && !t.failed;
}
