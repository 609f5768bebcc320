/* Requests that somebody saved: views lie inside the text, the body is its end, and the explanation
 * of any signature is text for a terminal. */
#include "cli/raw_request.h"
#include "cli/signature_check.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_view(struct str view, struct str text)
{
    assert(!view.p || (view.p >= text.p && view.p + view.n <= text.p + text.n));
    assert(!view.p || !memchr(view.p, '\n', view.n));
}

static void check_shown(struct str shown)
{
    for (size_t i = 0; i < shown.n; i++)
        assert((shown.p[i] >= ' ' && shown.p[i] <= '~') || shown.p[i] == '\n');
}

static void explain(const struct raw_request *r)
{
    struct buf out BUF_CLEANUP;
    struct signature_check check = {
        .secret = STR("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"),
        .body = r->body,
        .signature = r->signature,
        .webhook_id = r->webhook_id,
        .webhook_time = r->webhook_time,
        .standard = r->webhook_signature,
        .content_length = r->content_length,
        .now_s = 1800000000,
    };

    buf_init(&out, 1 << 20);
    signature_check(&check, &out);
    check_shown(buf_str(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct raw_request r;
    size_t line;

    enum raw_request_fault fault = raw_request_parse(text, &r, &line);
    assert(line >= 1 && line <= size + 1);
    if (fault != RAW_REQUEST_GOOD)
        return 0;
    assert(r.body.p + r.body.n == text.p + text.n);
    check_view(r.signature, text);
    check_view(r.webhook_id, text);
    check_view(r.webhook_time, text);
    check_view(r.webhook_signature, text);
    check_view(r.content_length, text);
    if (r.signature.p || r.webhook_signature.p)
        explain(&r);
    return 0;
}
