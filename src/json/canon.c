#include "json/canon.h"

#include "json/scan.h"

/* Where the walk stands; values hold values, to JSON_LEVELS_MAX. */
struct canon {
    const uint8_t *key;
    struct arena *arena;
};

static void add_value(const struct canon *c, const struct json_value *v, struct siphash *into);

static void add_array(const struct canon *c, struct str raw, struct siphash *into)
{
    struct json_value item;
    struct json_scan s;
    uint64_t count = 0;

    json_scan_init(&s, raw, c->arena);
    json_scan_array_begin(&s);
    for (; json_scan_array_next(&s, count == 0) > 0 && json_scan_value(&s, &item) == 0; count++)
        add_value(c, &item, into);
    siphash_u64(into, count);
}

/* Each member for itself, then their sum, which has no order. */
static void add_object(const struct canon *c, struct str raw, struct siphash *into)
{
    uint64_t sum[2] = {0, 0}, count = 0, hash[2];
    struct json_value value;
    struct siphash member;
    struct json_scan s;
    struct str name;
    size_t mark;

    json_scan_init(&s, raw, c->arena);
    json_scan_object_begin(&s, &mark);
    while (json_scan_object_next(&s, mark, &name) > 0 && json_scan_value(&s, &value) == 0) {
        siphash_init(&member, c->key);
        siphash_text(&member, name);
        add_value(c, &value, &member);
        siphash_done(&member, (uint8_t *)hash);
        sum[0] += hash[0];
        sum[1] += hash[1];
        count++;
    }
    siphash_u64(into, sum[0]);
    siphash_u64(into, sum[1]);
    siphash_u64(into, count);
}

static void add_value(const struct canon *c, const struct json_value *v, struct siphash *into)
{
    struct str text = v->raw;

    siphash_u64(into, v->type);
    if (v->type == JSON_TYPE_ARRAY) {
        add_array(c, v->raw, into);
    } else if (v->type == JSON_TYPE_OBJECT) {
        add_object(c, v->raw, into);
    } else {
        if (v->type == JSON_TYPE_STRING)
            json_value_text(v, c->arena, &text);
        siphash_text(into, text);
    }
}

void json_canon_hash(struct str json, const uint8_t key[SIPHASH_KEY_SIZE], struct arena *a,
                     struct siphash *into)
{
    struct canon c = {key, a};
    struct json_value value;
    struct json_scan s;

    json_scan_init(&s, json, a);
    if (json_scan_value(&s, &value) == 0)
        add_value(&c, &value, into);
}
