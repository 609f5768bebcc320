#include "cli/stand_in.h"

#include "base/clock.h"
#include "messaging/words.h"

/* A server that runs notes states when they change, and each of these times at the latest. */
#define FRESH_US (INT64_C(60) * 1000000)

struct search {
    struct stand_in *stand_in;
    const struct config *config;
    struct local *local;
};

static struct carrier *find_carrier(void *search, const char *name)
{
    struct search *s = search;

    for (size_t i = 0; i < s->config->carrier_count + s->config->mmsc_count; i++)
        if (strcmp(s->stand_in->carriers[i].name, name) == 0)
            return &s->stand_in->carriers[i];
    return NULL;
}

static int64_t find_account(void *search, const char *name)
{
    struct search *s = search;
    struct account_record account;

    return store_account_find(s->local->reader, str_of(name), &account) == 0 ? account.id : 0;
}

/* What nobody has noted is taken for well. */
static void set_state(struct search *s, const struct carrier_record *record, int64_t now_us)
{
    struct carrier *c = find_carrier(s, record->name);

    if (!c)
        return;
    c->number = record->id;
    if (record->drained)
        s->stand_in->states[c - s->stand_in->carriers] = carrier_state_word(CARRIER_DRAINED);
    else if (record->state != CARRIER_UNUSED && now_us - record->told_us < FRESH_US)
        s->stand_in->states[c - s->stand_in->carriers] = carrier_state_word(record->state);
    else
        return;
    bool up = record->state == CARRIER_BOUND || record->state == CARRIER_READY;
    c->health = !record->drained && up ? CARRIER_HEALTH_FULL : 0;
}

static int read_states(struct search *s)
{
    struct carrier_record *records;
    size_t count = 0;
    int failed = store_carrier_list(s->local->reader, &s->local->memory, &records, &count);

    if (failed) {
        talk("The carriers cannot be read: %s", strerror(-failed));
        return CLI_FAILED;
    }
    for (size_t i = 0; i < count; i++)
        set_state(s, &records[i], clock_now_us(&clock_real));
    return CLI_OK;
}

int stand_in_make(struct stand_in *s, const struct config *config, struct local *l)
{
    struct search search = {s, config, l};
    struct routing_source source = {.config = config,
                                    .carrier = find_carrier,
                                    .account = l ? find_account : NULL,
                                    .context = &search};
    char why[ROUTING_WHY_SIZE];

    for (size_t i = 0; i < config->carrier_count + config->mmsc_count; i++) {
        s->carriers[i].name = i < config->carrier_count
                                  ? config->carriers[i].name
                                  : config->mmscs[i - config->carrier_count].name;
        s->carriers[i].number = (unsigned)i + 1;
        s->carriers[i].health = CARRIER_HEALTH_FULL;
    }
    int r = l ? read_states(&search) : CLI_OK;
    if (r != CLI_OK || routing_make(&s->routing, &source, why) == 0)
        return r;
    talk("%s", why);
    return CLI_BAD_CONFIG;
}

void stand_in_done(struct stand_in *s)
{
    routing_free(s->routing);
}
