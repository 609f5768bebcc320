#include "store/media_proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct media_proofs proofs;

static struct stat file_of(ino_t inode, off_t size, long changed_ns)
{
    struct stat s = {.st_ino = inode, .st_size = size};

    s.st_mtim.tv_sec = s.st_ctim.tv_sec = 1700000000;
    s.st_ctim.tv_nsec = changed_ns;
    return s;
}

static void holds_until_the_file_changes(void **state)
{
    struct stat file = file_of(7, 100, 5), other = file;

    media_proofs_init(&proofs);
    assert_false(media_proof_holds(&proofs, 1, &file));
    media_proof_note(&proofs, 1, &file);
    assert_true(media_proof_holds(&proofs, 1, &file));
    assert_false(media_proof_holds(&proofs, 2, &file));
    other.st_ino++;
    assert_false(media_proof_holds(&proofs, 1, &other));
    other = file_of(7, 101, 5);
    assert_false(media_proof_holds(&proofs, 1, &other));
    other = file_of(7, 100, 6);
    assert_false(media_proof_holds(&proofs, 1, &other));
    other = file;
    other.st_mtim.tv_sec++;
    assert_false(media_proof_holds(&proofs, 1, &other));
    assert_true(media_proof_holds(&proofs, 1, &file));
    media_proofs_done(&proofs);
}

/* How many of the first hundred files of each of these runs are still known. */
static int remembered(int64_t runs)
{
    struct stat file = file_of(7, 100, 5);
    int count = 0;

    media_proofs_init(&proofs);
    for (int64_t i = 0; i < runs * 100; i++)
        media_proof_note(&proofs, ((1763000000 + i / 100 * 3600) << 28) + i % 100, &file);
    for (int64_t i = 0; i < runs * 100; i++)
        count += media_proof_holds(&proofs, ((1763000000 + i / 100 * 3600) << 28) + i % 100, &file);
    media_proofs_done(&proofs);
    return count;
}

static void files_of_several_runs_are_remembered(void **state)
{
    assert_in_range(remembered(10), 850, 1000);
    assert_in_range(remembered(1000), 1, MEDIA_PROOFS); /* and there is an end to it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_until_the_file_changes),
        cmocka_unit_test(files_of_several_runs_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
