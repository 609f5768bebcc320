/* pace: the load client for what wrk cannot measure. With --rate requests leave by the clock and
 * their latency counts from the moment they were due, so a server that falls behind cannot hide it.
 * Without, every connection asks again as soon as it is answered, and each one is watched on its
 * own: a single stuck connection shows. One thread, epoll, edge-triggered.
 *
 * The bearer key comes from the environment (BENCH_KEY), so that no process list shows it. */
#include "conn.h"
#include "load.h"
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

#define SHAKE_AT_ONCE 64
#define SHAKE_MAX_NS  60000000000ull
#define GRACE_NS      5000000000ull
#define EVENTS        256

struct pace {
    struct conn_target target;
    struct conn *conns;
    size_t conns_n;
    int epoll;

    uint32_t *idle; /* ring of connections, so that all of them take their turn */
    size_t idle_at, idle_n;

    struct load load;
    struct report report;
    FILE *log; /* of sends that were answered as expected: time in us, recipient */
    int expect;
    double rate;
    double seconds;
    uint64_t requests; /* 0: as many as the time allows */

    uint64_t start_ns, end_ns, sent, open;
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void pace_put_idle(struct pace *p, struct conn *c)
{
    c->state = CONN_IDLE;
    p->idle[(p->idle_at + p->idle_n++) % p->conns_n] = (uint32_t)(c - p->conns);
}

static struct conn *pace_take_idle(struct pace *p)
{
    struct conn *c = &p->conns[p->idle[p->idle_at]];
    p->idle_at = (p->idle_at + 1) % p->conns_n;
    p->idle_n--;
    return c;
}

static void pace_break(struct pace *p, struct conn *c, int error)
{
    p->report.broken++;
    p->report.broken_errno = -error;
    if (c->state == CONN_BUSY)
        p->open--;
    conn_close(c);
}

static int pace_wait(struct pace *p, struct epoll_event *events, uint64_t wait_ns)
{
    struct timespec t = {(time_t)(wait_ns / 1000000000u), (long)(wait_ns % 1000000000u)};
    int n = epoll_pwait2(p->epoll, events, EVENTS, &t, NULL);
    return n < 0 && errno == EINTR ? 0 : n;
}

static int pace_open_one(struct pace *p, struct conn *c)
{
    int r = conn_open(c, &p->target);
    if (r < 0)
        return r;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c};
    return epoll_ctl(p->epoll, EPOLL_CTL_ADD, c->fd, &event) < 0 ? -errno : 0;
}

static void pace_shake(struct pace *p, struct conn *c, size_t *shaking)
{
    int r = conn_shake(c);
    if (r == -EAGAIN)
        return;
    (*shaking)--;
    if (r < 0)
        pace_break(p, c, r);
    else
        pace_put_idle(p, c);
}

/* All handshakes before the clock starts, a few at a time: they are not what is measured. */
static void pace_connect(struct pace *p)
{
    struct epoll_event events[EVENTS];
    size_t opened = 0, shaking = 0;
    uint64_t limit = now_ns() + SHAKE_MAX_NS;
    while ((opened < p->conns_n || shaking > 0) && now_ns() < limit) {
        while (opened < p->conns_n && shaking < SHAKE_AT_ONCE) {
            struct conn *c = &p->conns[opened++];
            int r = pace_open_one(p, c);
            if (r < 0) {
                pace_break(p, c, r);
                continue;
            }
            shaking++;
            pace_shake(p, c, &shaking);
        }
        int n = pace_wait(p, events, 100000000);
        for (int i = 0; i < n; i++) {
            struct conn *c = events[i].data.ptr;
            if (c->state == CONN_HANDSHAKE)
                pace_shake(p, c, &shaking);
        }
    }
}

static bool pace_may_send(const struct pace *p, uint64_t now)
{
    if (p->requests)
        return p->sent < p->requests;
    return now < p->end_ns;
}

