/* Lists of prices, made from what the store keeps. */
#include "messaging/price.h"

#include <errno.h>
#include <stdlib.h>

static bool record_valid(const struct price_record *p)
{
    size_t n = strnlen(p->prefix, sizeof p->prefix);

    return n <= PREFIX_MAX && strspn(p->prefix, "0123456789") == n &&
           (p->country[0] == '\0' || (n == 0 && price_country(p->country) >= 0)) &&
           (p->kind == KIND_SMS || p->kind == KIND_MMS) && p->micros >= 0 &&
           p->micros <= PRICE_MICROS_MAX;
}

static bool same_thing(const struct price_record *a, const struct price_record *b)
{
    return strcmp(a->prefix, b->prefix) == 0 && strcmp(a->country, b->country) == 0;
}

/* By prefix, then by country; of one thing the newest first. */
static int record_compare(const void *left, const void *right)
{
    const struct price_record *a = left, *b = right;
    int order = strcmp(a->prefix, b->prefix);

    if (order == 0)
        order = strcmp(a->country, b->country);
    return order ? order : (a->from_us < b->from_us) - (a->from_us > b->from_us);
}

/* What is being made: tables whose rows and countries may still be written. */
struct making {
    struct price_list *list;
    struct price_row *rows[PRICE_KINDS];
    int64_t *countries[PRICE_KINDS];
};

static int give_room(struct making *m, enum message_kind kind, size_t rows, bool countries)
{
    struct price_table *t = &m->list->tables[kind];

    t->rows = m->rows[kind] = calloc(rows ? rows : 1, sizeof **m->rows);
    if (!t->rows)
        return -ENOMEM;
    if (!countries)
        return 0;
    t->countries = m->countries[kind] = malloc(PRICE_COUNTRIES * sizeof **m->countries);
    if (!t->countries)
        return -ENOMEM;
    for (size_t i = 0; i < PRICE_COUNTRIES; i++)
        m->countries[kind][i] = -1;
    return 0;
}

/* The last row is the new one; the row before it, or one of its shorter ones, is its beginning, if
 * any is. */
static void link_shorter(struct price_row *rows, size_t last)
{
    size_t at = last;

    while (at > 0 &&
           strncmp(rows[last].prefix, rows[at - 1].prefix, strlen(rows[at - 1].prefix)) != 0)
        at = rows[at - 1].shorter;
    rows[last].shorter = (uint32_t)at;
}

static void add(struct making *m, const struct price_record *p)
{
    struct price_table *t = &m->list->tables[p->kind];

    if (p->country[0]) {
        m->countries[p->kind][price_country(p->country)] = p->micros;
        return;
    }
    struct price_row *row = &m->rows[p->kind][t->count];
    memcpy(row->prefix, p->prefix, sizeof row->prefix);
    row->micros = p->micros;
    link_shorter(m->rows[p->kind], t->count++);
}

/* `sorted` are all of one kind. What is not valid yet only says when the list has to be made anew.
 */
static int add_kind(struct making *m, enum message_kind kind, const struct price_record *sorted,
                    size_t count, int64_t now_us)
{
    const struct price_record *last = NULL;
    bool countries = false;

    for (size_t i = 0; i < count; i++)
        countries |= sorted[i].country[0] != '\0';
    int r = give_room(m, kind, count, countries);
    for (size_t i = 0; r == 0 && i < count; i++) {
        int64_t *next = &m->list->next_change_us;
        if (sorted[i].from_us > now_us)
            *next = *next && *next < sorted[i].from_us ? *next : sorted[i].from_us;
        else if (!last || !same_thing(last, &sorted[i]))
            add(m, last = &sorted[i]);
    }
    return r;
}

/* Sorts the records of this kind into `room`. */
static size_t gather(const struct price_record *records, size_t count, enum message_kind kind,
                     struct price_record *room)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (records[i].kind == kind)
            room[n++] = records[i];
    if (n)
        qsort(room, n, sizeof *room, record_compare);
    return n;
}

int price_list_make(struct price_list **ret, const struct price_record *records, size_t count,
                    int64_t now_us)
{
    struct making m = {.list = calloc(1, sizeof *m.list)};
    struct price_record *room = calloc(count ? count : 1, sizeof *room);
    int r = m.list && room ? 0 : -ENOMEM;

    for (size_t i = 0; i < count && r == 0; i++)
        if (!record_valid(&records[i]))
            r = -EINVAL;
    for (enum message_kind kind = KIND_SMS; kind <= KIND_MMS && r == 0; kind++)
        r = add_kind(&m, kind, room, gather(records, count, kind, room), now_us);
    free(room);
    if (r == 0)
        *ret = m.list;
    else
        price_list_free(m.list);
    return r;
}

void price_list_free(struct price_list *list)
{
    if (!list)
        return;
    for (int kind = 0; kind < PRICE_KINDS; kind++) {
        free((void *)list->tables[kind].rows);
        free((void *)list->tables[kind].countries);
    }
    free(list);
}
