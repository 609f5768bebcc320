/* The data folder and what the program says when it starts. */
#pragma once

#include "store/store.h"

struct data_dir {
    char *path; /* its own: configurations come and go */
    int lock;   /* holds the folder against a second server; -1 = not held */
};

/* Makes the folder (for its owner only) if it is missing and locks it. */
int data_dir_open(struct data_dir *d, const char *path, char why[STORE_WHY_SIZE]);
void data_dir_close(struct data_dir *d);

/* At the very first start makes a test key and leaves it in DIR/test-key; *ret_key is that key, or
 * "" when there were keys already. Before the writer starts. */
int first_key(struct store *s, const struct data_dir *d, char *ret_key, char why[STORE_WHY_SIZE]);

/* Writes DIR/address, where the command line looks for the server; or where the
 * metrics are, or where MMSCs come to. */
#define ADDRESS_FILE         "address"
#define METRICS_ADDRESS_FILE "metrics-address"
#define MM7_ADDRESS_FILE     "mm7-address"
int address_write(const struct data_dir *d, const char *file, const char *url);
void address_remove(const struct data_dir *d, const char *file);

/* What there is to say when the server runs. */
struct greeting {
    const char *url, *key; /* the key, or ""; it is shown only on a terminal */
    const char *metrics;   /* where they are, or "" */
    bool usual;            /* the folder is the one that the command line takes by itself */
    const char *file;      /* the configuration that a flag named, or NULL */
    struct str carriers;   /* names of the live ones, or "" */
};

/* On stdout. */
void greeting_print(const struct data_dir *d, const struct greeting *g);
