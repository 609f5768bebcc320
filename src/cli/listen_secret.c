#include "cli/listen_secret.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#define FILE_NAME "listen-secret"

static void file_in(const char *folder, char out[PATH_MAX])
{
    str_format(out, PATH_MAX, "%s/" FILE_NAME, folder);
}

/* -ENOENT: there is none yet. */
static int read_secret(const char *path, char out[SECRET_SIZE + 1])
{
    struct buf text BUF_CLEANUP;

    buf_init(&text, 1 << 14);
    int r = file_read(path, &text);
    if (r < 0)
        return r;
    struct str secret = str_trim(buf_str(&text));
    if (secret_fault(secret) || secret.n != SECRET_SIZE)
        return -EINVAL;
    str_format(out, SECRET_SIZE + 1, "%.*s", STR_FMT(secret));
    return 0;
}

static int make_secret(const char *path, char out[SECRET_SIZE + 1])
{
    char line[SECRET_SIZE + 2];

    secret_make(out);
    str_format(line, sizeof line, "%s\n", out);
    return file_replace(path, str_of(line), 0600);
}

static bool find_settings(const struct invocation *in, char out[PATH_MAX])
{
    const char *settings = config_variable(in->environment, "XDG_CONFIG_HOME");
    const char *home = config_variable(in->environment, "HOME");

    if (settings && *settings)
        str_format(out, PATH_MAX, "%s/skylark", settings);
    else if (home && *home)
        str_format(out, PATH_MAX, "%s/.config/skylark", home);
    else
        return false;
    return true;
}

/* Where the secret is, or can be made. */
static bool find_path(const struct invocation *in, const char *data_folder, char out[PATH_MAX])
{
    char folder[PATH_MAX];

    file_in(data_folder, out);
    if (access(out, R_OK) == 0 || (errno == ENOENT && access(data_folder, W_OK | X_OK) == 0))
        return true;
    if (!find_settings(in, folder) || file_make_folder(folder) < 0)
        return false;
    file_in(folder, out);
    return true;
}

int listen_secret(const struct invocation *in, char out[SECRET_SIZE + 1])
{
    struct config_source source;
    struct config *config = NULL;
    char path[PATH_MAX];
    int r = invocation_config(in, &source, &config);

    bool found = r == CLI_OK && find_path(in, config->server_data_dir, path);
    config_free(config);
    if (r != CLI_OK)
        return r;
    if (!found) {
        talk("There is no place for the secret: neither the data folder nor "
             "$XDG_CONFIG_HOME/skylark "
             "can be written. Name a folder with --data-dir.");
        return CLI_FAILED;
    }
    r = read_secret(path, out);
    if (r == -ENOENT)
        r = make_secret(path, out);
    if (r == 0)
        return CLI_OK;
    if (r == -EINVAL)
        talk("What is in %s is no secret any more; delete it, and a new one is made.", path);
    else
        talk("The secret in %s cannot be kept: %s", path, strerror(-r));
    return CLI_FAILED;
}
