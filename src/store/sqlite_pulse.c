#include "store/sqlite_pulse.h"

#include "store/sqlite_verbs.h"

#include <errno.h>

int pulse_accepted(struct sqlite_store *s, const struct message *m)
{
    return 0;
}

int pulse_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was)
{
    return 0;
}

int pulse_hook_failed(struct sqlite_store *s, int64_t owner, int64_t at_us)
{
    return 0;
}

int pulse_flush(struct sqlite_store *s)
{
    return 0;
}

void pulse_forget(struct sqlite_store *s)
{
}

int sqlite_pulse_each(struct store_reader *base, int64_t account, enum mode mode,
                      int64_t from_minute, int64_t to_minute,
                      void (*tell)(void *context, const struct pulse_minute *m), void *context)
{
    return -ENOSYS;
}

int sqlite_queue_state(struct store_reader *base, int64_t account, enum mode mode,
                       struct queue_state *ret)
{
    return -ENOSYS;
}

int sqlite_request_each(struct store_reader *base, int64_t account, enum mode mode, int64_t from_us,
                        int64_t to_us, void (*tell)(void *context, int64_t start_us, int64_t count),
                        void *context)
{
    return -ENOSYS;
}
