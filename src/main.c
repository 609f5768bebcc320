#include "cli/cli.h"
#include "live.h"
#include "server.h"
#include "smsc.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Whoever starts the program may have closed these. A file of ours that took such a number would
 * get what is meant for the terminal. */
static void open_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", O_RDWR); /* takes the lowest free number: this one */
}

int main(int argc, char **argv)
{
    static const struct cli_programs programs = {.serve = server_run,
                                                 .smsc = smsc_run,
                                                 .carrier_good = live_carrier_good,
                                                 .mmsc_good = live_mmsc_good,
                                                 .reach_good = server_reach_good};

    open_standard_files();
    return cli_main(argc, argv, environ, &programs);
}
