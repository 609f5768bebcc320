#include "store/sqlite_verbs.h"

#include <errno.h>

int sqlite_books(struct store_reader *base, bool scan, struct books *ret)
{
    return -ENOSYS;
}
