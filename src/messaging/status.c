#include "messaging/status.h"

#include <assert.h>

static const struct {
    enum message_status from, to;
} moves[] = {
    {STATUS_SCHEDULED, STATUS_QUEUED}, {STATUS_SCHEDULED, STATUS_CANCELLED},
    {STATUS_QUEUED, STATUS_SENT},      {STATUS_QUEUED, STATUS_FAILED},
    {STATUS_QUEUED, STATUS_CANCELLED}, {STATUS_SENT, STATUS_DELIVERED},
    {STATUS_SENT, STATUS_FAILED},
};

enum { MOVE_COUNT = sizeof moves / sizeof *moves };

uint32_t status_sources(enum message_status to)
{
    uint32_t sources = 0;

    for (size_t i = 0; i < MOVE_COUNT; i++)
        if (moves[i].to == to)
            sources |= status_bit(moves[i].from);
    return sources;
}

bool status_is_final(enum message_status status)
{
    for (size_t i = 0; i < MOVE_COUNT; i++)
        if (moves[i].from == status)
            return false;
    return true;
}

bool status_may_move(enum message_status from, enum message_status to)
{
    return status_sources(to) & status_bit(from);
}

void message_move_to(struct message_move *ret, int64_t id, enum message_status to,
                     enum failure failure, int64_t at_us)
{
    assert(status_sources(to) != 0);
    assert((to == STATUS_FAILED) == (failure != FAILURE_NONE));
    *ret = (struct message_move){
        .id = id,
        .from = status_sources(to),
        .to = to,
        .failure = failure,
        .at_us = at_us,
    };
}
