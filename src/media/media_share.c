#include "media/media_share.h"

#include "messaging/https_url.h"

#include <assert.h>

struct media_claim media_claim_of(const struct message *m, struct str url)
{
    url = str_cut(&url, '\n');
    return (struct media_claim){.account = (uint16_t)((uint64_t)m->account % MEDIA_SHARE_SLOTS),
                                .host = (uint16_t)(url_host_hash(url) % MEDIA_SHARE_SLOTS),
                                .test = m->mode == MODE_TEST};
}

void media_shares_init(struct media_shares *s, size_t all)
{
    *s = (struct media_shares){.all = all};
}

bool media_shares_have_room(const struct media_shares *s, const struct media_claim *c)
{
    size_t left = s->all - s->taken;

    if (c->test && s->test >= (s->all + 3) / 4)
        return false;
    return s->accounts[c->account] < left && s->hosts[c->host] < (left + 1) / 2;
}

static void add(struct media_shares *s, const struct media_claim *c, int change)
{
    s->taken += (size_t)change;
    s->test += c->test ? (size_t)change : 0;
    s->accounts[c->account] = (uint16_t)(s->accounts[c->account] + change);
    s->hosts[c->host] = (uint16_t)(s->hosts[c->host] + change);
}

void media_shares_take(struct media_shares *s, const struct media_claim *c)
{
    assert(s->taken < s->all);
    add(s, c, 1);
}

void media_shares_give(struct media_shares *s, const struct media_claim *c)
{
    assert(s->taken > 0 && s->accounts[c->account] > 0 && s->hosts[c->host] > 0);
    add(s, c, -1);
}
