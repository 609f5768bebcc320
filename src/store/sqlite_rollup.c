#include "store/sqlite_rollup.h"

#include "store/sqlite_verbs.h"

#include <errno.h>

int rollup_accepted(struct sqlite_store *s, const struct message *m, int64_t *ret)
{
    *ret = 0;
    return 0;
}

int rollup_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was)
{
    return 0;
}

int rollup_flush(struct sqlite_store *s)
{
    return 0;
}

void rollup_forget(struct sqlite_store *s)
{
}

int sqlite_rollup_each(struct store_reader *base, const struct rollup_query *query,
                       rollup_tell *tell, void *context)
{
    return -ENOSYS;
}
