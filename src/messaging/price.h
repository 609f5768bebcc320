/* What a message costs, in micro-units of US dollars: per segment for SMS, per message for MMS.
 *
 * The most particular price wins: the longest prefix of the destination, then its country, then
 * the prefix that is no longer than the calling code, then that of all others, then the built-in
 * list. So a price of Canada wins over one of +1, and one of +1416 over both. */
#pragma once

#include "messaging/number.h"
#include "store/records.h"

enum { PRICE_KINDS = KIND_MMS + 1, PRICE_COUNTRIES = 26 * 26 };

/* A thousand dollars: more is a slip. Times any number of segments it is still a number. */
#define PRICE_MICROS_MAX INT64_C(1000000000)

struct price_row {
    char prefix[PREFIX_MAX + 1]; /* digits of the number without +; "" for all others */
    int64_t micros;
    uint32_t shorter; /* which row, counted from 1, has the longest shorter prefix; 0: none */
};

struct price_table {
    const struct price_row *rows; /* sorted by prefix */
    size_t count;
    const int64_t *countries; /* by price_country; negative: not in the list; NULL: none is */
};

/* Read-only once made; any thread may read it. */
struct price_list {
    struct price_table tables[PRICE_KINDS]; /* by message_kind */
    int64_t next_change_us;                 /* when a price that is not valid yet becomes so; 0 */
};

/* What holds where an operator's list says nothing. */
extern const struct price_list price_list_builtin;

struct store_reader;

/* The list that holds at this time, of records in any order. -EINVAL: a prefix that is not digits,
 * a country that is not two capitals, or a price beyond all bounds. */
int price_list_make(struct price_list **ret, const struct price_record *records, size_t count,
                    int64_t now_us);
/* All that the store has, in no order; for free(). */
int price_records_load(struct price_record **ret, size_t *ret_count, struct store_reader *r);
/* The list that holds at this time, of all of these. */
int price_list_load(struct price_list **ret, struct store_reader *r, int64_t now_us);
void price_list_free(struct price_list *list);

/* The place of "US" in a list of countries; -1 when it is not two capitals. */
int price_country(const char country[3]);

enum price_source { PRICE_OF_PREFIX, PRICE_OF_COUNTRY, PRICE_BUILT_IN };

struct price {
    int64_t micros;
    enum price_source source;
    const char *prefix; /* that it is the price of; "" is all others */
};

/* `to` is a valid number, and `place` where it is. */
struct price price_find(const struct price_list *list, enum message_kind kind, struct str to,
                        const struct number_place *place);

/* Of a message whose destination, country, kind and segments are known. Test messages cost
 * nothing. */
int64_t price_message(const struct price_list *list, const struct message *m);

/* What a message costs as things stand: nothing when it ended before any carrier saw it. */
int64_t message_cost_micros(const struct message *m);
