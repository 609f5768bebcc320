#include "server.h"
#include <stdio.h>
extern char **environ;
int main(int argc, char **argv)
{
    struct config_source src = {.environment = environ};
    src.flags[CONFIG_server_data_dir] = argv[1];
    src.flags[CONFIG_server_listen] = argv[2];
    struct config_report rep;
    config_report_init(&rep);
    struct config *c;
    if (config_load(&c, &src, &rep) < 0) {
        fputs(rep.errors.p, stderr);
        return 78;
    }
    return server_run(c, &src);
}
