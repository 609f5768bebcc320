/* Form bodies and query strings: what the walker yields can be coded again and yields the same;
 * decoding by table agrees with the walker. */
#include "base/buf.h"
#include "json/form.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sample {
    struct str to;
    struct str_list media;
    int64_t validity;
    bool dry;
    bool has_to, has_media, has_validity, has_dry;
};

static const struct json_field fields[] = {
    JSON_FIELD(struct sample, to, JSON_TEXT, "to", NULL),
    JSON_FIELD(struct sample, media, JSON_TEXT_LIST, "mediaUrls", "media_urls"),
    JSON_FIELD(struct sample, validity, JSON_INT64, "validityPeriod", NULL),
    JSON_FIELD(struct sample, dry, JSON_BOOLEAN, "dryRun", NULL),
};

static void encode(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        buf_printf(out, "%%%02X", (unsigned char)s.p[i]);
}

static void check_again(struct str name, struct str value, struct arena *a)
{
    struct buf out BUF_CLEANUP;
    struct str name_again, value_again;

    buf_init(&out, 64 << 20);
    encode(&out, name);
    buf_add_char(&out, '=');
    encode(&out, value);
    assert(!out.failed);
    struct form f = form_of(buf_str(&out));
    assert(form_next(&f, a, &name_again, &value_again) == 1);
    assert(str_eq(name, name_again) && str_eq(value, value_again));
    assert(form_next(&f, a, &name_again, &value_again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str body = {(const char *)data, size}, name, value;
    struct form f = form_of(body);
    struct sample s = {0};
    struct json_error error;
    struct arena a;
    int r;

    arena_init(&a, 64 << 20);
    while ((r = form_next(&f, &a, &name, &value)) > 0)
        check_again(name, value, &a);
    enum json_result result = form_decode(body, fields, 4, &s, &a, &error);
    assert((r < 0) == (result == JSON_MALFORMED));
    assert((result == JSON_WRONG_TYPE) == (error.field != NULL));
    assert(!s.has_media || s.media.count > 0);
    arena_done(&a);
    return 0;
}
