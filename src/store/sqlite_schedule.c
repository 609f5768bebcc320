/* Messages that wait for their time. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_due(struct store_reader *r, int64_t at_us, size_t limit, struct arena *a,
               struct message **ret, size_t *ret_count)
{
    return -ENOSYS;
}

int sqlite_next_due(struct store_reader *r, int64_t *ret_us)
{
    return -ENOSYS;
}
