#include "store/notice_pack.h"

#include "store/varint.h"

enum { KIND_MASK = 0x3f, WITH_OUTCOME = 0x40, WITH_SENT = 0x80 };

static uint64_t sign_low(int64_t number)
{
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static int64_t sign_back(uint64_t number)
{
    return (int64_t)(number >> 1 ^ -(number & 1));
}

/* As it is told: numbers may be as far from each other as can be. */
static uint64_t difference(int64_t a, int64_t b)
{
    return sign_low((int64_t)((uint64_t)a - (uint64_t)b));
}

void notice_pack_begin(struct notice_pack *p, int64_t owner, int64_t first)
{
    p->owner = owner;
    p->first = p->last = first;
    p->last_at_us = 0;
    p->kinds = 0;
    p->count = 0;
    p->size = 0;
}

static uint8_t form_of(const struct notice_record *n)
{
    bool outcome = n->failure || n->retry_count || n->carrier;

    return (uint8_t)((n->kind & KIND_MASK) | (outcome ? WITH_OUTCOME : 0) |
                     (n->sent_us ? WITH_SENT : 0));
}

void notice_pack_add(struct notice_pack *p, const struct notice_record *n)
{
    uint8_t *to = p->bytes + p->size, form = form_of(n);

    to = varint_put(to, (uint64_t)(n->id - p->last));
    *to++ = form;
    to = varint_put(to, difference(n->id, n->message));
    to = varint_put(to, difference(n->at_us, p->last_at_us));
    if (form & WITH_SENT)
        to = varint_put(to, difference(n->at_us, n->sent_us));
    if (form & WITH_OUTCOME) {
        to = varint_put(to, n->failure);
        to = varint_put(to, n->retry_count);
        to = varint_put(to, n->carrier);
    }
    p->size = (size_t)(to - p->bytes);
    p->last = n->id;
    p->last_at_us = n->at_us;
    p->kinds |= UINT32_C(1) << n->kind;
    p->count++;
}

void notice_unpack_begin(struct notice_unpack *u, int64_t owner, int64_t first,
                         const uint8_t *bytes, size_t n)
{
    *u = (struct notice_unpack){
        .at = bytes,
        .end = bytes + n,
        .notice = {.id = first, .account = owner >> 1, .mode = (enum mode)(owner & 1)}};
}

static uint64_t get(struct notice_unpack *u)
{
    uint64_t number = 0;

    if (!u->damaged && !varint_get(&u->at, u->end, &number))
        u->damaged = true;
    return number;
}

bool notice_unpack_next(struct notice_unpack *u)
{
    struct notice_record *n = &u->notice;

    if (u->at == u->end || u->damaged)
        return false;
    n->id = (int64_t)((uint64_t)n->id + get(u));
    u->damaged |= u->at == u->end;
    uint8_t form = u->damaged ? 0 : *u->at++;
    n->kind = (enum notice_kind)(form & KIND_MASK);
    n->message = (int64_t)((uint64_t)n->id - (uint64_t)sign_back(get(u)));
    n->at_us = (int64_t)((uint64_t)n->at_us + (uint64_t)sign_back(get(u)));
    n->sent_us = form & WITH_SENT ? (int64_t)((uint64_t)n->at_us - (uint64_t)sign_back(get(u))) : 0;
    n->failure = form & WITH_OUTCOME ? (enum failure)get(u) : FAILURE_NONE;
    n->retry_count = form & WITH_OUTCOME ? (unsigned)get(u) : 0;
    n->carrier = form & WITH_OUTCOME ? (unsigned)get(u) : 0;
    return !u->damaged;
}
