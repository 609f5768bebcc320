#include "media/test_media.h"

#include <errno.h>
#include <ftw.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ANSWERS_MAX = 64 };

struct store *test_media_store;
struct writer *test_writer;
struct media_desk *test_desk;
struct test_listener test_media_server;
struct media_profile test_profile;
char test_detail[1024];
struct buf test_answer;
int64_t test_media_account;
enum mode test_media_mode;
int64_t test_media_max;

static struct loop *loop; /* of the desk; test_loop is the engine's */
static struct address_guard *guard;

/* The engine's thread's. */
static struct told {
    int64_t message;
    enum failure failure;
    char detail[1024];
} answers[ANSWERS_MAX];
static size_t answer_count, readies;
static bool inside; /* the desk is being asked */

/* ---- the desk ---- */

static void on_done(void *context, int64_t message, const struct media_answer *answer)
{
    struct told *t = &answers[answer_count++];

    assert_false(inside);
    assert_true(answer_count <= ANSWERS_MAX);
    assert_int_equal(answer->failure == FAILURE_NONE, answer->detail.n == 0);
    t->message = message;
    t->failure = answer->failure;
    snprintf(t->detail, sizeof t->detail, "%.*s", STR_FMT(answer->detail));
}

static void on_ready(void *context)
{
    readies++;
}

static void make_desk(size_t connections, size_t jobs)
{
    struct address_guard_options guarded = {"", true};
    struct media_desk_options options = {.engine = test_loop,
                                         .done = on_done,
                                         .ready = on_ready,
                                         .store = test_media_store,
                                         .writer = test_writer,
                                         .ca_file = test_http_files.ca,
                                         .connections = connections,
                                         .timeout_ms = TEST_MEDIA_TIMEOUT_MS,
                                         .retry_ms = TEST_MEDIA_RETRY_MS,
                                         .size_max = test_media_max,
                                         .jobs = jobs};
    char why[LOOP_HTTP_WHY_SIZE];

    assert_int_equal(address_guard_new(&guard, &guarded, why), 0);
    assert_int_equal(loop_new(&loop), 0);
    options.loop = loop;
    options.guard = guard;
    assert_int_equal(media_desk_new(&test_desk, &options, why), 0);
    assert_int_equal(loop_start(loop, "test-mms"), 0);
}

static void end_desk(void)
{
    loop_stop(loop);
    if (test_writer)
        writer_stop(test_writer);
    media_desk_free(test_desk);
    loop_free(loop);
    address_guard_free(guard);
    if (test_writer)
        writer_free(test_writer);
    test_desk = NULL;
    test_writer = NULL;
}

static void start_writer(void)
{
    struct writer_options options = {.store = test_media_store, .max_waiting = 1000};
    assert_int_equal(writer_start(&test_writer, &options), 0);
}

void test_desk_limited(size_t connections, size_t jobs)
{
    struct loop *engine = test_loop;

    test_desk_end();
    test_loop_set_up(NULL);
    assert_non_null(engine);
    start_writer();
    make_desk(connections, jobs);
}

/* The engine's loop ends first: it has a signal of the desk's. */
void test_desk_end(void)
{
    loop_stop(test_loop);
    end_desk();
    test_loop_tear_down(NULL);
}

int test_media_set_up(void **state)
{
    answer_count = readies = 0;
    test_media_account = 1;
    test_media_max = TEST_MEDIA_MAX;
    test_media_mode = MODE_LIVE;
    test_profile = (struct media_profile){.need = MEDIA_FIRST};
    test_media_store = test_store_open(&clock_real);
    buf_init(&test_answer, 64 << 20);
    test_loop_set_up(state);
    test_listen(&test_media_server, test_http_files.context);
    start_writer();
    make_desk(16, 0);
    return 0;
}

int test_media_tear_down(void **state)
{
    if (test_desk)
        test_desk_end();
    test_listen_done(&test_media_server);
    buf_done(&test_answer);
    test_store_close(test_media_store);
    return 0;
}

/* ---- messages ---- */

struct deed {
    struct write_job job;
    struct message *message;
    sem_t done;
    int result;
};

static int accept_message(struct write_job *job, struct store *s)
{
    return store_accept(s, ((struct deed *)job)->message);
}

static void deed_done(struct write_job *job, int result)
{
    ((struct deed *)job)->result = result;
    sem_post(&((struct deed *)job)->done);
}

/* What was asked for with each number, so that it can be asked for again. */
static char urls_of[ANSWERS_MAX][16384];

int64_t test_media_message(const char *urls)
{
    static size_t next;
    char *room = urls_of[next++ % ANSWERS_MAX];
    struct message m = {.account = test_media_account,
                        .mode = test_media_mode,
                        .direction = DIRECTION_OUTBOUND,
                        .status = STATUS_QUEUED,
                        .kind = KIND_MMS,
                        .type = TYPE_OTP,
                        .from = STR("+18005551234"),
                        .to = STR("+447700900123"),
                        .text = STR("Hello"),
                        .segments = 1,
                        .number_type = NUMBER_LOCAL,
                        .coverage = COVERAGE_HIGH,
                        .reason = REASON_FAILOVER,
                        .currency = "USD"};
    struct deed d = {.job = {.apply = accept_message, .done = deed_done}, .message = &m};
    struct buf text BUF_CLEANUP;

    buf_init(&text, 16384);
    for (const char *at = urls; *at; at++)
        if (at[0] == '%' && at[1] == 'u')
            buf_printf(&text, "%u", test_media_server.port), at++;
        else
            buf_add(&text, (struct str){at, 1});
    snprintf(room, sizeof urls_of[0], "%.*s", STR_FMT(buf_str(&text)));
    m.media = str_of(room);
    sem_init(&d.done, 0, 0);
    assert_int_equal(writer_post(test_writer, &d.job), 0);
    sem_wait(&d.done);
    sem_destroy(&d.done);
    assert_int_equal(d.result, 0);
    return m.id;
}

