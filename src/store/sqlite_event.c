/* What the rows of a message do not tell of its history. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_event_list(struct store_reader *r, int64_t message, struct arena *a,
                      struct event_record **ret, size_t *ret_count)
{
    return -ENOSYS;
}

int sqlite_event_add(struct store *s, const struct event_record *e)
{
    return -ENOSYS;
}
