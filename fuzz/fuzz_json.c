/* JSON bodies: decoding never breaks, agrees with jansson on what is well-formed and what is in it,
 * and every text that came out goes through the writer and back unchanged.
 *
 * Three differences from jansson are meant: we allow fewer levels; a number out of range is
 * malformed for jansson but no more than a wrong type for us; and jansson passes over a NUL byte
 * behind a number, where we refuse it like everywhere else. */
#include "json/canon.h"
#include "json/scan.h"
#include "json/test_sample.h"
#include "json/write.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_sample(struct buf *out, const struct sample *s)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_begin_object(&w);
    json_key(&w, "to");
    json_put_string(&w, s->to);
    json_key(&w, "text");
    json_put_string(&w, s->text);
    json_key(&w, "mediaUrls");
    json_begin_array(&w);
    for (size_t i = 0; i < s->media.count; i++)
        json_put_string(&w, s->media.items[i]);
    json_end(&w);
    json_key(&w, "validityPeriod");
    json_put_i64(&w, s->validity);
    json_key(&w, "dryRun");
    json_put_bool(&w, s->dry);
    json_end(&w);
}

static void check_round_trip(const struct sample *s, struct arena *a)
{
    struct buf out BUF_CLEANUP;
    struct sample again = {0};
    struct json_error error;

    buf_init(&out, 64 << 20);
    write_sample(&out, s);
    assert(!out.failed);
    assert(json_decode(buf_str(&out), fields, FIELD_COUNT, &again, a, &error) == JSON_OK);
    assert(str_eq(again.to, s->to) && str_eq(again.text, s->text));
    assert(again.media.count == s->media.count);
    for (size_t i = 0; i < s->media.count; i++)
        assert(str_eq(again.media.items[i], s->media.items[i]));
    assert(again.validity == s->validity && again.dry == s->dry);
}

/* What was wrong is shown to the client, so it must fit into an answer. */
static void check_message(const struct json_error *error, struct arena *a)
{
    struct sample s = {.to = str_of(error->message)};

    assert(error->message[0]);
    check_round_trip(&s, a);
}

/* More brackets are open at some place than we allow levels. Strings are passed over. */
static bool is_deep(struct str s)
{
    bool quoted = false;
    int depth = 0;

    for (size_t i = 0; i < s.n && depth <= JSON_LEVELS_MAX; i++) {
        if (s.p[i] == '\\' && quoted)
            i++;
        else if (s.p[i] == '"')
            quoted = !quoted;
        else if (!quoted && (s.p[i] == '[' || s.p[i] == '{'))
            depth++;
        else if (!quoted && (s.p[i] == ']' || s.p[i] == '}'))
            depth--;
    }
    return depth > JSON_LEVELS_MAX;
}

static bool same_text(const json_t *theirs, struct str ours)
{
    return str_eq((struct str){json_string_value(theirs), json_string_length(theirs)}, ours);
}

/* True when jansson's value has the type of the field; then ours is the same. */
static bool check_list(const json_t *theirs, const struct str_list *ours)
{
    size_t n = json_array_size(theirs);

    if (!json_is_array(theirs))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!json_is_string(json_array_get(theirs, i)))
            return false;
    assert(ours->count == n);
    for (size_t i = 0; i < n; i++)
        assert(same_text(json_array_get(theirs, i), ours->items[i]));
    return true;
}

static bool check_number(const json_t *theirs, int64_t ours)
{
    const double most = 9007199254740992.0;

    if (json_is_integer(theirs)) {
        json_int_t whole = json_integer_value(theirs);
        bool good = whole >= -JSON_INT_MAX && whole <= JSON_INT_MAX;
        assert(!good || whole == ours);
        return good;
    }
    double real = json_is_real(theirs) ? json_real_value(theirs) : 0.5;
    if (real < -most || real > most || (double)(int64_t)real != real)
        return false;
    assert((int64_t)real == ours);
    return true;
}

/* Numbers count as they are written, and jansson writes them its own way. */
static bool has_numbers(const json_t *value)
{
    const json_t *item;
    const char *name;
    size_t i;

    json_array_foreach(value, i, item) if (has_numbers(item)) return true;
    json_object_foreach((json_t *)value, name, item) if (has_numbers(item)) return true;
    return json_is_number(value);
}

/* What was kept as text is what jansson read, and comes to the same written anew in another order.
 */
