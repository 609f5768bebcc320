/* What is read when somebody asks for the metrics: how the queue, carriers, webhooks, the store and
 * the process stand at this moment. One thread's; it has a reader of its own, so nobody waits. */
#pragma once

#include "metrics/process.h"
#include "net/http_server.h"
#include "store/writer.h"

struct facts_sources {
    struct store *store;
    const char *database; /* path of its file */
    const struct clock *clock;
    struct writer *writer;
    struct http_server *http; /* of the API */
};

enum { FACTS_MODES = 2 };
enum facts_queue { FACTS_SCHEDULED, FACTS_QUEUED, FACTS_SENT, FACTS_QUEUES };
enum facts_endpoint { FACTS_ACTIVE, FACTS_PAUSED, FACTS_OFF, FACTS_ENDPOINTS };

/* Numbers are NAN where they cannot be known just now. */
struct facts {
    struct facts_sources sources;
    struct store_reader *reader;
    struct arena arena;

    double queue[FACTS_MODES][FACTS_QUEUES];
    double oldest_s[FACTS_MODES]; /* how long the oldest queued message is */
    double hooks_pending[FACTS_MODES];
    struct carrier_record *carriers; /* in the arena, until the next look */
    size_t carrier_count;
    double endpoints[FACTS_ENDPOINTS]; /* these two cost more: looked at now and then */
    double books_difference;
    int64_t slow_us; /* when, by the clock that never jumps; 0 = never */
    double connections, writer_queue;
    double database_bytes, wal_bytes;
    struct process_facts process;
};

int facts_open(struct facts *f, const struct facts_sources *sources);
void facts_close(struct facts *f);
void facts_look(struct facts *f);
