#include "cli/signature_guess.h"

#include "base/base64.h"
#include "view/signature.h"
#include "json/tree.h"

/* A way in which something may have been changed. The first of each table is that it was not. */
struct variant {
    bool (*undo)(struct str given, struct buf *out); /* false: cannot have happened here */
    struct slip slip;
};

static bool keep(struct str given, struct buf *out)
{
    buf_add(out, given);
    return true;
}

/* ---- the secret, as it was given ---- */

static bool trim(struct str given, struct buf *out)
{
    buf_add(out, str_trim(given));
    return str_trim(given).n != given.n;
}

static bool unquote(struct str given, struct buf *out)
{
    struct str text = str_trim(given);

    if (text.n < 2 || (text.p[0] != '"' && text.p[0] != '\'') || text.p[text.n - 1] != text.p[0])
        return false;
    buf_add(out, (struct str){text.p + 1, text.n - 2});
    return true;
}

static bool add_prefix(struct str given, struct buf *out)
{
    buf_text(out, SECRET_PREFIX);
    buf_add(out, str_trim(given));
    return !str_starts(given, STR(SECRET_PREFIX));
}

static bool add_line_end(struct str given, struct buf *out)
{
    buf_add(out, given);
    buf_add_char(out, '\n');
    return true;
}

static const struct variant secrets[] = {
    {keep, {NULL, NULL}},
    {trim, {"The secret has white space around it.", "Trim it where your program reads it."}},
    {unquote,
     {"The secret has quotes around it.",
      "Take them off; some programs that read .env files keep them."}},
    {add_prefix,
     {"The secret lacks " SECRET_PREFIX " at its beginning.",
      "Keep the secret whole, as it was shown."}},
    {add_line_end,
     {"It was signed with the secret and a line end behind it.",
      "Trim the secret where your program reads it."}},
};

/* ---- the key that is made of the secret ---- */

static bool decode(struct str secret, struct buf *out)
{
    uint8_t bytes[SECRET_BYTES_MAX];
    size_t n;

    if (!str_starts(secret, STR(SECRET_PREFIX)) ||
        !base64_decode(str_skip(secret, strlen(SECRET_PREFIX)), bytes, sizeof bytes, &n))
        return false;
    buf_add(out, (struct str){(const char *)bytes, n});
    return true;
}

static bool drop_prefix(struct str secret, struct buf *out)
{
    if (!str_starts(secret, STR(SECRET_PREFIX)))
        return false;
    buf_add(out, str_skip(secret, strlen(SECRET_PREFIX)));
    return true;
}

#define TEXT_IS_KEY                                                                                \
    "The key of X-Service-Signature is the secret as text, " SECRET_PREFIX " included."
static const struct variant body_keys[] = {
    {keep, {NULL, NULL}},
    {decode, {"It was signed with the decoded secret.", TEXT_IS_KEY}},
    {drop_prefix, {"It was signed with the secret without " SECRET_PREFIX ".", TEXT_IS_KEY}},
};

#define BYTES_ARE_KEY                                                                              \
    "The key of webhook-signature is what the base64 behind " SECRET_PREFIX " decodes to."
static const struct variant standard_keys[] = {
    {decode, {NULL, NULL}},
    {keep, {"It was signed with the secret as text.", BYTES_ARE_KEY}},
    {drop_prefix,
     {"It was signed with the secret as text, without " SECRET_PREFIX ".", BYTES_ARE_KEY}},
};

/* ---- the body ---- */

static bool drop_end(struct str body, struct buf *out)
{
    size_t n = body.n;

    while (n && memchr(" \t\r\n", body.p[n - 1], 4))
        n--;
    buf_add(out, (struct str){body.p, n});
    return n != body.n;
}

static bool make_lf(struct str body, struct buf *out)
{
    for (size_t i = 0; i < body.n; i++)
        if (body.p[i] != '\r' || i + 1 == body.n || body.p[i + 1] != '\n')
            buf_add_char(out, body.p[i]);
    return out->n != body.n;
}

static bool make_crlf(struct str body, struct buf *out)
{
    for (size_t i = 0; i < body.n; i++) {
        if (body.p[i] == '\n' && (i == 0 || body.p[i - 1] != '\r'))
            buf_add_char(out, '\r');
        buf_add_char(out, body.p[i]);
    }
    return out->n != body.n;
}

static bool drop_mark(struct str body, struct buf *out)
{
    if (!str_starts(body, STR("\xef\xbb\xbf")))
        return false;
    buf_add(out, str_skip(body, 3));
    return true;
}

