/* Where MMSCs come in: each has a path of its own on the listener, may have to show a name and a
 * password there, and may have to come from certain networks. Made once, then read-only. */
#pragma once

#include "base/config.h"
#include "net/digest.h"
#include "net/http_server.h"

struct address_range;

enum { MM7_DOOR_WHY_SIZE = 256, MM7_DOOR_PATH_SIZE = 256 };

struct mm7_door {
    char name[CONFIG_SECTION_NAME_MAX + 1]; /* of the MMSC */
    unsigned carrier;                       /* its number in the store */
    char path[MM7_DOOR_PATH_SIZE];
    bool guarded;                            /* credentials are asked for */
    uint8_t credentials[DIGEST_SHA256_SIZE]; /* of "name:password": all have the same length */
    struct address_range *ranges;            /* none: from everywhere */
    size_t range_count;
};

struct mm7_doors {
    size_t count;
    struct mm7_door doors[];
};

/* The number of the carrier of this name; 0: there is none, and its MMSC gets no door. */
typedef unsigned mm7_door_number(void *context, const char *name);

/* -EINVAL: `why` names the section and what is wrong with it: that everybody could come in is
 * wrong, too, where others can reach mm7.listen, or `bound`, where the listener is until the next
 * start whatever mm7.listen says by now; NULL: there is none yet. Also when number is NULL, for
 * those who only want to know that. */
int mm7_doors_new(struct mm7_doors **ret, const struct config *config,
                  const struct config_address *bound, mm7_door_number *number, void *context,
                  char why[MM7_DOOR_WHY_SIZE]);
void mm7_doors_free(struct mm7_doors *d);

/* Whether anybody from this address may come in somewhere, or there is a door for everybody. */
bool mm7_doors_admit(const struct mm7_doors *d, const struct in6_addr *address);

enum mm7_entry {
    MM7_ENTRY_OPEN,
    MM7_ENTRY_NO_DOOR,     /* nobody comes in at this path */
    MM7_ENTRY_ADDRESS,     /* not from there */
    MM7_ENTRY_CREDENTIALS, /* not without the right ones */
};

/* Who comes in. *ret_door is set unless there is no door. Takes the same time whatever the
 * credentials are. */
enum mm7_entry mm7_doors_enter(const struct mm7_doors *d, const struct http_request *r,
                               const struct mm7_door **ret_door);
