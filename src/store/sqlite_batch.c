/* Batches. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_batch_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                     struct batch_record *ret, unsigned counts[STATUS_SLOTS])
{
    return -ENOSYS;
}

int sqlite_batch_insert(struct store *s, const struct batch_record *b)
{
    return -ENOSYS;
}
