#include "messaging/crowd.h"

#include <assert.h>

unsigned crowd_of(const struct message *m)
{
    return (unsigned)((uint64_t)m->account % CROWD_SLOTS);
}

void crowd_came(struct crowds *c, const struct message *m)
{
    c->here[crowd_of(m)]++;
    c->all++;
}

void crowd_went(struct crowds *c, const struct message *m)
{
    assert(c->here[crowd_of(m)] > 0);
    c->here[crowd_of(m)]--;
    c->all--;
}

static size_t left_of(const struct crowds *c, size_t room)
{
    return room > c->all ? room - c->all : 0;
}

bool crowd_keeps_out(struct crowds *c, const struct message *m, size_t room)
{
    unsigned slot = crowd_of(m);
    int64_t first = c->kept_out[slot];
    bool passes = first && m->id > first; /* those before it come first */

    if (!passes && c->here[slot] < left_of(c, room))
        return false;
    if (!passes)
        crowd_read(c, slot, m->id);
    return true;
}

bool crowd_next(struct crowds *c, size_t room, unsigned *ret_slot)
{
    size_t left = left_of(c, room);

    for (unsigned i = 0; c->some_out && i < CROWD_SLOTS; i++) {
        unsigned slot = c->turn++ % CROWD_SLOTS;

        if (c->kept_out[slot] && c->here[slot] * (size_t)2 < left) {
            *ret_slot = slot;
            return true;
        }
    }
    return false;
}

void crowd_read(struct crowds *c, unsigned slot, int64_t first)
{
    c->some_out += (size_t)(first != 0) - (size_t)(c->kept_out[slot] != 0);
    c->kept_out[slot] = first;
}

int64_t crowds_first(const struct crowds *c)
{
    int64_t first = 0;

    for (unsigned i = 0; c->some_out && i < CROWD_SLOTS; i++)
        if (c->kept_out[i] && (!first || c->kept_out[i] < first))
            first = c->kept_out[i];
    return first;
}