static void check_raw(const json_t *theirs, struct str ours)
{
    static const uint8_t key[SIPHASH_KEY_SIZE] = {1};
    json_t *again = json_loadb(ours.p, ours.n, JSON_ALLOW_NUL, NULL);
    char *sorted = json_dumps(theirs, JSON_SORT_KEYS | JSON_INDENT(2));
    struct siphash a, b;
    struct arena arena;

    assert(json_equal(again, theirs));
    arena_init(&arena, 64 << 20);
    siphash_init(&a, key);
    siphash_init(&b, key);
    json_canon_hash(ours, key, &arena, &a);
    json_canon_hash(str_of(sorted), key, &arena, &b);
    assert(has_numbers(theirs) || memcmp(&a, &b, sizeof a) == 0);
    arena_done(&arena);
    free(sorted);
    json_decref(again);
}

static bool check_field(const json_t *theirs, const struct json_field *field,
                        const struct sample *s)
{
    const void *ours = (const char *)s + field->offset;

    switch (field->kind) {
    case JSON_TEXT_OR_NULL:
        if (json_is_null(theirs)) {
            assert(((const struct str *)ours)->n == 0);
            return true;
        }
        assert(!json_is_string(theirs) || same_text(theirs, *(const struct str *)ours));
        return json_is_string(theirs);
    case JSON_TEXT:
        assert(!json_is_string(theirs) || same_text(theirs, *(const struct str *)ours));
        return json_is_string(theirs);
    case JSON_TEXT_LIST:
        return check_list(theirs, ours);
    case JSON_INT64:
        return check_number(theirs, *(const int64_t *)ours);
    case JSON_BOOLEAN:
        assert(!json_is_boolean(theirs) || json_is_true(theirs) == *(const bool *)ours);
        return json_is_boolean(theirs);
    case JSON_RAW_OBJECT:
        if (json_is_object(theirs))
            check_raw(theirs, *(const struct str *)ours);
        return json_is_object(theirs);
    case JSON_RAW_ARRAY:
        if (json_is_array(theirs))
            check_raw(theirs, *(const struct str *)ours);
        return json_is_array(theirs);
    }
    return false;
}

/* Every field is there that is there for jansson, and the first of the wrong type is named. */
static void check_fields(const json_t *root, const struct sample *s, const struct json_error *error)
{
    const char *wrong = NULL;

    for (size_t i = 0; i < FIELD_COUNT; i++) {
        bool nullable = fields[i].kind == JSON_TEXT_OR_NULL;
        const json_t *theirs = json_object_get(root, fields[i].name);
        if ((!theirs || (json_is_null(theirs) && !nullable)) && fields[i].alias)
            theirs = json_object_get(root, fields[i].alias);
        bool given = theirs && (nullable || !json_is_null(theirs));
        assert(*(const bool *)((const char *)s + fields[i].set_offset) == given);
        if (given && !check_field(theirs, &fields[i], s) && !wrong)
            wrong = fields[i].name;
    }
    assert(wrong == error->field);
}

static void check_against_jansson(struct str body, enum json_result r, const struct sample *s,
                                  const struct json_error *error)
{
    json_error_t e;

    bool nul = body.n && memchr(body.p, '\0', body.n);
    assert(!(nul || is_deep(body)) || r == JSON_MALFORMED);
    if (nul || is_deep(body))
        return;
    json_t *root =
        json_loadb(body.n ? body.p : "", body.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
    if (root || json_error_code(&e) != json_error_numeric_overflow)
        assert(json_is_object(root) == (r != JSON_MALFORMED));
    if (json_is_object(root))
        check_fields(root, s, error);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str body = {(const char *)data, size};
    struct sample s = {0};
    struct json_error error;
    struct arena a;

    arena_init(&a, 64 << 20);
    enum json_result r = json_decode(body, fields, FIELD_COUNT, &s, &a, &error);
    if (r == JSON_MALFORMED || r == JSON_WRONG_TYPE)
        check_message(&error, &a);
    assert((r == JSON_WRONG_TYPE) == (error.field != NULL));
    assert(r != JSON_MALFORMED || !(s.has_to || s.has_text || s.has_media));
    if (r != JSON_NO_MEMORY) {
        check_against_jansson(body, r, &s, &error);
        check_round_trip(&s, &a);
    }
    arena_done(&a);
    return 0;
}
