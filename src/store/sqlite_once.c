/* Requests that are answered once. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_once_find(struct store *s, int64_t account, enum mode mode,
                     const uint8_t key[ONCE_KEY_SIZE], int64_t since_us, struct arena *a,
                     struct once_record *ret)
{
    return -ENOSYS;
}

int sqlite_once_keep(struct store *s, const struct once_record *o)
{
    return -ENOSYS;
}
