#include "metrics/process.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STAT_SIZE = 4096 };
enum { FIELD_START = 22, FIELD_VIRTUAL = 23, FIELD_RESIDENT = 24 }; /* of /proc/self/stat, from 1 */

static bool read_file(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(out, 1, size - 1, f) : 0;

    if (f)
        fclose(f);
    out[n] = '\0';
    return n > 0;
}

/* The name of the process, field 2, may hold anything; what follows does not. */
static double stat_field(const char *stat, int wanted)
{
    const char *at = strrchr(stat, ')');
    int field = 2;

    while (at && field < wanted) {
        at = strchr(at + 1, ' ');
        field++;
    }
    return at ? strtod(at + 1, NULL) : NAN;
}

static double clock_s(clockid_t clock)
{
    struct timespec t;

    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec / 1e9 : NAN;
}

static double start_s;

/* The system knows it since the machine was started; that is a moment ago by one clock and a time
 * of day by the other. Asked once, because the time of day is put right now and then. */
static void find_start(void)
{
    char stat[STAT_SIZE];

    if (!read_file("/proc/self/stat", stat, sizeof stat)) {
        start_s = NAN;
        return;
    }
    double since_boot_s = stat_field(stat, FIELD_START) / (double)sysconf(_SC_CLK_TCK);
    start_s = clock_s(CLOCK_REALTIME) - clock_s(CLOCK_BOOTTIME) + since_boot_s;
    start_s = (double)(int64_t)(start_s * 100) / 100;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double cpu_s(void)
{
    struct rusage used;

    return getrusage(RUSAGE_SELF, &used) == 0 ? seconds(used.ru_utime) + seconds(used.ru_stime)
                                              : NAN;
}

/* One of them is that of the folder itself. */
static double open_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -1;

    if (!folder)
        return NAN;
    for (struct dirent *e = readdir(folder); e; e = readdir(folder))
        count += e->d_name[0] != '.';
    closedir(folder);
    return count;
}

static double max_fds(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return NAN;
    return limit.rlim_cur == RLIM_INFINITY ? INFINITY : (double)limit.rlim_cur;
}

void process_look(struct process_facts *ret)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char stat[STAT_SIZE];
    bool known = read_file("/proc/self/stat", stat, sizeof stat);
    double pages = known ? stat_field(stat, FIELD_RESIDENT) : NAN;

    pthread_once(&once, find_start);
    *ret = (struct process_facts){.cpu_s = cpu_s(),
                                  .start_s = start_s,
                                  .virtual_bytes = known ? stat_field(stat, FIELD_VIRTUAL) : NAN,
                                  .resident_bytes = pages * (double)sysconf(_SC_PAGESIZE),
                                  .open_fds = open_fds(),
                                  .max_fds = max_fds()};
}
