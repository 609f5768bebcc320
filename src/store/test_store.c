#include "store/test_store.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[48];

struct store *test_store_open(const struct clock *clock)
{
    char why[STORE_WHY_SIZE] = "", path[64];
    struct store *s;

    snprintf(directory, sizeof directory, "%s/skylark-store-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/store.db", directory);
    if (store_open_sqlite(&s, path, clock, why) != 0)
        fail_msg("the store does not open: %s", why);
    return s;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    return remove(path);
}

void test_store_close(struct store *s)
{
    store_close(s);
    assert_int_equal(nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}
