#include "carriers/carrier_seat.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

static const char *name_of(const struct carrier_seat *s)
{
    return s->carrier->port.name;
}

static void enter_lane(struct carrier_seat *s)
{
    if (s->in_lane)
        return;
    dispatch_add_carrier(s->dispatch, &s->carrier->port);
    s->in_lane = true;
}

/* Nothing of it is with the carrier any more. What waits for it goes other routes. */
static void leave_lane(struct carrier_seat *s)
{
    if (!s->in_lane)
        return;
    dispatch_drop_carrier(s->dispatch, &s->carrier->port);
    live_carrier_forget(s->carrier);
    s->in_lane = false;
    log_info("carrier", "%s is not configured any more", name_of(s));
}

static void go_on(struct carrier_seat *s);

static void on_stopped(void *seat)
{
    struct carrier_seat *s = seat;

    s->stopping = false;
    go_on(s);
}

static void stop(struct carrier_seat *s)
{
    s->stopping = true;
    live_carrier_stop(s->carrier, s->leaving, on_stopped, s);
}

/* When memory is short it is tried again a second later. */
static void start(struct carrier_seat *s)
{
    if (live_carrier_start(s->carrier, s->wanted) < 0) {
        log_error("carrier", "%s cannot be started: memory is short", name_of(s));
        return;
    }
    s->wanted = NULL;
    s->stopping = false;
}

static bool can_start(const struct carrier_seat *s)
{
    return s->carrier->kind->changes_over || !(s->stopping || live_carrier_settings(s->carrier));
}

/* One step towards what is wanted; stopping ends with the next. */
static void go_on(struct carrier_seat *s)
{
    bool runs = live_carrier_settings(s->carrier);

    if (s->wanted && can_start(s))
        start(s);
    else if (s->stopping)
        return;
    else if (runs && (s->leaving || s->wanted || !s->configured))
        stop(s);
    else if (s->leaving)
        s->left(s->context);
    else if (!s->configured)
        leave_lane(s);
}

static void set_wanted(struct carrier_seat *s, struct live_settings *settings)
{
    live_settings_free(s->wanted);
    s->wanted = settings;
}

void carrier_seat_want(struct carrier_seat *s, struct live_settings *settings)
{
    const struct live_settings *coming = s->wanted;

    if (!coming && !s->stopping)
        coming = live_carrier_settings(s->carrier);
    s->configured = settings;
    if (settings && coming && live_settings_same(coming, settings)) {
        live_settings_free(settings);
        return;
    }
    set_wanted(s, settings);
    if (settings)
        enter_lane(s);
    go_on(s);
}

void carrier_seat_leave(struct carrier_seat *s, void (*left)(void *context), void *context)
{
    set_wanted(s, NULL);
    s->leaving = true;
    s->left = left;
    s->context = context;
    if (s->stopping)
        stop(s);
    else
        go_on(s);
}

void carrier_seat_tick(struct carrier_seat *s)
{
    live_carrier_tick(s->carrier);
    if (!s->leaving)
        go_on(s);
}

bool carrier_seat_is(const struct carrier_seat *s, const char *name)
{
    return strcmp(name_of(s), name) == 0;
}

int carrier_seat_new(struct carrier_seat **ret, const struct live_kind *kind,
                     const struct live_carrier_options *options,
                     const struct carrier_record *record)
{
    struct carrier_seat *s = calloc(1, sizeof *s);

    *ret = NULL;
    if (!s)
        return -ENOMEM;
    s->dispatch = options->dispatch;
    s->noted = *record;
    int failed = live_carrier_new(&s->carrier, kind, options, record);
    if (failed) {
        free(s);
        return failed;
    }
    enter_lane(s);
    *ret = s;
    return 0;
}

void carrier_seat_free(struct carrier_seat *s)
{
    live_settings_free(s->wanted);
    live_carrier_free(s->carrier);
    free(s);
}
