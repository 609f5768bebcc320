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

static char folder[TEST_FOLDER_SIZE];

void test_folder_make(char made[TEST_FOLDER_SIZE])
{
    snprintf(made, TEST_FOLDER_SIZE, "%s/skylark-store-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(made));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    return remove(path);
}

void test_folder_remove(const char *old)
{
    assert_int_equal(nftw(old, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

struct store *test_store_open(const struct clock *clock)
{
    char why[STORE_WHY_SIZE] = "", path[64];
    struct store *s;

    test_folder_make(folder);
    snprintf(path, sizeof path, "%s/store.db", folder);
    if (store_open_sqlite(&s, path, clock, why) != 0)
        fail_msg("the store does not open: %s", why);
    return s;
}

void test_store_close(struct store *s)
{
    store_close(s);
    test_folder_remove(folder);
}
