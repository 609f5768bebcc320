#include "cli/signature_check.h"

#include "base/clock.h"
#include "cli/output.h"
#include "cli/signature_guess.h"
#include "cli/signature_value.h"
#include "view/signature.h"
#include "json/tree.h"

#include <inttypes.h>

enum { TOLERANCE_S = 5 * 60 };

/* What became of one of the two signatures. */
struct verdict {
    bool asked; /* it was given */
    bool fits;
    size_t among; /* how many the header has */
    struct slip slips[SLIPS_MAX + 2];
    size_t slip_count;
};

static void note(struct verdict *v, const char *what, const char *remedy)
{
    v->slips[v->slip_count++] = (struct slip){what, remedy};
    v->fits = false;
}

/* A file ends with a line end, and nobody means it; it is left out, and said. */
static struct str without_line_end(struct str text)
{
    if (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    if (text.n && text.p[text.n - 1] == '\r')
        text.n--;
    return text;
}

/* ---- what was given ---- */

static void tell_secret(const struct signature_check *c, struct str secret, struct buf *out)
{
    const char *fault = secret_fault(secret);
    char text[256];

    str_format(text, sizeof text,
               fault ? "%zu characters; a secret of Skylark %s."
                     : "%zu characters, " SECRET_PREFIX " and base64%s",
               secret.n, fault ? fault : "");
    buf_text(out, "Secret   ");
    output_wrap(out, text, 9);
    if (secret.n != c->secret.n)
        buf_text(out,
                 "         (The line end behind it is left out; your program must do the same.)\n");
}

static const char *body_kind(struct str body)
{
    struct json_node *tree JSON_TREE_CLEANUP = json_tree_parse(body);

    return tree ? "of JSON" : "that are no JSON";
}

static void tell_body(const struct signature_check *c, struct buf *out)
{
    uint8_t digest[DIGEST_SHA256_SIZE];
    char hex[2 * DIGEST_SHA256_SIZE + 1];
    uint64_t length;

    digest_sha256(c->body, digest);
    digest_hex(digest, sizeof digest, hex);
    if (c->body.n)
        buf_printf(out, "Body     %zu bytes %s\n", c->body.n, body_kind(c->body));
    else
        buf_text(out,
                 "Body     empty. Has something read it before, as a parser of bodies does?\n");
    if (c->content_length.p && str_to_u64(c->content_length, &length) && length != c->body.n)
        buf_printf(out, "         (Content-Length says %" PRIu64 ".)\n", length);
    buf_printf(out, "SHA-256  %s\n", hex);
}

/* ---- the two signatures ---- */

static bool contains(const struct signature_value *v, const uint8_t digest[DIGEST_SHA256_SIZE])
{
    for (size_t i = 0; i < v->count; i++)
        if (digest_equal(v->digests[i], digest, DIGEST_SHA256_SIZE))
            return true;
    return false;
}

/* The digest in a value of our own making. */
static void digest_in(struct str value, bool standard, uint8_t out[DIGEST_SHA256_SIZE])
{
    struct signature_value ours;

    if (standard)
        signature_value_read_standard(value, &ours);
    else
        signature_value_read(value, &ours);
    memcpy(out, ours.digests[0], DIGEST_SHA256_SIZE);
}

/* A digest that fits in a form that does not is one mistake; one that does not fit is looked into.
 */
static void judge(const struct signature_check *c, struct str secret, bool standard,
                  struct str expected, struct verdict *v)
{
    struct signature_value given;
    uint8_t digest[DIGEST_SHA256_SIZE];

    if (standard)
        signature_value_read_standard(c->standard, &given);
    else
        signature_value_read(c->signature, &given);
    digest_in(expected, standard, digest);
    v->among = given.count;
    v->fits = contains(&given, digest);
    if (!v->fits)
        v->slip_count = signature_guess(&(struct signature_guess){.secret = secret,
                                                                  .body = c->body,
                                                                  .id = c->webhook_id,
                                                                  .timestamp = c->webhook_time,
                                                                  .standard = standard,
                                                                  .digests = given.digests,
                                                                  .count = given.count},
                                        v->slips);
    if (given.fault)
        note(v, given.fault, "Compare the text of the header as it came.");
}

static void tell_values(struct str given, struct str expected, const struct verdict *v,
                        struct buf *out)
{
    buf_text(out, "given    ");
    output_plain(out, given);
    buf_printf(out, "\nexpected %.*s\n", STR_FMT(expected));
    if (v->fits && v->among > 1)
        buf_printf(out, "One of the %zu given is the expected one.\n", v->among);
    else
        buf_text(out, v->fits ? "They are the same.\n" : "They differ.\n");
}

static void check_body(const struct signature_check *c, struct str secret, struct verdict *v,
                       struct buf *out)
{
    struct buf expected BUF_CLEANUP;

