#include "smsc.h"

#include "smsc_internal.h"

#include "base/clock.h"
#include "net/listener.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 64, TICK_US = 1000000, PLAIN_MAX = 1 << 20, LOG_BUFFER = 1 << 20 };

/* ---- starting; each is false after telling why ---- */

static bool cannot(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return false;
}

static bool watch(struct smsc *smsc, int fd, void *who)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = who};
    return fd >= 0 && epoll_ctl(smsc->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool prepare_tls(struct smsc *smsc)
{
    const char *dir = smsc->options.tls_dir;
    char why[TLS_WHY_SIZE] = "memory is short", certificate[4096], key[4096];
    struct tls_identity *identity;

    if (!dir)
        return true;
    str_format(certificate, sizeof certificate, "%s/server.pem", dir);
    str_format(key, sizeof key, "%s/server.key", dir);
    if (tls_local_prepare(dir, clock_now_us(&clock_real), why) < 0 ||
        tls_identity_load(&identity, certificate, key, why) < 0 ||
        tls_context_new(&smsc->tls, identity) < 0)
        return cannot("No certificate", why);
    return true;
}

static bool prepare_signals(struct smsc *smsc)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTTIN,
           SIG_IGN); /* in the background there is nothing to read, and no reason to stop */
    smsc->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return watch(smsc, smsc->signals, &smsc->signals) || cannot("No signals", strerror(errno));
}

static bool open_log(struct smsc *smsc)
{
    if (!smsc->options.log)
        return true;
    smsc->log = fopen(smsc->options.log, "ae");
    if (!smsc->log)
        return cannot(smsc->options.log, strerror(errno));
    setvbuf(smsc->log, NULL, _IOFBF, LOG_BUFFER);
    return true;
}

static bool open_door(struct smsc *smsc)
{
    char address[ADDRESS_SIZE], why[256];

    if (listener_open(smsc->options.listen, &smsc->listener, address, why, sizeof why) < 0)
        return cannot("The SMSC cannot start", why);
    if (!watch(smsc, smsc->listener, &smsc->listener))
        return cannot("The SMSC cannot start", strerror(errno));
    fprintf(stderr, "SMSC on %s%s. Any name and password will do. Ctrl-C stops it.\n", address,
            smsc->tls ? ", TLS" : "");
    return true;
}

/* Standard input may be a file or closed: then nothing is typed. */
static void watch_keyboard(struct smsc *smsc)
{
    if (smsc->options.quiet || !watch(smsc, STDIN_FILENO, smsc->typed) || !isatty(STDIN_FILENO))
        return;
    fputs("A line such as \"+15551234567 STOP\" is sent as if that handset wrote it.\n", stderr);
}

static bool start(struct smsc *smsc)
{
    smsc->epoll = epoll_create1(EPOLL_CLOEXEC);
    smsc->join = smsc_join_new();
    smsc->typed = smsc_typed_new();
    buf_init(&smsc->cipher, PLAIN_MAX);
    buf_init(&smsc->scratch, PLAIN_MAX);
    buf_init(&smsc->encoded, PLAIN_MAX);
    /* Ids that no earlier run has given. */
    smsc->last_id = (uint64_t)(clock_now_us(&clock_real) / 1000000) << 20;
    if (smsc->epoll < 0 || !smsc->join || !smsc->typed)
        return cannot("The SMSC cannot start", "memory is short");
    if (!prepare_signals(smsc) || !prepare_tls(smsc) || !open_log(smsc) || !open_door(smsc))
        return false;
    watch_keyboard(smsc);
    return true;
}

/* ---- running ---- */

static void accept_all(struct smsc *smsc)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int fd, on = 1;

    while ((fd = accept4(smsc->listener, (struct sockaddr *)&address, &length,
                         SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        session_open(smsc, fd);
    }
}

static void tick(struct smsc *smsc)
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(smsc->date, sizeof smsc->date, "%y%m%d%H%M", &utc);
    for (struct esme *e = smsc->esmes; e; e = e->next)
        e->submits_this_second = 0;
    deliveries_retry(smsc);
    if (smsc->log)
        fflush(smsc->log);
}

static void handle(struct smsc *smsc, const struct epoll_event *event)
{
    void *who = event->data.ptr;

    if (who == &smsc->listener)
        accept_all(smsc);
    else if (who == &smsc->signals)
        smsc->stopping = true;
    else if (who != smsc->typed)
        session_event(who, event->events);
    else if (!smsc_typed_read(smsc))
        epoll_ctl(smsc->epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
}

/* Everything that came in this round goes out together. */
static void flush_all(struct smsc *smsc)
{
    struct session **place = &smsc->sessions;

    deliveries_send(smsc);
    while (*place) {
        struct session *s = *place;
        session_flush(s);
        if (s->dead) {
            *place = s->next;
            session_free(s);
        } else {
            place = &s->next;
        }
    }
    if (!smsc->options.quiet)
        fflush(stdout);
}

static void run(struct smsc *smsc)
{
    struct epoll_event events[EVENTS];
    int64_t next_tick_us = 0;

    while (!smsc->stopping) {
        int64_t wait_us = next_tick_us - clock_monotonic_us();
        int n =
            epoll_wait(smsc->epoll, events, EVENTS, wait_us > 0 ? (int)(wait_us / 1000) + 1 : 0);
        smsc->now_us = clock_monotonic_us();
        if (smsc->now_us >= next_tick_us) {
            tick(smsc);
            next_tick_us = smsc->now_us + TICK_US;
        }
        for (int i = 0; i < n; i++)
            handle(smsc, &events[i]);
        flush_all(smsc);
    }
}

/* ---- stopping ---- */

static void tell_counts(const struct smsc *smsc)
{
    fprintf(stderr, "%" PRIu64 " submits, %" PRIu64 " receipts", smsc->submits, smsc->receipts);
    if (smsc->throttled)
        fprintf(stderr, ", %" PRIu64 " throttled", smsc->throttled);
    if (smsc->dropped)
        fprintf(stderr, ", %" PRIu64 " deliveries dropped because nobody took them", smsc->dropped);
    fputs(".\n", stderr);
}

static void stop(struct smsc *smsc)
{
    while (smsc->sessions) {
        struct session *s = smsc->sessions;
        smsc->sessions = s->next;
        session_free(s);
    }
    while (smsc->esmes) {
        struct esme *e = smsc->esmes;
        smsc->esmes = e->next;
        esme_free(e);
    }
    if (smsc->tls)
        tls_context_free(smsc->tls);
    if (smsc->log)
        fclose(smsc->log);
    smsc_join_free(smsc->join);
    smsc_typed_free(smsc->typed);
    buf_done(&smsc->cipher);
    buf_done(&smsc->scratch);
    buf_done(&smsc->encoded);
    int fds[] = {smsc->epoll, smsc->listener, smsc->signals};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

int smsc_run(const struct smsc_options *options)
{
    struct smsc smsc = {.options = *options, .epoll = -1, .listener = -1, .signals = -1};
    bool started = start(&smsc);

    if (started) {
        run(&smsc);
        tell_counts(&smsc);
    }
    stop(&smsc);
    return started ? CLI_OK : CLI_FAILED;
}
