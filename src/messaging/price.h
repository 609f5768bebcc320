/* What a message costs: a price per segment by the longest prefix of the destination, or a price
 * per message for MMS. Micro-units of US dollars. */
#pragma once

#include "store/records.h"

enum { PRICE_PREFIX_MAX = 15 };

struct price_row {
    char prefix[PRICE_PREFIX_MAX + 1]; /* digits of the number without +; "" for all others */
    int64_t segment_micros;
};

/* Read-only once made; shared by all threads. */
struct price_list {
    const struct price_row *rows; /* sorted by prefix */
    size_t count;
    int64_t mms_micros;
};

/* The list that is used when an operator has given none. */
extern const struct price_list price_list_builtin;

/* Sorts the rows and makes a list of them. -EINVAL: a prefix that is not digits, a negative price.
 * -EEXIST: a prefix twice. -ENOENT: no row for all others. */
int price_list_init(struct price_list *list, struct price_row *rows, size_t count,
                    int64_t mms_micros);

/* `to` is a valid number. Test messages cost nothing. */
int64_t price_message(const struct price_list *list, enum mode mode, enum message_kind kind,
                      struct str to, unsigned segments);

/* What a message costs as things stand: nothing when it ended before any carrier saw it. */
int64_t message_cost_micros(const struct message *m);
