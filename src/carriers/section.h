/* Copying, freeing and comparing a section of the configuration, by the table of its settings: for
 * those who keep it in memory of their own. */
#pragma once

#include "base/config.h"

#include <stdlib.h>

static inline bool section_copy_text(const char **text)
{
    *text = strdup(*text ? *text : "");
    return *text;
}

static inline void section_free_text(const char **text)
{
    free((char *)*text);
}

/* What each type of setting takes: c is the section, whole says whether there was memory, a and b
 * are two sections. */
#define SECTION_COPY_PATH(key)     whole &= section_copy_text(&c->key);
#define SECTION_COPY_TEXT(key)     whole &= section_copy_text(&c->key);
#define SECTION_COPY_SECRET(key)   whole &= section_copy_text(&c->key);
#define SECTION_COPY_ADDRESS(key)  /* in the struct itself, as all of these */
#define SECTION_COPY_INTEGER(key)  /* … */
#define SECTION_COPY_DURATION(key) /* … */
#define SECTION_COPY_WORD(key)     /* … */
#define SECTION_COPY_WORDS(key)    /* … */

#define SECTION_FREE_PATH(key)     section_free_text(&c->key);
#define SECTION_FREE_TEXT(key)     section_free_text(&c->key);
#define SECTION_FREE_SECRET(key)   section_free_text(&c->key);
#define SECTION_FREE_ADDRESS(key)  /* nothing to free, as for all of these */
#define SECTION_FREE_INTEGER(key)  /* … */
#define SECTION_FREE_DURATION(key) /* … */
#define SECTION_FREE_WORD(key)     /* … */
#define SECTION_FREE_WORDS(key)    /* … */

#define SECTION_SAME_PATH(key)   &&strcmp(a->key, b->key) == 0
#define SECTION_SAME_TEXT(key)   &&strcmp(a->key, b->key) == 0
#define SECTION_SAME_SECRET(key) &&strcmp(a->key, b->key) == 0
#define SECTION_SAME_ADDRESS(key)                                                                  \
    &&strcmp(a->key.host, b->key.host) == 0 && a->key.port == b->key.port
#define SECTION_SAME_INTEGER(key)  &&a->key == b->key
#define SECTION_SAME_DURATION(key) &&a->key##_ms == b->key##_ms
#define SECTION_SAME_WORD(key)     &&a->key == b->key
#define SECTION_SAME_WORDS(key)    &&a->key == b->key

#define SECTION_COPY_ROW(key, type, ...) SECTION_COPY_##type(key)
#define SECTION_FREE_ROW(key, type, ...) SECTION_FREE_##type(key)
#define SECTION_SAME_ROW(key, type, ...) SECTION_SAME_##type(key)

/* Makes copy_config, free_config and same_config for this struct. After a copy all texts are there,
 * or NULL, so that they can be freed; what belongs to the configuration is left behind. */
#define SECTION_FUNCTIONS(section, ROWS)                                                           \
    static bool copy_config(struct section *c)                                                     \
    {                                                                                              \
        bool whole = true;                                                                         \
        c->place = NULL;                                                                           \
        c->texts = c->origins = NULL;                                                              \
        ROWS(SECTION_COPY_ROW) return whole;                                                       \
    }                                                                                              \
    static void free_config(struct section *c)                                                     \
    {                                                                                              \
        ROWS(SECTION_FREE_ROW)                                                                     \
    }                                                                                              \
    static bool same_config(const struct section *a, const struct section *b)                      \
    {                                                                                              \
        return strcmp(a->name, b->name) == 0 ROWS(SECTION_SAME_ROW);                               \
    }
