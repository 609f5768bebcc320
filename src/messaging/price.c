#include "messaging/price.h"

#include "store/rollup.h"

static const struct price_row builtin_sms[] = {
    {"", 80000, 0},
    {"1", 7500, 1},
    {"44", 45000, 1},
};
static const struct price_row builtin_mms[] = {{"", 20000, 0}};

const struct price_list price_list_builtin = {
    .tables = {[KIND_SMS] = {builtin_sms, sizeof builtin_sms / sizeof *builtin_sms, NULL},
               [KIND_MMS] = {builtin_mms, sizeof builtin_mms / sizeof *builtin_mms, NULL}},
};

static int compare(const struct price_row *row, struct str digits)
{
    size_t n = strlen(row->prefix);
    int order = memcmp(row->prefix, digits.p, n < digits.n ? n : digits.n);

    return order ? order : (n > digits.n) - (n < digits.n);
}

/* The last row that does not sort behind the digits; 0: none, else counted from 1. */
static size_t last_before(const struct price_table *t, struct str digits)
{
    size_t low = 0, high = t->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&t->rows[middle], digits) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Every prefix of the digits is one of the row before them, too: all that lies between a prefix and
 * what begins with it begins with it. So the longest is that row or one of its shorter ones. */
static const struct price_row *longest_prefix(const struct price_table *t, struct str digits)
{
    for (size_t at = last_before(t, digits); at > 0; at = t->rows[at - 1].shorter)
        if (str_starts(digits, str_of(t->rows[at - 1].prefix)))
            return &t->rows[at - 1];
    return NULL;
}

int price_country(const char country[3])
{
    if (country[0] < 'A' || country[0] > 'Z' || country[1] < 'A' || country[1] > 'Z' || country[2])
        return -1;
    return (country[0] - 'A') * 26 + country[1] - 'A';
}

static int64_t country_price(const struct price_table *t, const char country[3])
{
    int at = t->countries ? price_country(country) : -1;

    return at < 0 ? -1 : t->countries[at];
}

static size_t code_length(unsigned calling_code)
{
    return calling_code > 99 ? 3 : calling_code > 9 ? 2 : calling_code > 0;
}

struct price price_find(const struct price_list *list, enum message_kind kind, struct str to,
                        const struct number_place *place)
{
    const struct price_table *t = &list->tables[kind];
    struct str digits = str_skip(to, 1);
    const struct price_row *row = longest_prefix(t, digits);
    int64_t of_country = country_price(t, place->country);

    if (of_country >= 0 && (!row || strlen(row->prefix) <= code_length(place->calling_code)))
        return (struct price){of_country, PRICE_OF_COUNTRY, ""};
    if (row)
        return (struct price){row->micros, PRICE_OF_PREFIX, row->prefix};
    row = longest_prefix(&price_list_builtin.tables[kind], digits);
    return (struct price){row->micros, PRICE_BUILT_IN, row->prefix};
}

int64_t price_message(const struct price_list *list, const struct message *m)
{
    struct number_place place = {.calling_code = m->calling_code};

    if (m->mode == MODE_TEST)
        return 0;
    memcpy(place.country, m->country, sizeof place.country);
    int64_t micros = price_find(list, m->kind, m->to, &place).micros;
    return m->kind == KIND_MMS ? micros : micros * m->segments;
}

int64_t message_cost_micros(const struct message *m)
{
    return message_is_free(m->status, m->failure, m->sent_us) ? 0 : m->cost_micros;
}