    buf_init(&expected, 256);
    v->asked = c->signature.p;
    if (!v->asked)
        return;
    signature_of_body(&(struct signing){.secret = secret, .body = c->body}, &expected);
    judge(c, secret, false, buf_str(&expected), v);
    buf_text(out, "\nX-Service-Signature: HMAC-SHA256 of the body, key: the secret as text\n");
    tell_values(c->signature, buf_str(&expected), v, out);
}

/* How long ago, as people say it. */
static void tell_age(int64_t age_s, struct buf *out)
{
    int64_t n = age_s < 0 ? -age_s : age_s;
    const char *unit = "s";

    if (n >= 2 * 86400)
        n /= 86400, unit = "days";
    else if (n >= 2 * 3600)
        n /= 3600, unit = "h";
    else if (n >= 2 * 60)
        n /= 60, unit = "min";
    buf_printf(out, "%" PRId64 " %s %s", n, unit, age_s < 0 ? "in the future" : "ago");
}

static void check_time(const struct signature_check *c, int64_t signed_s, struct verdict *v,
                       struct buf *out)
{
    int64_t age_s = c->now_s - signed_s;
    char text[RFC3339_SIZE];

    buf_printf(out, "time     %" PRId64, signed_s);
    if (signed_s > c->now_s * 100) {
        buf_text(out, "\n");
        note(v, "webhook-timestamp is in milliseconds.", "It must be in seconds since 1970.");
        return;
    }
    rfc3339_format(signed_s * 1000000, text);
    buf_printf(out, " (%s, ", text);
    tell_age(age_s, out);
    buf_text(out, ")\n");
    if (age_s > TOLERANCE_S)
        note(v, "The request is more than five minutes old.",
             "Receivers refuse such, because somebody could send an old one again. For a live "
             "request, look at the clock of the machine.");
    else if (age_s < -TOLERANCE_S)
        note(v, "The request was signed more than five minutes in the future.",
             "Look at the clocks of both machines.");
}

static void check_standard(const struct signature_check *c, struct str secret, struct verdict *v,
                           struct buf *out)
{
    struct buf expected BUF_CLEANUP;
    struct verdict late = {.fits = true};
    int64_t signed_s;

    buf_init(&expected, 256);
    v->asked = c->standard.p;
    if (!v->asked)
        return;
    buf_text(out,
             "\nwebhook-signature: HMAC-SHA256 of id.timestamp.body, key: the decoded secret\n");
    if (!c->webhook_id.p || !str_to_i64(c->webhook_time, &signed_s) || signed_s < 0) {
        note(v, "webhook-id or webhook-timestamp is missing, or is no number of seconds.",
             "Give all three headers of Standard Webhooks.");
        return;
    }
    buf_text(out, "id       ");
    output_plain(out, c->webhook_id);
    buf_text(out, "\n");
    check_time(c, signed_s, &late, out);
    signature_standard(
        &(struct signing){
            .secret = secret, .id = c->webhook_id, .timestamp_s = signed_s, .body = c->body},
        &expected);
    judge(c, secret, true, buf_str(&expected), v);
    tell_values(c->standard, buf_str(&expected), v, out);
    if (!late.fits)
        note(v, late.slips[0].what, late.slips[0].remedy);
}

/* ---- what it comes to ---- */

static void tell_slip(const struct slip *slip, struct buf *out)
{
    buf_text(out, "  ");
    output_wrap(out, slip->what, 2);
    buf_text(out, "  Remedy: ");
    output_wrap(out, slip->remedy, 10);
}

static void tell_slips(const struct verdict *v, struct buf *out)
{
    for (size_t i = 0; i < v->slip_count; i++)
        tell_slip(&v->slips[i], out);
}

static bool same_slips(const struct verdict *a, const struct verdict *b)
{
    if (a->slip_count != b->slip_count)
        return false;
    for (size_t i = 0; i < a->slip_count; i++)
        if (a->slips[i].what != b->slips[i].what)
            return false;
    return true;
}

static const struct slip unknown = {
    "None of the usual mistakes explains it: either it was signed with another secret, or the body "
    "was changed.",
    "Compare the secret with that of this very endpoint. Each endpoint, test and live, and "
    "'skylark webhooks listen' have secrets of their own. After a rotation X-Service-Signature is "
    "made with the old one until its hours of grace are over.",
};

static const struct slip emptied = {
    "The body is empty, and what was signed was not.",
    "Something has read it before: take the raw bytes before anything parses them.",
};

static void tell_bad(const struct signature_check *c, const struct verdict *v, const char *name,
                     struct buf *out)
{
    buf_printf(out, "\nNot good: %s.\n", name);
    if (v->slip_count)
        tell_slips(v, out);
    else
        tell_slip(c->body.n ? &unknown : &emptied, out);
}

bool signature_check(const struct signature_check *c, struct buf *out)
{
    struct verdict body = {.fits = true}, standard = {.fits = true};
    struct str secret = without_line_end(c->secret);

    tell_secret(c, secret, out);
    tell_body(c, out);
    check_body(c, secret, &body, out);
    check_standard(c, secret, &standard, out);
    if (body.fits && standard.fits) {
        buf_text(out, "\nGood: it was signed with this secret, and the body is as it was sent.\n");
        return true;
    }
    if (!body.fits && !standard.fits && body.asked && standard.asked &&
        same_slips(&body, &standard)) {
        tell_bad(c, &body, "X-Service-Signature and webhook-signature", out);
        return false;
    }
    if (!body.fits && standard.asked && standard.fits && standard.among > 1)
        note(&body, "The secret is being rotated, and this is the new one.",
             "Until the old one's grace is over X-Service-Signature is made with the old secret; "
             "webhook-signature has both.");
    if (!body.fits)
        tell_bad(c, &body, "X-Service-Signature", out);
    if (!standard.fits)
        tell_bad(c, &standard, "webhook-signature", out);
    return false;
}
