#include "base/urgency.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NICE = 10 };
/* The longest there is. Who asks for long turns is served after those who ask for short ones, and
 * they need not wait for the end of a turn that has begun. Linux before 6.12 does not look at it.
 */
enum { TURN_NS = 100000000 };

/* Where the newer calls are forbidden, as in some sandboxes. */
static int lower_nice(void)
{
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, 0); /* of this thread, on Linux */

    if (errno || nice >= NICE)
        return -errno;
    return setpriority(PRIO_PROCESS, 0, NICE) < 0 ? -errno : 0;
}

int urgency_lower(void)
{
    struct sched_attr a = {0};

    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) < 0)
        return lower_nice();
    if (a.sched_policy != SCHED_NORMAL)
        return 0;
    a.size = sizeof a;
    a.sched_flags = 0;
    a.sched_runtime = TURN_NS;
    if (a.sched_nice < NICE)
        a.sched_nice = NICE;
    return syscall(SYS_sched_setattr, 0, &a, 0) < 0 ? lower_nice() : 0;
}
