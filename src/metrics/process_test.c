#include "metrics/process.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEMORY = 64 << 20 };

static void test_memory(void **state)
{
    struct process_facts before, after;

    process_look(&before);
    char *memory = malloc(MEMORY);
    assert_non_null(memory);
    memset(memory, 1, MEMORY);
    process_look(&after);
    free(memory);
    assert_true(after.resident_bytes - before.resident_bytes > 0.5 * MEMORY);
    assert_true(after.virtual_bytes >= after.resident_bytes);
}

static void test_descriptors(void **state)
{
    struct process_facts before, after;

    process_look(&before);
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    process_look(&after);
    close(fd);
    assert_true(after.open_fds == before.open_fds + 1);
    assert_true(after.max_fds >= after.open_fds);
}

static void test_cpu(void **state)
{
    struct process_facts before, after;
    struct timespec begun, now;

    process_look(&before);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < 50);
    process_look(&after);
    assert_true(after.cpu_s - before.cpu_s > 0.03);
}

/* The same however often it is asked, whatever the process is called, and not long ago. */
static void test_start(void **state)
{
    struct process_facts one, two;

    process_look(&one);
    prctl(PR_SET_NAME, "a) b (1 2 3");
    process_look(&two);
    assert_true(one.start_s == two.start_s);
    assert_true(fabs((double)time(NULL) - one.start_s) < 60);
    assert_true(two.virtual_bytes > 0 && two.resident_bytes > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
