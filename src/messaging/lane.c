#include "messaging/lane.h"

#include <stdlib.h>

void lanes_init(struct lanes *lanes, size_t window)
{
    *lanes = (struct lanes){.window = window};
    lanes->last = &lanes->first;
    pthread_mutex_init(&lanes->lock, NULL);
}

void lanes_done(struct lanes *lanes)
{
    while (lanes->first) {
        struct lane *next = lanes->first->next;
        free(lanes->first);
        lanes->first = next;
    }
    pthread_mutex_destroy(&lanes->lock);
}

struct lane *lane_find(const struct lanes *lanes, unsigned number)
{
    struct lane *l = lanes->slots[number % LANE_SLOTS];

    while (l && l->number != number)
        l = l->next_in_slot;
    return l;
}

/* An orphan's messages only pass through. */
static void set_share(const struct lanes *lanes, struct lane *l)
{
    size_t least = lanes->window < LANE_SHARE_LEAST ? lanes->window : LANE_SHARE_LEAST;
    size_t share = l->carrier ? lanes->window / lanes->carriers : 0;

    l->share = share > least ? share : least;
}

struct lane *lane_make(struct lanes *lanes, unsigned number)
{
    struct lane *l = lane_find(lanes, number), **slot = &lanes->slots[number % LANE_SLOTS];

    if (l)
        return l;
    l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->number = number;
    l->behind = true; /* by whatever an earlier run left open */
    set_share(lanes, l);
    *lanes->last = l;
    lanes->last = &l->next;
    pthread_mutex_lock(&lanes->lock);
    l->next_in_slot = *slot;
    *slot = l;
    pthread_mutex_unlock(&lanes->lock);
    return l;
}

void lane_set_carrier(struct lanes *lanes, struct lane *l, struct carrier *c)
{
    lanes->carriers += (c != NULL) - (l->carrier != NULL);
    l->carrier = c;
    l->term++;
    l->media_term++;
    l->dead_us = 0;
    pthread_mutex_lock(&lanes->lock);
    for (struct lane *each = lanes->first; each; each = each->next)
        set_share(lanes, each);
    pthread_mutex_unlock(&lanes->lock);
}

void lanes_rotate(struct lanes *lanes)
{
    struct lane *first = lanes->first;

    if (!first || !first->next)
        return;
    lanes->first = first->next;
    first->next = NULL;
    *lanes->last = first;
    lanes->last = &first->next;
}

/* ---- the window ---- */

struct parcel *lane_parcel(struct lane *l, const struct message *m, int64_t since_us)
{
    struct parcel *p = parcel_new(m);

    if (p) {
        p->lane = l;
        p->since_us = since_us;
    }
    return p;
}

struct parcel *lane_offer(struct lane *l, const struct message *m)
{
    struct parcel *p = NULL;

    if (m->id <= l->known)
        return NULL; /* read between its commit and this offer */
    if (!l->behind && l->held < l->share)
        p = lane_parcel(l, m, m->updated_us);
    if (p) {
        p->counted = true;
        l->held++;
        l->known = m->id;
        return p;
    }
    /* Numbers are offered in their order: up to here nothing is missing. */
    if (!l->behind)
        l->known = m->id - 1;
    l->behind = l->missed = true;
    return NULL;
}

bool lane_admit(struct lanes *lanes, struct lane *l, int64_t message)
{
    pthread_mutex_lock(&lanes->lock);
    bool ours = message <= l->known || !l->behind;
    if (ours && l->held >= l->share) { /* it is read again, with what came after it */
        ours = false;
        l->behind = l->missed = true;
        l->known = message - 1;
    }
    if (ours) {
        l->held++;
        if (message > l->known)
            l->known = message;
    }
    pthread_mutex_unlock(&lanes->lock);
    return ours;
}

void lane_give(struct lanes *lanes, struct lane *l)
{
    pthread_mutex_lock(&lanes->lock);
    l->held--;
    pthread_mutex_unlock(&lanes->lock);
}

void lane_take(struct lanes *lanes, struct lane *l)
{
    pthread_mutex_lock(&lanes->lock);
    l->held++;
    pthread_mutex_unlock(&lanes->lock);
}

size_t lane_resting(const struct lane *l)
{
    size_t count = 0;

    for (int i = 0; i < DISPATCH_RETRIES; i++)
        count += l->resting[i].count;
    return count;
}

size_t lane_held(struct lanes *lanes, struct lane *l)
{
    pthread_mutex_lock(&lanes->lock);
    size_t held = l->held;
    pthread_mutex_unlock(&lanes->lock);
    return held;
}

bool lane_has_room(struct lanes *lanes, struct lane *l)
{
    pthread_mutex_lock(&lanes->lock);
    bool room = !l->behind && l->held + l->coming < l->share;
    pthread_mutex_unlock(&lanes->lock);
    return room;
}

bool lane_is_behind(struct lanes *lanes, struct lane *l, int64_t *ret_known)
{
    pthread_mutex_lock(&lanes->lock);
    bool behind = l->behind;
    *ret_known = l->known;
    pthread_mutex_unlock(&lanes->lock);
    return behind;
}

/* ---- reading ---- */

static bool wants(const struct lane *l)
{
    return l->behind && l->held <= l->share / 2;
}

size_t lane_wants(struct lanes *lanes, struct lane *l, int64_t *ret_after)
{
    size_t room = 0;

    pthread_mutex_lock(&lanes->lock);
    if (wants(l)) {
        room = l->share - l->held;
        l->missed = false;
    }
    *ret_after = l->known;
    pthread_mutex_unlock(&lanes->lock);
    return room;
}

bool lane_has_read(struct lanes *lanes, struct lane *l, size_t count, int64_t looked, bool end)
{
    pthread_mutex_lock(&lanes->lock);
    l->held += count;
    l->known = looked;
    if (end && !l->missed)
        l->behind = false;
    bool more = l->behind && (count > 0 || wants(l));
    pthread_mutex_unlock(&lanes->lock);
    return more;
}
