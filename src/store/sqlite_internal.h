/* Shared by the sqlite_*.c files only: the one place where sqlite3.h is known. */
#pragma once

#include "store/engine.h"
#include "store/sqlite_index.h"
#include "store/sqlite_once.h"
#include "store/sqlite_search.h"
#include "store/sqlite_tally.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

/* "Not yet" for times that come later; as wide on disk as any time. */
#define NOT_YET (-4611686018427387904)
/* The same for the time of sending, when a carrier may have the message already. */
#define NOT_YET_BUT_HANDED (NOT_YET + 1)

/* The time, or 0. */
static inline int64_t time_if_any(int64_t us)
{
    return us == NOT_YET || us == NOT_YET_BUT_HANDED ? 0 : us;
}

/* Whether rollups and the pulse are written: off only to measure what that costs. */
enum { COUNTING = SKYLARK_ROLLUPS };

/* How long to wait for another process that writes; under full load its turn may take a while. */
enum { BUSY_MS = 20000 };

struct work_memory;
struct pulse_memory;
struct gathered;
struct outbox;
struct rollups;

enum write_statement {
#define X(name, sql) WRITE_##name,
#include "store/sqlite_write.def"
#undef X
    WRITE_COUNT
};

enum read_statement {
#define X(name, sql) READ_##name,
#include "store/sqlite_read.def"
#undef X
    READ_COUNT
};

/* The checkpointer: moves the write-ahead log into the main file beside the writer, so that commits
 * do not wait for it. Its own thread and connection. */
struct checkpointer {
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool wanted, stopping;
    _Atomic bool caught_up; /* the log is nearly all moved: the writer may start it afresh */
    sqlite3 *db;
};

/* How big the pieces of housekeeping and of counting are; tests make them small. */
struct sizes {
    size_t bulk;       /* rows that make a volume while the writer is busy */
    size_t bulk_idle;  /* and while it is not */
    size_t fan;        /* volumes that are merged into one */
    size_t generation; /* rows of `once` that share a filter */
    size_t step;       /* entries that are merged at a time */
    size_t few;        /* messages that are counted one by one although rollups could say it */
    int log_pages;     /* nothing is dropped while the log is as long as this; 0 = whatever it is */
};
extern const struct sizes sizes_default;

/* What the writer remembers of what is past its time. Owned by the writing thread. */
struct retained {
    bool edge_known;
    int64_t edge;         /* below this number no message is left */
    int64_t minute;       /* before which no message is, that can go; unix time / 60 */
    int64_t stray_minute; /* and no stray */
};

/* Media files that are not needed once this transaction is on disk, by number. */
struct media_spares {
    int64_t *places;
    size_t count, room;
};

/* What the writer knows of media files that can go. */
struct media_litter {
    bool walked;       /* all that earlier runs made was looked at */
    bool none_unused;  /* no content is without a use */
    uint64_t found_at; /* commits when the last one lost its use: later commits have synced that */
};

struct sqlite_store {
    struct store base;
    char *path;
    sqlite3 *db; /* the writing connection */
    sqlite3_stmt *statements[WRITE_COUNT];
    int64_t data_version;
    int log_pages; /* in the write-ahead log after the last commit */
    struct work_memory *works;
    struct gathered *gathered; /* in this transaction */
    struct outbox *outbox;
    struct rollups *rollups;
    struct pulse_memory *pulses;
    struct tally_deltas tallies;
    struct once once;
    struct message_index index;
    struct sizes sizes;
    size_t entries_added;    /* to the indexes since the last housekeeping */
    size_t merge_credit;     /* entries that may be merged while the writer is busy */
    int64_t housekeep_us;    /* not before; monotonic */
    int64_t chores_until_us; /* those that run now may begin another piece until then; monotonic */
    size_t next_chore;       /* whose turn it is */
    struct retained kept;
    struct media_spares spares;
    struct media_litter litter;
    int64_t references_from; /* day before which there are none */
    bool unsynced;           /* the connection commits without syncing */
    struct checkpointer checkpointer;
};

struct sqlite_reader {
    struct store_reader base;
    sqlite3 *db;
    uint64_t seen; /* commits when its transaction began */
    sqlite3_stmt *statements[READ_COUNT];
    struct posting postings[POSTINGS]; /* of the search that it is at */
};

/* 0 or a negative errno for a result code of SQLite. */
int sqlite_errno(int code);
/* Notes why the last call on the writing connection failed and returns its errno. */
int sqlite_failed(struct sqlite_store *s);
int sqlite_connect(const char *path, int flags, int cache_kib, sqlite3 **ret);
int sqlite_prepare(sqlite3 *db, const char *const *sql, sqlite3_stmt **statements, size_t count);
void sqlite_finalize(sqlite3_stmt **statements, size_t count);
/* Whether the writing connection syncs its commits. */
int sqlite_sync(struct sqlite_store *s, bool on);
/* One number from a statement without parameters. */
int sqlite_number(sqlite3 *db, const char *sql, int64_t *ret);

/* Brings the schema to this program's version; refuses a newer one. */
int sqlite_migrate(struct sqlite_store *s, char why[STORE_WHY_SIZE]);

int checkpointer_start(struct checkpointer *c, const char *path);
void checkpointer_stop(struct checkpointer *c);
void checkpointer_ask(struct checkpointer *c);

extern const char *const sqlite_write_sql[WRITE_COUNT];
extern const char *const sqlite_read_sql[READ_COUNT];
