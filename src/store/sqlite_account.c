/* Accounts. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_account_list(struct store_reader *r, struct arena *a, struct account_record **ret,
                        size_t *ret_count)
{
    return -ENOSYS;
}

int sqlite_account_find(struct store_reader *r, struct str name, struct account_record *ret)
{
    return -ENOSYS;
}

int sqlite_account_get(struct store_reader *r, int64_t id, struct account_record *ret)
{
    return -ENOSYS;
}

int sqlite_account_insert(struct store *s, struct account_record *a)
{
    return -ENOSYS;
}

int sqlite_account_suspend(struct store *s, int64_t id, int64_t at_us)
{
    return -ENOSYS;
}

int sqlite_account_credit(struct store *s, int64_t id, int64_t micros)
{
    return -ENOSYS;
}

int sqlite_account_charge(struct store *s, int64_t id, int64_t micros)
{
    return -ENOSYS;
}
