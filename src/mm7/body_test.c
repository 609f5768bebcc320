#include "mm7/body.h"

#include "base/test_random.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const struct mm7_dialect usual;
static const struct mm7_recipient to[] = {
    {MM7_ROLE_TO, {MM7_FORM_NUMBER, {"+14155550100", 12}}, false}};

/* A file of so many bytes of chance that is in no folder any more. */
static int file_of(size_t size, uint64_t seed)
{
    char path[] = "/tmp/skylark-body-XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    unlink(path);
    for (size_t done = 0; done < size;) {
        uint32_t chance[1024];
        for (size_t i = 0; i < 1024; i++)
            chance[i] = test_random(&seed);
        size_t n = size - done < sizeof chance ? size - done : sizeof chance;
        assert_int_equal(write(fd, chance, n), (ssize_t)n);
        done += n;
    }
    return fd;
}

static unsigned opened;

/* All files of a test are the same one. */
static int open_again(void *fd, size_t file)
{
    opened++;
    int copy = dup(*(int *)fd);
    return copy < 0 ? -errno : copy;
}

static struct mm7_message message_of(int *fd, const struct mm7_file *files, size_t count)
{
    return (struct mm7_message){
        .submit = {.transaction = STR("t"), .recipients = to, .recipient_count = 1},
        .files = files,
        .file_count = count,
        .opener = {open_again, fd}};
}

/* All of it, by reads of at most `room`. */
static void read_all(struct mm7_body *b, size_t room, struct buf *out)
{
    for (;;) {
        char *at = buf_reserve(out, room);
        assert_non_null(at);
        ssize_t n = mm7_body_read(b, at, room);
        assert_true(n >= 0 && n <= (ssize_t)room);
        if (n == 0)
            break;
        out->n += (size_t)n;
    }
    assert_int_equal(out->n, b->length);
}

static void check_steps(struct mm7_body *b)
{
    static const size_t rooms[] = {1, 2, 3, 57, 76, 77, 78, 79, 155, 156, 4096, 16384};
    BUF_CLEANUP struct buf whole;

    buf_init(&whole, 16 << 20);
    read_all(b, 1 << 16, &whole);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        BUF_CLEANUP struct buf again;
        buf_init(&again, 16 << 20);
        assert_int_equal(mm7_body_rewind(b), 0);
        read_all(b, rooms[i], &again);
        assert_memory_equal(again.p, whole.p, whole.n);
    }
}

static void steps_do_not_matter(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 56, 57, 58, 113, 114, 115, 171, 7296, 7297, 20000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int binary = 0; binary < 2; binary++) {
            int fd = file_of(sizes[i], i + 1);
            struct mm7_file files[] = {{(int64_t)sizes[i], STR("image/png")},
                                       {(int64_t)sizes[i], STR("image/png")}};
            struct mm7_message m = message_of(&fd, files, 2);
            struct mm7_body b;
            m.binary = binary;
            assert_int_equal(mm7_body_init(&b, &usual, &m), 0);
            check_steps(&b);
            mm7_body_done(&b);
            close(fd);
        }
}

static void reading_begins_again_from_anywhere(void **state)
{
    int fd = file_of(1000, 4);
    struct mm7_file file = {1000, STR("image/png")};
    struct mm7_message m = message_of(&fd, &file, 1);
    struct mm7_body b;
    char whole[16384], front[16384];

    assert_int_equal(mm7_body_init(&b, &usual, &m), 0);
    ssize_t size = mm7_body_read(&b, whole, sizeof whole);
    assert_int_equal(size, b.length);
    for (size_t stop = 1; stop < (size_t)size; stop += 7) {
        mm7_body_rewind(&b);
        assert_int_equal(mm7_body_read(&b, front, stop), (ssize_t)stop);
        mm7_body_rewind(&b);
        assert_int_equal(mm7_body_read(&b, front, sizeof front), size);
        assert_memory_equal(front, whole, (size_t)size);
    }
    mm7_body_done(&b);
    close(fd);
}

static int files_open(void)
{
    DIR *all = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(all);
    while (readdir(all))
        count++;
    closedir(all);
    return count;
}

