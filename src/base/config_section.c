/* The sections that have a name: what kinds there are, what each holds, and how one comes about. */
#include "base/config_internal.h"

#include <stdlib.h>

#define FIELD_ADDRESS(key)  key
#define FIELD_PATH(key)     key
#define FIELD_TEXT(key)     key
#define FIELD_SECRET(key)   key
#define FIELD_INTEGER(key)  key
#define FIELD_DURATION(key) key##_ms
#define FIELD_MONEY(key)    key##_micros
#define FIELD_WORD(key)     key
#define FIELD_WORDS(key)    key

#define ROW(kind, k, t, i, l, m, w, h)                                                             \
    {.section = #kind,                                                                             \
     .key = #k,                                                                                    \
     .type = CONFIG_##t,                                                                           \
     .initial = i,                                                                                 \
     .least = l,                                                                                   \
     .most = m,                                                                                    \
     .words = w,                                                                                   \
     .help = h,                                                                                    \
     .offset = offsetof(struct config_##kind, FIELD_##t(k))},

#define X(...) ROW(plan, __VA_ARGS__)
static const struct config_row plan_rows[] = {CONFIG_PLAN_ROWS(X)};
#undef X
#define X(...) ROW(carrier, __VA_ARGS__)
static const struct config_row carrier_rows[] = {CONFIG_CARRIER_ROWS(X)};
#undef X
#define X(...) ROW(mmsc, __VA_ARGS__)
static const struct config_row mmsc_rows[] = {CONFIG_MMSC_ROWS(X)};
#undef X
#define X(...) ROW(sender, __VA_ARGS__)
static const struct config_row sender_rows[] = {CONFIG_SENDER_ROWS(X)};
#undef X
#define X(...) ROW(route, __VA_ARGS__)
static const struct config_row route_rows[] = {CONFIG_ROUTE_ROWS(X)};
#undef X

#define DIGITS  "0123456789"
#define SMALL   "abcdefghijklmnopqrstuvwxyz"
#define CAPITAL "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Of exactly these characters, so many of them. */
static bool made_of(const char *text, const char *characters, size_t least, size_t most)
{
    size_t n = strspn(text, characters);
    return n >= least && n <= most && text[n] == '\0';
}

static bool word_good(const char *name)
{
    return made_of(name, SMALL DIGITS "_-", 1, CONFIG_SECTION_NAME_MAX);
}

/* A number of E.164, a short code, or a name as networks take them. */
static bool sender_good(const char *address)
{
    if (address[0] == '+')
        return address[1] != '0' && made_of(address + 1, DIGITS, 7, 15);
    if (made_of(address, DIGITS, 3, 8))
        return true;
    return made_of(address, SMALL CAPITAL DIGITS " &._-", 1, 11) &&
           strpbrk(address, SMALL CAPITAL) != NULL;
}

#define ROWS(array) .rows = (array), .row_count = sizeof(array) / sizeof *(array)
#define WORD_RULE   " has 1 to 32 small letters, digits, - and _"

const struct config_kind config_kinds[CONFIG_KIND_COUNT] = {
    [CONFIG_PLAN] = {.word = "plan",
                     .sample = "NAME",
                     ROWS(plan_rows),
                     .required = "",
                     .name_good = word_good,
                     .name_rule = "a plan's name" WORD_RULE,
                     .size = sizeof(struct config_plan),
                     .max = CONFIG_PLANS_MAX},
    [CONFIG_CARRIER] = {.word = "carrier",
                        .sample = "NAME",
                        ROWS(carrier_rows),
                        .required = "address system_id",
                        .name_good = word_good,
                        .name_rule = "a carrier's name" WORD_RULE,
                        .size = sizeof(struct config_carrier),
                        .max = CONFIG_CARRIERS_MAX},
    [CONFIG_MMSC] = {.word = "mmsc",
                     .sample = "NAME",
                     ROWS(mmsc_rows),
                     .required = "url",
                     .name_good = word_good,
                     .name_rule = "an MMSC's name" WORD_RULE,
                     .size = sizeof(struct config_mmsc),
                     .max = CONFIG_CARRIERS_MAX},
    [CONFIG_SENDER] = {.word = "sender",
                       .sample = "ADDRESS",
                       ROWS(sender_rows),
                       .required = "",
                       .name_good = sender_good,
                       .name_rule =
                           "a sender is a number such as +18005551234, a short code of 3 to 8 "
                           "digits, or a name of up to 11 letters, digits, spaces and & . _ -",
                       .size = sizeof(struct config_sender),
                       .max = CONFIG_SENDERS_MAX},
    [CONFIG_ROUTE] = {.word = "route",
                      .sample = "NAME",
                      ROWS(route_rows),
                      .required = "carrier",
                      .name_good = word_good,
                      .name_rule = "a route's name" WORD_RULE,
                      .size = sizeof(struct config_route),
                      .max = CONFIG_ROUTES_MAX},
};

unsigned config_kind_find(struct str word)
{
    unsigned kind = 0;

    while (kind < CONFIG_KIND_COUNT && !str_is(word, config_kinds[kind].word))
        kind++;
    return kind;
}

const struct config_section *config_section_at(const struct config *c, unsigned kind, size_t i)
{
    return (const struct config_section *)((const char *)c->lists[kind].items +
                                           i * config_kinds[kind].size);
}

struct config_section *config_section_find(const struct config *c, unsigned kind, struct str name)
{
    for (size_t i = 0; i < c->lists[kind].count; i++)
        if (str_is(name, config_section_at(c, kind, i)->name))
            return (struct config_section *)config_section_at(c, kind, i);
    return NULL;
}

const struct config_plan *config_plan_find(const struct config *c, const char *name)
{
    return (const struct config_plan *)config_section_find(c, CONFIG_PLAN, str_of(name));
}

const char *config_section_origin(unsigned kind, const struct config_section *s, const char *key)
{
    const struct config_kind *k = &config_kinds[kind];

    for (size_t i = 0; i < k->row_count; i++)
        if (strcmp(k->rows[i].key, key) == 0)
            return s->origins[i];
    abort();
}

struct str config_list_cut(struct str *list)
{
    while (list->n && strchr(" \t,", list->p[0]))
        *list = str_skip(*list, 1);
    struct str word = {list->p, 0};
    while (word.n < list->n && !strchr(" \t,", list->p[word.n]))
        word.n++;
    *list = str_skip(*list, word.n);
    return word;
}

/* ---- coming about ---- */

/* A faulty value counts as set, so that it is not also called missing. */
void config_section_apply(struct config_load *l, unsigned kind, struct config_section *s,
                          const struct config_row *row, const char *text, const char *place)
{
    struct arena *memory = &l->config->memory;
    size_t index = (size_t)(row - config_kinds[kind].rows);
    struct str copy = arena_copy(memory, str_of(text)), origin = arena_copy(memory, str_of(place));
    char fault[CONFIG_FAULT_SIZE];

    if (!copy.p || !origin.p) {
        config_fault(l, place, "does not fit into memory");
        return;
    }
    s->texts[index] = copy.p;
    s->origins[index] = origin.p;
    if (!config_value_set(memory, s, row, text, fault)) {
        config_fault(l, place, "%s %s.%s %s", row->section, s->name, row->key, fault);
        s->faulty = true;
    }
}

void config_section_judge(const struct config_load *l, struct config_section *s, unsigned before)
{
    s->faulty |= l->report->error_count != before;
}

/* What has no default is zero until it is set, which config_check sees to. */
static bool set_defaults(struct arena *memory, const struct config_kind *k,
                         struct config_section *s)
{
    char fault[CONFIG_FAULT_SIZE];

    s->texts = arena_alloc(memory, k->row_count * sizeof *s->texts);
    s->origins = arena_alloc(memory, k->row_count * sizeof *s->origins);
    if (!s->texts || !s->origins)
        return false;
    for (size_t i = 0; i < k->row_count; i++) {
        const struct config_row *row = &k->rows[i];
        s->texts[i] = row->initial;
        s->origins[i] = "default";
        bool none = row->type == CONFIG_ADDRESS && !row->initial[0];
        if (!none && !config_value_set(memory, s, row, row->initial, fault))
            return false;
    }
    return true;
}

static struct config_section *begin(struct config *c, unsigned kind, const char *name,
                                    const char *place)
{
    const struct config_kind *k = &config_kinds[kind];
    struct config_list *list = &c->lists[kind];

    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 4;
        void *items = realloc(list->items, room * k->size);
        if (!items)
            return NULL;
        list->items = items;
        list->room = room;
    }
    struct config_section *s = (struct config_section *)config_section_at(c, kind, list->count);
    memset(s, 0, k->size);
    str_format(s->name, sizeof s->name, "%s", name);
    s->place = arena_copy(&c->memory, str_of(place)).p;
    if (!s->place || !set_defaults(&c->memory, k, s))
        return NULL;
    list->count++;
    return s;
}

struct config_section *config_section_open(struct config_load *l, unsigned kind, const char *name,
                                           const char *place)
{
    const struct config_kind *k = &config_kinds[kind];

    if (!k->name_good(name)) {
        config_fault(l, place, "%s, not '%s'", k->name_rule, name);
        return NULL;
    }
    struct config_section *s = config_section_find(l->config, kind, str_of(name));
    if (s)
        return s;
    if (l->config->lists[kind].count == k->max) {
        config_fault(l, place, "there are more than %zu %ss", k->max, k->word);
        return NULL;
    }
    s = begin(l->config, kind, name, place);
    if (!s)
        config_fault(l, place, "does not fit into memory");
    return s;
}

/* ---- the plans of the program ---- */

void config_plans_ship(struct config_load *l)
{
    static const struct {
        const char *name;
        int64_t per_minute, per_hour;
    } shipped[] = {
#define P(name, per_minute, per_hour) {name, per_minute, per_hour},
#include "base/plans.def"
#undef P
    };
    struct arena *memory = &l->config->memory;

    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        struct config_plan *p =
            (struct config_plan *)config_section_open(l, CONFIG_PLAN, shipped[i].name, "default");
        if (!p)
            return;
        p->per_minute = shipped[i].per_minute;
        p->per_hour = shipped[i].per_hour;
        p->texts[0] = arena_number(memory, p->per_minute);
        p->texts[1] = arena_number(memory, p->per_hour);
    }
}
