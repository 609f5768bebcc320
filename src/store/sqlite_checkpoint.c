/* The log grows with every commit and is moved into the main file here, in passes: the first takes
 * the bulk, the next ones what came meanwhile. When little is left the writer is told that it may
 * finish the rest itself, which costs it a millisecond and lets the log start from its beginning.
 */
#include "base/metric.h"
#include "store/sqlite_internal.h"

enum { LITTLE_PAGES = 200, PASSES_MAX = 4 };

static void run_passes(struct checkpointer *c)
{
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        int log = 0, moved = 0;
        int code = sqlite3_wal_checkpoint_v2(c->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &log, &moved);
        if (code != SQLITE_OK)
            return;
        if (log - moved < LITTLE_PAGES && pass > 0)
            break;
    }
    atomic_store(&c->caught_up, true);
}

static void *checkpointer_main(void *argument)
{
    struct checkpointer *c = argument;

    pthread_setname_np(pthread_self(), "checkpointer");
    pthread_mutex_lock(&c->lock);
    while (!c->stopping) {
        if (!c->wanted) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }
        c->wanted = false;
        pthread_mutex_unlock(&c->lock);
        int64_t begun_us = clock_monotonic_us();
        run_passes(c);
        metric_observe(METRIC_CHECKPOINT_SECONDS, 0, clock_monotonic_us() - begun_us);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

int checkpointer_start(struct checkpointer *c, const char *path)
{
    int failed = sqlite_connect(path, SQLITE_OPEN_READWRITE, 256, &c->db);

    if (failed)
        return failed;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    failed = -pthread_create(&c->thread, NULL, checkpointer_main, c);
    c->started = !failed;
    return failed;
}

void checkpointer_stop(struct checkpointer *c)
{
    if (c->started) {
        pthread_mutex_lock(&c->lock);
        c->stopping = true;
        pthread_cond_signal(&c->changed);
        pthread_mutex_unlock(&c->lock);
        pthread_join(c->thread, NULL);
        pthread_mutex_destroy(&c->lock);
        pthread_cond_destroy(&c->changed);
    }
    sqlite3_close(c->db);
    c->db = NULL;
    c->started = false;
}

void checkpointer_ask(struct checkpointer *c)
{
    pthread_mutex_lock(&c->lock);
    c->wanted = true;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
}