static uint64_t pace_due(const struct pace *p, uint64_t now)
{
    return p->rate > 0 ? p->start_ns + (uint64_t)((double)p->sent * 1e9 / p->rate) : now;
}

/* Sends whatever is due, as far as connections are free. */
static int pace_send_due(struct pace *p, uint64_t now)
{
    char request[2048];
    while (p->idle_n > 0 && pace_may_send(p, now)) {
        uint64_t due = pace_due(p, now);
        if (due > now)
            break;
        int n = load_next(&p->load, request, sizeof request);
        if (n < 0)
            return n;
        struct conn *c = pace_take_idle(p);
        c->due_ns = due;
        c->serial = p->load.serial;
        p->sent++;
        p->open++;
        int r = conn_send(c, request, (size_t)n);
        if (r < 0)
            pace_break(p, c, r);
    }
    return 0;
}

static void pace_log(struct pace *p, const struct conn *c, uint64_t now)
{
    char to[16];
    load_recipient(&p->load, c->serial, to);
    fprintf(p->log, "%llu %s\n", (unsigned long long)(now / 1000), to);
}

static int pace_answer(struct pace *p, struct conn *c)
{
    uint64_t now = now_ns(), latency = now - c->due_ns;
    if (p->log && c->status == p->expect)
        pace_log(p, c, now);
    p->open--;
    c->answers++;
    if (latency > c->worst_ns)
        c->worst_ns = latency;
    if (c->status != p->expect) {
        p->report.unexpected++;
        p->report.unexpected_status = c->status;
    }
    if (p->load.kind == LOAD_WALK && !load_turn_page(&p->load, conn_body(c)))
        p->requests = p->sent;
    pace_put_idle(p, c);
    return report_add(&p->report, latency);
}

static int pace_serve(struct pace *p, struct conn *c)
{
    if (c->state == CONN_CLOSED)
        return 0;
    int r = conn_flush(c);
    if (r == 0 && c->state == CONN_BUSY)
        r = conn_receive(c);
    if (r < 0)
        pace_break(p, c, r);
    return r == 1 ? pace_answer(p, c) : 0;
}

static uint64_t pace_patience(const struct pace *p, uint64_t now)
{
    if (p->rate <= 0 || p->idle_n == 0 || !pace_may_send(p, now))
        return 50000000;
    uint64_t due = pace_due(p, now);
    return due > now ? due - now : 0;
}

static int pace_run(struct pace *p)
{
    struct epoll_event events[EVENTS];
    p->start_ns = now_ns();
    p->end_ns = p->start_ns + (uint64_t)(p->seconds * 1e9);
    if (p->rate > 0)
        p->requests = (uint64_t)(p->rate * p->seconds);
    uint64_t now = p->start_ns, limit = p->end_ns + GRACE_NS;
    while (now < limit && (p->open > 0 || (pace_may_send(p, now) && p->idle_n > 0))) {
        int r = pace_send_due(p, now);
        if (r < 0)
            return r;
        int n = pace_wait(p, events, pace_patience(p, now));
        if (n < 0)
            return -errno;
        for (int i = 0; i < n && r == 0; i++)
            r = pace_serve(p, events[i].data.ptr);
        if (r < 0)
            return r;
        now = now_ns();
    }
    p->report.seconds = (double)(now - p->start_ns) / 1e9;
    return 0;
}

static int pace_init(struct pace *p, const char *address, const char *ca)
{
    char host[64];
    unsigned port;
    if (!address || !ca || sscanf(address, "%63[^:]:%u", host, &port) != 2 || port > UINT16_MAX)
        return -EINVAL;
    int r = conn_target_init(&p->target, host, (uint16_t)port, ca);
    if (r < 0)
        return r;
    p->conns = calloc(p->conns_n, sizeof *p->conns);
    p->idle = calloc(p->conns_n, sizeof *p->idle);
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!p->conns || !p->idle)
        return -ENOMEM;
    /* The default slack of 50 us is as long as the gap between two requests at 20,000/s. */
    prctl(PR_SET_TIMERSLACK, 1);
    return p->epoll < 0 ? -errno : 0;
}

