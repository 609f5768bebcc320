/* Who must not be written to. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_opt_out_page(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                        size_t limit, struct arena *a, struct opt_out_page *ret)
{
    return -ENOSYS;
}

int sqlite_opt_out_get(struct store_reader *r, int64_t account, enum mode mode, struct str number,
                       struct arena *a, struct opt_out_record *ret)
{
    return -ENOSYS;
}

int sqlite_opt_out_each(struct store_reader *r,
                        bool (*tell)(void *context, const struct opt_out_record *o), void *context)
{
    return -ENOSYS;
}

int sqlite_opt_out_add(struct store *s, struct opt_out_record *o)
{
    return -ENOSYS;
}

int sqlite_opt_out_remove(struct store *s, int64_t account, enum mode mode, struct str number)
{
    return -ENOSYS;
}