struct wish {
    int64_t message;
    const struct media_port *port;
    int result;
};

static void ask(void *context)
{
    struct wish *w = context;
    struct store_reader *reader;
    struct message m;
    struct arena memory;

    arena_init(&memory, 1 << 20);
    assert_int_equal(store_reader_open(test_media_store, &reader), 0);
    assert_int_equal(store_message_find(reader, w->message, &memory, &m), 0);
    inside = true;
    w->result = w->port->fetch(w->port->context, &m, &test_profile);
    inside = false;
    store_reader_close(reader);
    arena_done(&memory);
}

int test_media_ask(int64_t message)
{
    struct wish w = {.message = message, .port = media_desk_port(test_desk)};

    test_loop_do(ask, &w);
    return w.result;
}

static void ask_this(void *context)
{
    const struct media_port *port = media_desk_port(test_desk);
    assert_int_equal(port->fetch(port->context, context, &test_profile), 0);
}

void test_media_ask_this(const struct message *m)
{
    test_loop_do(ask_this, (void *)m);
}

static void forget(void *context)
{
    struct wish *w = context;
    w->port->forget(w->port->context, w->message);
}

void test_media_forget(int64_t message)
{
    struct wish w = {.message = message, .port = media_desk_port(test_desk)};
    test_loop_do(forget, &w);
}

int64_t test_media_wanted(const char *urls)
{
    int64_t message = test_media_message(urls);

    assert_int_equal(test_media_ask(message), 0);
    return message;
}

/* ---- answers ---- */

static const struct told *find(int64_t message)
{
    for (size_t i = 0; i < answer_count; i++)
        if (answers[i].message == message)
            return &answers[i];
    return NULL;
}

static bool is_answered(void *context)
{
    return find(*(int64_t *)context) != NULL;
}

/* The port of the server is another one each time. */
static void without_port(const char *text)
{
    char port[16], *at = test_detail;
    size_t n = (size_t)snprintf(port, sizeof port, "%u", test_media_server.port);

    while (*text && at < test_detail + sizeof test_detail - 3)
        if (strncmp(text, port, n) == 0) {
            *at++ = '%';
            *at++ = 'u';
            text += n;
        } else {
            *at++ = *text++;
        }
    *at = '\0';
}

enum failure test_media_answer(int64_t message)
{
    test_loop_until(is_answered, &message);
    const struct told *t = find(message);
    enum failure failure = t->failure;
    without_port(t->detail);
    answers[t - answers].message = 0;
    return failure;
}

struct question {
    int64_t message;
    bool answered;
    size_t readies;
};

static void look(void *context)
{
    struct question *q = context;

    q->answered = find(q->message) != NULL;
    q->readies = readies;
}

bool test_media_answered(int64_t message)
{
    struct question q = {.message = message};

    test_loop_do(look, &q);
    return q.answered;
}

size_t test_media_readies(void)
{
    struct question q = {0};

    test_loop_do(look, &q);
    return q.readies;
}

static bool is_idle(void *unused)
{
    struct media_desk_counts counts = media_desk_count(test_desk);
    return counts.held == 0 && counts.flying == 0;
}

void test_media_idle(void)
{
    test_loop_until(is_idle, NULL);
}

/* ---- what is kept ---- */

static void read_all(int fd, struct buf *content)
{
    char piece[4096];
    ssize_t n;

    while ((n = read(fd, piece, sizeof piece)) > 0)
        buf_add(content, (struct str){piece, (size_t)n});
    close(fd);
}

int test_media_kept(int64_t message, unsigned number, struct media_record *ret, struct buf *content)
{
    struct store_reader *reader;

    assert_int_equal(store_reader_open(test_media_store, &reader), 0);
    int failed = store_media_get(reader, message, number, ret);
    store_reader_close(reader);
    if (failed || !content)
        return failed;
    int fd = store_media_open(test_media_store, ret);
    assert_true(fd >= 0);
    buf_clear(content);
    read_all(fd, content);
    return 0;
}

static size_t files;
static int64_t bytes;

static int count_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    files += kind == FTW_F;
    bytes += kind == FTW_F ? status->st_size : 0;
    return 0;
}

/* A file of the store's own tells where they are. */
size_t test_media_files(void)
{
    char path[STORE_MEDIA_PATH_SIZE];
    int fd = store_media_temporary(test_media_store, path);

    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    for (int up = 0; up < 2; up++)
        *strrchr(path, '/') = '\0';
    files = 0;
    bytes = 0;
    nftw(path, count_one, 8, FTW_PHYS);
    return files;
}

int64_t test_media_bytes(void)
{
    test_media_files();
    return bytes;
}

/* ---- servers ---- */

void test_media_content(const char *type, struct str content)
{
    buf_clear(&test_answer);
    buf_printf(&test_answer, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
               type, content.n);
    buf_add(&test_answer, content);
}

struct str test_jpeg(size_t size)
{
    static char room[1 << 20];

    for (size_t i = 0; i < size; i++)
        room[i] = (char)(i * 7 + size);
    memcpy(room, "\xff\xd8\xff", 3);
    return (struct str){room, size};
}

void test_media_serve(struct test_peer *p)
{
    assert_true(test_peer_accept(p, &test_media_server, TEST_PEER_PATIENCE_MS));
    test_peer_await_request(p);
    test_peer_send(p, buf_str(&test_answer));
}