static void pace_done(struct pace *p)
{
    for (size_t i = 0; p->conns && i < p->conns_n; i++)
        if (p->conns[i].state != CONN_CLOSED)
            conn_close(&p->conns[i]);
    free(p->conns);
    free(p->idle);
    report_done(&p->report);
    conn_target_done(&p->target);
    if (p->log)
        fclose(p->log);
}

static const char USAGE[] =
    "usage: pace --connect HOST:PORT --ca FILE [--connections N] [--expect STATUS]\n"
    "            [--rate PER_SECOND] [--seconds S] [--requests N]\n"
    "            (--send [--prefix DIGITS] [--media URL] [--log FILE] | --path PATH | --walk "
    "PATH)\n"
    "Prints one JSON object. The bearer key is read from BENCH_KEY.\n";

static const struct option OPTIONS[] = {
    {"connect", required_argument, NULL, 'c'},     {"ca", required_argument, NULL, 'a'},
    {"connections", required_argument, NULL, 'n'}, {"expect", required_argument, NULL, 'e'},
    {"rate", required_argument, NULL, 'r'},        {"seconds", required_argument, NULL, 's'},
    {"requests", required_argument, NULL, 'q'},    {"send", no_argument, NULL, 'S'},
    {"prefix", required_argument, NULL, 'p'},      {"media", required_argument, NULL, 'm'},
    {"log", required_argument, NULL, 'l'},         {"path", required_argument, NULL, 'P'},
    {"walk", required_argument, NULL, 'W'},        {0},
};

static void pace_set_load(struct pace *p, enum load_kind kind, const char *path)
{
    p->load.kind = kind;
    p->load.path = path;
}

static int pace_options(struct pace *p, int argc, char **argv, const char **address,
                        const char **ca)
{
    int option;
    while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
        switch (option) {
        case 'c':
            *address = optarg;
            break;
        case 'a':
            *ca = optarg;
            break;
        case 'n':
            p->conns_n = strtoul(optarg, NULL, 10);
            break;
        case 'e':
            p->expect = atoi(optarg);
            break;
        case 'r':
            p->rate = strtod(optarg, NULL);
            break;
        case 's':
            p->seconds = strtod(optarg, NULL);
            break;
        case 'q':
            p->requests = strtoull(optarg, NULL, 10);
            break;
        case 'S':
            pace_set_load(p, LOAD_SEND, NULL);
            break;
        case 'p':
            p->load.prefix = optarg;
            break;
        case 'm':
            p->load.media = optarg;
            break;
        case 'l':
            p->log = fopen(optarg, "w");
            if (!p->log)
                return -errno;
            break;
        case 'P':
            pace_set_load(p, LOAD_PATH, optarg);
            break;
        case 'W':
            pace_set_load(p, LOAD_WALK, optarg);
            break;
        default:
            return -EINVAL;
        }
    }
    bool whole = optind == argc && p->conns_n > 0 && p->conns_n <= 65536 && p->seconds > 0 &&
                 (p->load.kind == LOAD_SEND || p->load.path);
    return whole ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
    const char *address = NULL, *ca = NULL;
    struct pace p = {
        .conns_n = 64,
        .expect = 200,
        .seconds = 5,
        .load = {.kind = LOAD_PATH, .path = "/", .key = getenv("BENCH_KEY")},
    };
    if (pace_options(&p, argc, argv, &address, &ca) < 0) {
        fputs(USAGE, stderr);
        return 2;
    }
    int r = pace_init(&p, address, ca);
    if (r == 0) {
        pace_connect(&p);
        r = pace_run(&p);
    }
    if (r == 0) {
        uint64_t unsent = p.requests > p.sent ? p.requests - p.sent : 0;
        report_print(&p.report, p.conns, p.conns_n, unsent, p.load.cursor);
    } else {
        fprintf(stderr, "pace: %s\n", strerror(-r));
    }
    pace_done(&p);
    return r == 0 ? 0 : 1;
}