static bool write_json_again(struct str body, struct buf *out)
{
    struct json_node *tree JSON_TREE_CLEANUP = json_tree_parse(body);

    if (!tree)
        return false;
    json_node_write(tree, false, out);
    return !str_eq(buf_str(out), body);
}

#define AS_IT_CAME "Use the body as it came, byte for byte."
static const struct variant bodies[] = {
    {keep, {NULL, NULL}},
    {drop_end,
     {"The body has a line end or other white space behind it that was not signed.",
      AS_IT_CAME " Editors and echo add a line end to what they write."}},
    {add_line_end, {"The body has lost the line end that it had when it was signed.", AS_IT_CAME}},
    {make_lf, {"The line ends in the body became CR LF after it was signed.", AS_IT_CAME}},
    {make_crlf, {"The line ends in the body became LF after it was signed.", AS_IT_CAME}},
    {drop_mark, {"The body begins with a byte order mark that was not signed.", AS_IT_CAME}},
    {write_json_again,
     {"The body was read as JSON and written again: the same members, but other bytes.",
      "Verify the raw bytes before anything parses them: express.raw() in Express, "
      "request.get_data() in Flask, await request.text() in Next, php://input in PHP."}},
};

/* ---- what of it is signed ---- */

static const struct slip other_content[] = {
    {"It was made over webhook-id, webhook-timestamp and the body.",
     "X-Service-Signature is made over the body alone."},
    {"It was made over the body alone.",
     "webhook-signature is made over webhook-id, a dot, webhook-timestamp, a dot and the body."},
};

/* ---- trying ---- */

enum { BODY_MAX = 64 << 20 };

struct trying {
    const struct signature_guess *g;
    struct slip slips[SLIPS_MAX];
    size_t count;      /* of the slips that are assumed now */
    struct slip *best; /* of the best so far */
    size_t best_count; /* 0: none fits yet */
};

static bool meets(const struct signature_guess *g, struct str key, struct str body, bool whole)
{
    const struct str parts[] = {g->id, STR("."), g->timestamp, STR("."), body};
    uint8_t digest[DIGEST_SHA256_SIZE];

    if (whole)
        digest_hmac_sha256(key, parts, sizeof parts / sizeof *parts, digest);
    else
        digest_hmac_sha256(key, &body, 1, digest);
    for (size_t i = 0; i < g->count; i++)
        if (digest_equal(digest, g->digests[i], sizeof digest))
            return true;
    return false;
}

static void assume(struct trying *t, const struct slip *slip)
{
    if (slip->what)
        t->slips[t->count++] = *slip;
}

static void settle(struct trying *t)
{
    if (t->best_count && t->best_count <= t->count)
        return;
    t->best_count = t->count;
    memcpy(t->best, t->slips, sizeof t->slips);
}

static void try_contents(struct trying *t, struct str key, struct str body)
{
    const struct signature_guess *g = t->g;

    if (meets(g, key, body, g->standard))
        settle(t);
    if (!g->id.p || !g->timestamp.p || !meets(g, key, body, !g->standard))
        return;
    assume(t, &other_content[g->standard]);
    settle(t);
    t->count--;
}

static void try_bodies(struct trying *t, struct str key)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct buf body BUF_CLEANUP;
        size_t count = t->count;

        buf_init(&body, BODY_MAX);
        assume(t, &bodies[i].slip);
        if (bodies[i].undo(t->g->body, &body) && !body.failed)
            try_contents(t, key, buf_str(&body));
        t->count = count;
    }
}

static void try_keys(struct trying *t, struct str secret)
{
    const struct variant *keys = t->g->standard ? standard_keys : body_keys;

    for (size_t i = 0; i < 3; i++) {
        struct buf key BUF_CLEANUP;
        size_t count = t->count;

        buf_init(&key, 1 << 16);
        assume(t, &keys[i].slip);
        if (keys[i].undo(secret, &key) && !key.failed)
            try_bodies(t, buf_str(&key));
        t->count = count;
    }
}

size_t signature_guess(const struct signature_guess *g, struct slip ret[SLIPS_MAX])
{
    struct trying t = {.g = g, .best = ret};

    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        struct buf secret BUF_CLEANUP;

        buf_init(&secret, 1 << 16);
        t.count = 0;
        assume(&t, &secrets[i].slip);
        if (secrets[i].undo(g->secret, &secret) && !secret.failed)
            try_keys(&t, buf_str(&secret));
    }
    return t.best_count;
}
