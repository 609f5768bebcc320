#include "net/http_server_test_server.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct test_server *running;

static void answer_echo(struct http_request *r)
{
    r->status = 200;
    buf_add(&r->out, r->body);
}

static void answer_text(struct http_request *r, const char *text)
{
    r->status = 400;
    buf_text(&r->out, text);
}

static void answer_large(struct http_request *r)
{
    char *into = buf_reserve(&r->out, TEST_LARGE);

    assert(into);
    for (size_t i = 0; i < TEST_LARGE; i++)
        into[i] = test_large_byte(i);
    r->out.n = TEST_LARGE;
    r->status = 200;
}

/* More than there is room for. */
static void answer_in_part(struct http_request *r)
{
    r->status = 200;
    buf_text(&r->out, "a part");
    assert(!buf_reserve(&r->out, SIZE_MAX / 2));
}

static void suspend(struct http_request *r)
{
    http_request_suspend(r, answer_echo);
    mailbox_post(&running->work, &r->letter);
}

static void handle(struct http_request *r)
{
    assert(r->worker_context == running);
    atomic_fetch_add(&running->handled, 1);
    if (r->malformed)
        answer_text(r, "malformed");
    else if (r->body_too_large)
        answer_text(r, "body too large");
    else if (r->head_too_large)
        answer_text(r, "head too large");
    else if (str_is(r->head.path, "/large"))
        answer_large(r);
    else if (str_is(r->head.path, "/part"))
        answer_in_part(r);
    else if (str_is(r->head.path, "/later") || str_is(r->head.path, "/soon"))
        suspend(r);
    else
        answer_echo(r);
    if (str_is(r->head.path, "/block"))
        usleep(300000);
}

/* ---- the other thread ---- */

static void wait_at_gate(struct test_server *t, struct http_request *r)
{
    if (!str_is(r->head.path, "/later"))
        return;
    pthread_mutex_lock(&t->gate);
    atomic_fetch_add(&t->waiting, 1);
    while (!t->open)
        pthread_cond_wait(&t->opened, &t->gate);
    atomic_fetch_sub(&t->waiting, 1);
    pthread_mutex_unlock(&t->gate);
}

static void *work(void *server)
{
    struct test_server *t = server;

    for (;;) {
        struct letter *l = mailbox_wait(&t->work, -1);
        if (!l)
            return NULL;
        while (l) {
            struct letter *next = l->next;
            struct http_request *r = (struct http_request *)l;
            wait_at_gate(t, r);
            http_request_resume(r);
            l = next;
        }
    }
}

void test_server_release(struct test_server *t)
{
    pthread_mutex_lock(&t->gate);
    t->open = true;
    pthread_cond_broadcast(&t->opened);
    pthread_mutex_unlock(&t->gate);
}

/* ---- start and stop ---- */

static int worker_open(void *context, void **ret)
{
    *ret = context;
    return 0;
}

static void worker_close(void *worker_context)
{
    assert(worker_context == running);
}

static size_t body_max_of(struct http_request *r)
{
    assert(r->worker_context == running);
    return str_is(r->head.path, "/room") ? TEST_ROOM : TEST_BODY_MAX;
}

struct http_server_options test_server_options(void)
{
    return (struct http_server_options){.listen = "127.0.0.1:0",
                                        .workers = 2,
                                        .max_connections = 200,
                                        .max_per_address = 100,
                                        .request_timeout_us = 20000000,
                                        .idle_timeout_us = 20000000,
                                        .body_max = TEST_BODY_MAX,
                                        .body_max_of = body_max_of,
                                        .handler = handle,
                                        .worker_open = worker_open,
                                        .worker_close = worker_close};
}

struct tls_identity *test_identity(void)
{
    static const char *const names[] = {"ca.pem", "ca.key", "server.pem", "server.key"};
    char why[TLS_WHY_SIZE], folder[64], paths[4][128];
    struct tls_identity *identity = NULL;

    snprintf(folder, sizeof folder, "/tmp/skylark-http-XXXXXX");
    char *made = mkdtemp(folder);
    assert(made);
    int prepared = tls_local_prepare(folder, (int64_t)time(NULL) * 1000000, why);
    assert(prepared == 1);
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    int failed = tls_identity_load(&identity, paths[2], paths[3], why);
    assert(!failed);
    for (int i = 0; i < 4; i++)
        unlink(paths[i]);
    rmdir(folder);
    return identity;
}

int test_server_try(struct test_server *t, struct http_server_options options,
                    char why[HTTP_WHY_SIZE])
{
    struct test_server *before = running;

    memset(t, 0, sizeof *t);
    running = options.context = t;
    options.identity = test_identity();
    int failed = http_server_start(&t->server, &options, why);
    running = before;
    return failed ? -1 : 0;
}

void test_server_start(struct test_server *t, struct http_server_options options)
{
    char why[HTTP_WHY_SIZE] = "";

    memset(t, 0, sizeof *t);
    running = t;
    options.context = t;
    options.identity = test_identity();
    mailbox_init(&t->work, NULL, NULL);
    pthread_mutex_init(&t->gate, NULL);
    pthread_cond_init(&t->opened, NULL);
    int failed = http_server_start(&t->server, &options, why);
    if (!failed)
        failed = pthread_create(&t->thread, NULL, work, t);
    if (failed)
        fprintf(stderr, "no server: %s\n", why);
    assert(!failed);
    t->address = http_server_address(t->server);
}

void test_server_stop(struct test_server *t)
{
    test_server_release(t);
    http_server_drain(t->server, 5000000);
    mailbox_close(&t->work);
    pthread_join(t->thread, NULL);
    http_server_stop(t->server);
    mailbox_done(&t->work);
    pthread_mutex_destroy(&t->gate);
    pthread_cond_destroy(&t->opened);
}
