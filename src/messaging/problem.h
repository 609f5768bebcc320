/* What went wrong, in the user's words: a code from one table, a sentence, the field at fault.
 * api/ alone turns a problem into an HTTP answer; the error-reference page is the same table. */
#pragma once

#include "base/arena.h"

enum problem_code {
    PROBLEM_NONE = 0,
#define X(name, status, cause, fix, example) PROBLEM_##name,
#include "messaging/problem.def"
#undef X
    PROBLEM_COUNT
};

struct problem {
    enum problem_code code;
    const char *field;   /* request field at fault, or NULL */
    const char *message; /* one or two sentences: what is wrong and what to do */
    unsigned retry_after_s;
};

struct problem_entry {
    const char *code;    /* "invalid_phone_number" */
    unsigned status;     /* 400 … 503 */
    const char *cause;   /* when it happens */
    const char *fix;     /* what the client does about it */
    const char *example; /* a message as a client would see it */
};

/* The table's row of a code. */
const struct problem_entry *problem_entry(enum problem_code code);

/* Fills p and returns false, so that checks read `return problem_set(…)`. */
bool problem_set(struct problem *p, enum problem_code code, const char *field, const char *message);
