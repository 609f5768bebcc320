/* Who calls: the bearer key, looked up by its hash.
 *
 * Each worker remembers keys it has seen, as long as no key has changed (store_key_generation).
 * Unknown keys are not remembered, so guesses cannot push out real ones. An unknown, a revoked and
 * an expired key get one and the same answer, and an address that shows many of them has to wait
 * (throttle.h). */
#include "api/call.h"
#include "api/throttle.h"
#include "base/metric.h"
#include "net/digest.h"

#include <errno.h>
#include <stdlib.h>

enum { CACHE_SLOTS = 1024 }; /* a key has one place: two keys that meet there take turns */

struct key_cache {
    uint64_t generation;
    struct key_record *slots[CACHE_SLOTS];
};

struct key_cache *key_cache_new(void)
{
    return calloc(1, sizeof(struct key_cache));
}

static void key_cache_clear(struct key_cache *k)
{
    for (size_t i = 0; i < CACHE_SLOTS; i++) {
        free(k->slots[i]);
        k->slots[i] = NULL;
    }
}

void key_cache_free(struct key_cache *k)
{
    if (k)
        key_cache_clear(k);
    free(k);
}

/* 0, -ENOENT, or what is wrong with the store. */
static int find_key(struct api_worker *w, const uint8_t hash[KEY_HASH_SIZE],
                    const struct key_record **ret)
{
    struct key_cache *k = w->keys;
    uint64_t generation = store_key_generation(w->api->options.store);
    struct key_record **slot = &k->slots[(hash[0] | hash[1] << 8) % CACHE_SLOTS], found;

    if (generation != k->generation) {
        key_cache_clear(k);
        k->generation = generation;
    }
    if (*slot && digest_equal((*slot)->hash, hash, KEY_HASH_SIZE)) {
        *ret = *slot;
        return 0;
    }
    int failed = store_key_find(w->reader, hash, &found);
    if (failed)
        return failed;
    if (!*slot)
        *slot = malloc(sizeof **slot);
    if (!*slot)
        return -ENOMEM;
    **slot = found;
    *ret = *slot;
    return 0;
}

/* The first of its name counts; that there were two is for whoever wants it to say. */
static void note_header(struct str value, struct str *ret, bool *ret_two)
{
    if (ret->p)
        *ret_two = true;
    else
        *ret = value.p ? value : STR("");
}

void call_read_headers(struct call *c)
{
    const struct http_head *head = &c->http->head;
    struct call_headers *h = &c->headers;

    for (size_t i = 0; i < head->field_count; i++) {
        const struct http_field *f = &head->fields[i];
        if (f->name.n == 13 && str_eq_nocase(f->name, STR("Authorization")))
            note_header(f->value, &h->authorization, &h->two_authorizations);
        else if (f->name.n == 12 && str_eq_nocase(f->name, STR("Content-Type")))
            note_header(f->value, &h->content_type, &h->two_content_types);
        else if (f->name.n == 15 && str_eq_nocase(f->name, STR("Idempotency-Key")))
            note_header(f->value, &h->idempotency_key, &h->two_idempotency_keys);
    }
}

/* The key inside "Bearer sl_test_…". */
static bool bearer(struct call *c, struct str *ret, struct problem *p)
{
    struct str header = c->headers.authorization;

    if (!header.p)
        return problem_set(p, PROBLEM_MISSING_API_KEY, NULL,
                           "No API key was given; send the header 'Authorization: Bearer "
                           "<API_KEY>'.");
    if (c->headers.two_authorizations)
        return problem_set(p, PROBLEM_INVALID_AUTHORIZATION_HEADER, NULL,
                           "The Authorization header is given twice; give it once.");
    *ret = str_starts_nocase(header, STR("Bearer ")) ? str_trim(str_skip(header, 7)) : STR("");
    if (ret->n == 0 || memchr(ret->p, ' ', ret->n))
        return problem_set(p, PROBLEM_INVALID_AUTHORIZATION_HEADER, NULL,
                           "The Authorization header must be 'Bearer <API_KEY>'.");
    return true;
}

/* 0, or -ENOENT also for a key that is off. */
static int look_up(struct call *c, struct str text)
{
    uint8_t hash[KEY_HASH_SIZE];

    digest_sha256(text, hash);
    int failed = find_key(c->worker, hash, &c->key);
    return failed == 0 && !key_is_on(c->key, c->now_us) ? -ENOENT : failed;
}

bool call_find_key(struct call *c)
{
    struct problem p;
    struct str text = STR("");

    return bearer(c, &text, &p) &&
           throttle_wait(c->api->throttle, &c->http->peer->address, c->now_us) == 0 &&
           look_up(c, text) == 0;
}

/* One and the same for keys of every kind: who is told to wait learns nothing about any. */
static bool told_to_wait(struct call *c, unsigned wait_s, struct problem *p)
{
    problem_set(p, PROBLEM_TOO_MANY_FAILED_KEY_ATTEMPTS, NULL,
                arena_printf(&c->http->arena,
                             "Too many requests with wrong keys came from your address; try again "
                             "in %u second%s.",
                             wait_s, wait_s == 1 ? "" : "s"));
    p->retry_after_s = wait_s;
    return false;
}

static void count_failure(unsigned reason)
{
    metric_add(METRIC_HTTP_AUTH_FAILURES, reason, 1);
}

bool call_authenticate(struct call *c, struct problem *p)
{
    const struct in6_addr *from = &c->http->peer->address;
    struct str text = STR("");

    if (!bearer(c, &text, p)) {
        count_failure(c->headers.authorization.p ? METRIC_AUTH_MALFORMED : METRIC_AUTH_MISSING);
        return false;
    }
    unsigned wait_s = throttle_wait(c->api->throttle, from, c->now_us);
    if (wait_s) {
        count_failure(METRIC_AUTH_THROTTLED);
        return told_to_wait(c, wait_s, p);
    }
    int failed = look_up(c, text);
    if (failed == -ENOENT) {
        wait_s = throttle_fail(c->api->throttle, from, c->now_us);
        count_failure(wait_s ? METRIC_AUTH_THROTTLED : METRIC_AUTH_INVALID);
        return wait_s ? told_to_wait(c, wait_s, p)
                      : problem_set(p, PROBLEM_INVALID_API_KEY, NULL,
                                    "The API key is not valid; it may be mistyped, revoked or "
                                    "expired.");
    }
    if (failed) {
        problem_set(p, PROBLEM_SERVICE_UNAVAILABLE, NULL,
                    "Keys cannot be read at the moment; try again in 5 seconds.");
        p->retry_after_s = 5;
    }
    return !failed;
}
