#include "base/urgency.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct sched_attr look(void)
{
    struct sched_attr a = {0};

    assert_int_equal(syscall(SYS_sched_getattr, 0, &a, sizeof a, 0), 0);
    return a;
}

/* False when something fails. */
static bool lower(unsigned policy, int nice, struct sched_attr *after)
{
    struct sched_attr a = {.size = sizeof a, .sched_policy = policy, .sched_nice = nice};

    return syscall(SYS_sched_setattr, 0, &a, 0) == 0 && urgency_lower() == 0 &&
           syscall(SYS_sched_getattr, 0, after, sizeof *after, 0) == 0;
}

/* In a process of its own: what is lowered cannot be raised again. */
static struct sched_attr try(unsigned policy, int nice)
{
    struct sched_attr after;
    int ends[2], status;

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(lower(policy, nice, &after) && write(ends[1], &after, sizeof after) == sizeof after
                  ? 0
                  : 1);
    close(ends[1]);
    assert_int_equal(read(ends[0], &after, sizeof after), sizeof after);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return after;
}

static bool kernel_knows_turns(void)
{
    struct utsname names;
    unsigned major, minor;

    assert_int_equal(uname(&names), 0);
    assert_int_equal(sscanf(names.release, "%u.%u", &major, &minor), 2);
    return major > 6 || (major == 6 && minor >= 12);
}

static void it_gives_way(void **state)
{
    int nice = look().sched_nice;
    struct sched_attr a = try(SCHED_NORMAL, nice);

    assert_int_equal(a.sched_policy, SCHED_NORMAL);
    assert_int_equal(a.sched_nice, nice > 10 ? nice : 10);
    if (kernel_knows_turns())
        assert_int_equal(a.sched_runtime, 100000000);
}

static void it_never_becomes_more_urgent(void **state)
{
    assert_int_equal(try(SCHED_NORMAL, 19).sched_nice, 19);
}

static void a_policy_is_left_alone(void **state)
{
    int nice = look().sched_nice;
    struct sched_attr a = try(SCHED_BATCH, nice);

    assert_int_equal(a.sched_policy, SCHED_BATCH);
    assert_int_equal(a.sched_nice, nice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gives_way),
        cmocka_unit_test(it_never_becomes_more_urgent),
        cmocka_unit_test(a_policy_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
