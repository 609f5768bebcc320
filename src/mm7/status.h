/* What an MMSC's answers and reports mean, by tables (status.def and the words below). */
#pragma once

#include "base/str.h"

enum mm7_class {
    MM7_CLASS_OK,
    MM7_CLASS_RETRY,    /* the same message may be taken later */
    MM7_CLASS_PERMANENT /* it will never be taken like this */
};

/* What is at fault when it is not OK; the carriers have our error codes for them. */
enum mm7_fail {
    MM7_FAIL_NONE,
    MM7_FAIL_ADDRESS, /* the recipient */
    MM7_FAIL_CONTENT, /* the message: its media, its form */
    MM7_FAIL_REFUSED, /* taken apart and not wanted */
    MM7_FAIL_ACCOUNT, /* what we are allowed, or how the MMSC is configured here */
    MM7_FAIL_MANY,    /* more than one recipient */
    MM7_FAIL_CARRIER  /* the MMSC itself */
};

struct mm7_verdict {
    enum mm7_class class;
    enum mm7_fail fail;
};

/* Codes that are not in the table: 1xxx is OK, the others are permanent. */
struct mm7_verdict mm7_status_verdict(unsigned code);
/* "Address Error"; NULL when it is not in the table. */
const char *mm7_status_text(unsigned code);

/* Codes that we say ourselves. */
enum {
    MM7_SUCCESS = 1000,
    MM7_ID_NOT_FOUND = 2005,
    MM7_FORMAT_CORRUPT = 2007,
    MM7_SERVER_ERROR = 3000,
    MM7_UNSUPPORTED_OPERATION = 4003,
    MM7_VALIDATION_ERROR = 4004,
    MM7_UNAVAILABLE = 4006
};

/* MMStatus of reports and read replies. The first word of each is the schema's; the others are seen
 * in the wild. X(name, word) */
#define MM7_MM_STATUSES(X)                                                                         \
    X(RETRIEVED, "Retrieved")                                                                      \
    X(FORWARDED, "Forwarded")                                                                      \
    X(DEFERRED, "Deferred")                                                                        \
    X(INDETERMINATE, "Indeterminate")                                                              \
    X(EXPIRED, "Expired")                                                                          \
    X(REJECTED, "Rejected")                                                                        \
    X(UNRECOGNISED, "Unrecognised")                                                                \
    X(CONDITION_NOT_MET, "DeliveryConditionNotMet")                                                \
    X(NOT_SUPPORTED, "NotSupported")                                                               \
    X(UNREACHABLE, "Unreachable")                                                                  \
    X(READ, "Read")       /* of read replies */                                                    \
    X(DELETED, "Deleted") /* without being read */                                                 \
    X(STRANGE, "")        /* none, or one that nobody knows */

enum mm7_mm_status {
#define X(name, word) MM7_MM_##name,
    MM7_MM_STATUSES(X)
#undef X
};

/* In letters of any size; "Unrecognized" is known, too. */
enum mm7_mm_status mm7_mm_status_of(struct str word);
const char *mm7_mm_status_word(enum mm7_mm_status status);
