/* What is asked: the bytes of each request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOAD_IMAGES = 64 };

enum load_kind {
    LOAD_SEND, /* POST /v1/send, another recipient each time */
    LOAD_PATH, /* GET one path again and again */
    LOAD_WALK, /* GET a list and follow nextCursor to its end */
};

struct load {
    enum load_kind kind;
    const char *path;
    const char *key;    /* bearer key; NULL sends no Authorization */
    const char *prefix; /* of recipients: four digits, 1212 if NULL */
    const char *media;  /* where images lie, 0.jpg and so on: sends are MMS; NULL: SMS */
    char cursor[128];
    uint64_t serial;
};

/* Of the send with this serial: digits, without the +. */
void load_recipient(const struct load *load, uint64_t serial, char out[16]);

/* Writes the next request; the answer is its length, or negative errno when it does not fit. */
int load_next(struct load *load, char *out, size_t size);

/* Walk only: takes the cursor from a page. True while another page follows. */
bool load_turn_page(struct load *load, const char *body);
