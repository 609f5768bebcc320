#include "messaging/price.h"

#include <errno.h>
#include <stdlib.h>

static const struct price_row builtin_rows[] = {
    {"", 80000},
    {"1", 7500},
    {"44", 45000},
};

const struct price_list price_list_builtin = {
    .rows = builtin_rows,
    .count = sizeof builtin_rows / sizeof *builtin_rows,
    .mms_micros = 20000,
};

static int row_compare(const void *a, const void *b)
{
    return strcmp(((const struct price_row *)a)->prefix, ((const struct price_row *)b)->prefix);
}

static bool row_valid(const struct price_row *row)
{
    size_t n = strnlen(row->prefix, sizeof row->prefix);

    return n <= PRICE_PREFIX_MAX && strspn(row->prefix, "0123456789") == n &&
           row->segment_micros >= 0;
}

int price_list_init(struct price_list *list, struct price_row *rows, size_t count,
                    int64_t mms_micros)
{
    if (mms_micros < 0)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!row_valid(&rows[i]))
            return -EINVAL;
    if (count > 0)
        qsort(rows, count, sizeof *rows, row_compare);
    for (size_t i = 1; i < count; i++)
        if (row_compare(&rows[i - 1], &rows[i]) == 0)
            return -EEXIST;
    if (count == 0 || rows[0].prefix[0] != '\0') /* "" sorts first */
        return -ENOENT;
    *list = (struct price_list){.rows = rows, .count = count, .mms_micros = mms_micros};
    return 0;
}

/* One search per length, longest first: at most sixteen, whatever the size of the list. */
static int64_t segment_price(const struct price_list *list, struct str digits)
{
    struct price_row key = {0};

    if (digits.n > PRICE_PREFIX_MAX)
        digits.n = PRICE_PREFIX_MAX;
    memcpy(key.prefix, digits.p, digits.n);
    for (size_t n = digits.n;; n--) {
        key.prefix[n] = '\0';
        const struct price_row *row =
            bsearch(&key, list->rows, list->count, sizeof key, row_compare);
        if (row)
            return row->segment_micros;
        if (n == 0)
            return 0; /* not reached: every list has a row for all others */
    }
}

int64_t price_message(const struct price_list *list, enum mode mode, enum message_kind kind,
                      struct str to, unsigned segments)
{
    if (mode == MODE_TEST)
        return 0;
    if (kind == KIND_MMS)
        return list->mms_micros;
    return segment_price(list, str_skip(to, 1)) * segments;
}

static bool failed_before_carrier(const struct message *m)
{
    switch (m->failure) {
    case FAILURE_INVALID_DESTINATION:
    case FAILURE_RECIPIENT_OPTED_OUT:
    case FAILURE_NO_ROUTE:
    case FAILURE_NO_SENDER:
    case FAILURE_VALIDITY_EXPIRED:
        return m->sent_us == 0;
    default:
        return false;
    }
}

int64_t message_cost_micros(const struct message *m)
{
    return m->status == STATUS_CANCELLED || failed_before_carrier(m) ? 0 : m->cost_micros;
}
