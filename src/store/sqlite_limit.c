/* What keys have used of their windows. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_limit_list(struct store_reader *r, int64_t now_us, struct arena *a,
                      struct limit_count **ret, size_t *ret_count)
{
    return -ENOSYS;
}

int sqlite_limit_save(struct store *s, const struct limit_count *c)
{
    return -ENOSYS;
}
