/* JSON bodies: decoding never breaks, and every text that came out goes through the writer and
 * back unchanged. */
#include "json/test_sample.h"
#include "json/write.h"

#include <assert.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample s = {0};
    struct json_error error;
    struct arena a;

    arena_init(&a, 64 << 20);
    enum json_result r =
        json_decode((struct str){(const char *)data, size}, fields, FIELD_COUNT, &s, &a, &error);
    if (r == JSON_MALFORMED || r == JSON_WRONG_TYPE)
        check_message(&error, &a);
    assert((r == JSON_WRONG_TYPE) == (error.field != NULL));
    assert(r != JSON_MALFORMED || !(s.has_to || s.has_text || s.has_media));
    if (r != JSON_NO_MEMORY)
        check_round_trip(&s, &a);
    arena_done(&a);
    return 0;
}
