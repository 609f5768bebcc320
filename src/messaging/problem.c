#include "messaging/problem.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>

enum { CODE_SIZE = 40 };

static char codes[PROBLEM_COUNT][CODE_SIZE];

static struct problem_entry entries[PROBLEM_COUNT] = {
#define X(name, status, cause, fix, example)                                                       \
    [PROBLEM_##name] = {#name, status, cause, fix, example},
#include "messaging/problem.def"
#undef X
};

/* The preprocessor cannot write small letters, so the first asker does. */
static void name_entries(void)
{
    for (size_t i = 0; i < PROBLEM_COUNT; i++) {
        const char *name = entries[i].code ? entries[i].code : "";
        size_t n = strlen(name);
        assert(n < CODE_SIZE);
        for (size_t j = 0; j < n; j++)
            codes[i][j] = (char)tolower((unsigned char)name[j]);
        entries[i].code = codes[i];
    }
}

const struct problem_entry *problem_entry(enum problem_code code)
{
    static pthread_once_t named = PTHREAD_ONCE_INIT;

    assert(code > PROBLEM_NONE && code < PROBLEM_COUNT);
    pthread_once(&named, name_entries);
    return &entries[code];
}

bool problem_set(struct problem *p, enum problem_code code, const char *field, const char *message)
{
    /* A message that could not be made for lack of memory is replaced by the table's own words. */
    if (!message)
        message = problem_entry(code)->cause;
    *p = (struct problem){.code = code, .field = field, .message = message};
    return false;
}
