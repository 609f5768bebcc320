/* What came of a message that was to go to an MMSC: what it means for the message and what it says
 * of the MMSC, by tables. Pure. */
#pragma once

#include "messaging/carrier.h"
#include "mm7/mm7.h"
#include "net/loop_http.h"

/* How much of a message went out. */
enum mm7_sent {
    MM7_SENT_NOTHING,
    MM7_SENT_PART,  /* so the MMSC cannot have it */
    MM7_SENT_WHOLE, /* so it may */
};

/* How the MMSC shows itself. */
enum mm7_shows {
    MM7_SHOWS_WELL,   /* it answers, whatever it says of the message */
    MM7_SHOWS_BUSY,   /* it answers that it wants less */
    MM7_SHOWS_ILL,    /* it fails, or says nothing that can be understood */
    MM7_SHOWS_AWAY,   /* it cannot be reached, or not be trusted */
    MM7_SHOWS_CLOSED, /* it does not let us in */
    MM7_SHOWS_NOTHING /* it was not asked */
};

enum { MM7_DETAIL_SIZE = 256 };

struct mm7_outcome {
    enum carrier_outcome outcome;
    enum failure failure;
    enum mm7_shows shows;
    char id[REFERENCE_MAX]; /* of CARRIER_TOOK: under which its reports come */
    size_t id_size;
    char detail[MM7_DETAIL_SIZE]; /* a sentence, or "" */
};

void mm7_outcome_read(struct mm7_outcome *ret, const struct loop_http_reply *reply,
                      enum mm7_sent sent);
/* It never got so far. */
void mm7_outcome_set(struct mm7_outcome *ret, enum carrier_outcome outcome, enum failure failure,
                     enum mm7_shows shows, const char *detail);