/* However many files it has, and wherever it stops. */
static void one_file_is_open_at_a_time(void **state)
{
    enum { FILES = 10, SIZE = 100 };
    int fd = file_of(SIZE, 6);
    struct mm7_file files[FILES];
    for (size_t i = 0; i < FILES; i++)
        files[i] = (struct mm7_file){SIZE, STR("image/png")};
    struct mm7_message m = message_of(&fd, files, FILES);
    struct mm7_body b;
    char byte;
    int before = files_open(), most = 0;

    opened = 0;
    assert_int_equal(mm7_body_init(&b, &usual, &m), 0);
    assert_int_equal(files_open(), before);
    while (mm7_body_read(&b, &byte, 1) == 1)
        most = files_open() > most ? files_open() : most;
    assert_int_equal(most, before + 1);
    assert_int_equal(opened, FILES);
    assert_int_equal(files_open(), before); /* while it waits for an answer */
    mm7_body_rewind(&b);
    while (files_open() == before)
        assert_int_equal(mm7_body_read(&b, &byte, 1), 1);
    mm7_body_rewind(&b);
    assert_int_equal(files_open(), before);
    while (files_open() == before)
        assert_int_equal(mm7_body_read(&b, &byte, 1), 1);
    mm7_body_done(&b);
    assert_int_equal(files_open(), before);
    close(fd);
}

static void one_file_serves_many_bodies_at_once(void **state)
{
    enum { BODIES = 4, SIZE = 100000 };
    int fd = file_of(SIZE, 3);
    struct mm7_file file = {SIZE, STR("image/jpeg")};
    struct mm7_message m = message_of(&fd, &file, 1);
    struct mm7_body bodies[BODIES];
    struct buf out[BODIES];
    uint64_t seed = 5;
    size_t open = BODIES;

    for (int i = 0; i < BODIES; i++) {
        assert_int_equal(mm7_body_init(&bodies[i], &usual, &m), 0);
        buf_init(&out[i], 1 << 20);
    }
    while (open > 0) {
        uint32_t i = test_random(&seed) % BODIES;
        char *at = buf_reserve(&out[i], 5000);
        ssize_t n = mm7_body_read(&bodies[i], at, 1 + test_random(&seed) % 5000);
        assert_true(n >= 0);
        out[i].n += (size_t)n;
        open = 0;
        for (int k = 0; k < BODIES; k++)
            open += (int64_t)out[k].n < bodies[k].length;
    }
    assert_int_equal(lseek(fd, 0, SEEK_CUR), SIZE); /* where writing left it */
    for (int i = 0; i < BODIES; i++) {
        BUF_CLEANUP struct buf alone;
        buf_init(&alone, 1 << 20);
        mm7_body_rewind(&bodies[i]);
        read_all(&bodies[i], 4096, &alone);
        assert_memory_equal(alone.p, out[i].p, alone.n);
        buf_done(&out[i]);
        mm7_body_done(&bodies[i]);
    }
    close(fd);
}

static void large_files_take_no_memory(void **state)
{
    enum { SIZE = 5000000 };
    int fd = file_of(SIZE, 9);
    struct mm7_file file = {SIZE, STR("video/mp4")};
    struct mm7_message m = message_of(&fd, &file, 1);
    struct mm7_body b;
    char room[16384];
    int64_t total = 0;

    assert_int_equal(mm7_body_init(&b, &usual, &m), 0);
    for (ssize_t n; (n = mm7_body_read(&b, room, sizeof room)) > 0;)
        total += n;
    assert_int_equal(total, b.length);
    assert_true(b.length > SIZE * 4 / 3 && b.length < SIZE * 7 / 5);
    assert_true(b.heads.size < 8192);
    mm7_body_done(&b);
    close(fd);
}

static void lost_bytes_are_told(void **state)
{
    for (int binary = 0; binary < 2; binary++) {
        int fd = file_of(1000, 1);
        struct mm7_file file = {1000, STR("image/gif")};
        struct mm7_message m = message_of(&fd, &file, 1);
        struct mm7_body b;
        char room[16384];

        m.binary = binary;
        assert_int_equal(mm7_body_init(&b, &usual, &m), 0);
        assert_int_equal(ftruncate(fd, 999), 0);
        assert_int_equal(mm7_body_read(&b, room, sizeof room), -EIO);
        close(fd);
        mm7_body_rewind(&b);
        assert_int_equal(mm7_body_read(&b, room, sizeof room), -EBADF);
        mm7_body_done(&b);
    }
}

static void lengths_of_base64_count_line_ends(void **state)
{
    assert_int_equal(mm7_base64_length(0), 0);
    assert_int_equal(mm7_base64_length(1), 6);
    assert_int_equal(mm7_base64_length(57), 78);
    assert_int_equal(mm7_base64_length(58), 84);
    assert_int_equal(mm7_base64_length(114), 156);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_do_not_matter),
        cmocka_unit_test(reading_begins_again_from_anywhere),
        cmocka_unit_test(one_file_is_open_at_a_time),
        cmocka_unit_test(one_file_serves_many_bodies_at_once),
        cmocka_unit_test(large_files_take_no_memory),
        cmocka_unit_test(lost_bytes_are_told),
        cmocka_unit_test(lengths_of_base64_count_line_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
