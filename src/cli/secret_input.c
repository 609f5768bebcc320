#include "cli/secret_input.h"

#include "base/file.h"

#include <errno.h>
#include <unistd.h>

int secret_input(const struct invocation *in, const char *variable, struct buf *out)
{
    const char *name = in->values[OPTION_SECRET_FILE];
    const char *given = variable ? config_variable(in->environment, variable) : NULL;

    if (!name) {
        buf_text(out, given);
        return CLI_OK;
    }
    bool from_stdin = strcmp(name, "-") == 0;
    if (from_stdin && isatty(STDIN_FILENO))
        talk("Paste the secret; Enter and Ctrl-D end it.");
    int r = from_stdin ? file_read_from(STDIN_FILENO, out) : file_read(name, out);
    if (r == 0 && out->n)
        return CLI_OK;
    talk("The secret in %s cannot be read: %s", from_stdin ? "standard input" : name,
         r == 0        ? "nothing is there"
         : r == -EFBIG ? "it is too long"
                       : strerror(-r));
    return CLI_USAGE;
}
