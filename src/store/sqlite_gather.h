/* Rows that a transaction writes, gathered so that one statement writes several: starting one costs
 * as much as a row. What is gathered is written when there is enough of it, and before the commit;
 * readers see neither sooner. */
#pragma once

#include "store/sqlite_internal.h"
#include "store/sqlite_work.h"

enum { GATHER_MESSAGES = 8, GATHER_ROWS = 16, GATHER_BYTES = 16 << 10 };
enum { WORK_COLUMNS = 8, ENDING_COLUMNS = 7 };

/* A row of `ending`: how a message ended. */
struct ending {
    int64_t id, ended_us, sent_us;
    uint16_t retry_count, carrier;
    enum message_status status;
    enum failure failure;
};

/* Of a table whose columns are numbers, the id first; one row behind the other. */
struct gathered_rows {
    int64_t numbers[GATHER_ROWS * WORK_COLUMNS];
    size_t count;
};

/* A row of `once` whose answer was a message. */
struct once_row {
    int64_t numbers[5]; /* id, owner, created_us, message, status */
    uint8_t key[ONCE_KEY_SIZE], print[ONCE_PRINT_SIZE];
};

/* A row of `reference`. */
struct reference_row {
    int64_t numbers[4]; /* day, carrier, message, part */
    char id[REFERENCE_MAX];
    size_t size; /* of the id */
};

/* Owned by the writing thread. */
struct gathered {
    struct message messages[GATHER_MESSAGES];
    size_t message_count;
    bool live;                /* one of them has a carrier */
    char bytes[GATHER_BYTES]; /* what the views in `messages` see */
    size_t used;
    struct gathered_rows works, endings;
    struct once_row onces[GATHER_ROWS];
    size_t once_count;
    struct reference_row references[GATHER_ROWS];
    size_t reference_count;
};

int gather_message(struct sqlite_store *s, const struct message *m);
/* A message that is gathered and not written yet; NULL. */
const struct message *gather_find_message(const struct sqlite_store *s, int64_t id);
/* Also remembers it. A row with this id is replaced. */
int gather_work(struct sqlite_store *s, const struct work *work);
int gather_ending(struct sqlite_store *s, const struct ending *ending);
/* The row of `work` with this id, remembered, gathered or on disk: 1, or 0 when no message with
 * this number is queued or sent. */
int gather_read_work(struct sqlite_store *s, int64_t id, struct work *ret);
/* The row of `work` with this id, if it is gathered, is not wanted any more. */
void gather_drop_work(struct sqlite_store *s, int64_t id);
int gather_once(struct sqlite_store *s, const struct once_row *row);
/* Before a row of `once` is looked at. */
int gather_flush_once(struct sqlite_store *s);
/* The id fits into the row. */
int gather_reference(struct sqlite_store *s, const struct reference_row *row);
/* Writes all. */
int gather_flush(struct sqlite_store *s);
/* Forgets all. */
void gather_clear(struct sqlite_store *s);
