/* What each type of setting takes to copy, free and compare: for those who keep a section of the
 * configuration in memory of their own. Used with the table of the section's settings, where c is
 * the section, whole says whether there was memory, and a and b are two sections. */
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
