#include "cli/cli.h"
#include "server.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    return cli_main(argc, argv, environ, server_run);
}
