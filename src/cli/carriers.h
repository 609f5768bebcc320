/* What the commands about carriers share. */
#pragma once

#include "cli/local.h"

/* A carrier that the configuration names, or the store remembers, or both. */
struct carrier_entry {
    const char *name;
    /* One of both, by what it speaks; neither: not in the configuration (any more). */
    const struct config_carrier *config;
    const struct config_mmsc *mmsc;
    struct carrier_record record; /* id 0: no server has run with it yet */
};

struct carrier_entries {
    struct carrier_entry *list; /* as in the configuration, then the others */
    size_t count;
    bool server_is_there; /* by its file in the data folder */
    bool server_runs;     /* and has told how they stand */
    int64_t told_us;      /* when one of them was last noted; 0: never */
};

/* Of an open store; an exit code, and the user has been told. */
int carriers_find(struct local *l, struct carrier_entries *ret);
/* The one of this name; NULL after telling that there is none. */
struct carrier_entry *carriers_named(const struct carrier_entries *all, const char *name);
/* How one stands; false: nobody has told of late. */
bool carriers_state(const struct carrier_entries *all, const struct carrier_entry *e,
                    enum carrier_state *ret);
/* The server has it, though the configuration that was read here does not: it is another one. */
bool carriers_elsewhere(const struct carrier_entries *all, const struct carrier_entry *e);
/* The name of a carrier by its number; NULL: nobody knows it. */
const char *carriers_name(const struct carrier_entries *all, unsigned number);
