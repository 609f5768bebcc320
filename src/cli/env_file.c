#include "cli/env_file.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILE_MAX = 1 << 20, NEW_MODE = 0600, MODE_MASK = 07777 };

bool env_name_good(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (!letter && !(i && c >= '0' && c <= '9'))
            return false;
    }
    return name.n > 0;
}

static struct str skip_blanks(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = str_skip(s, 1);
    return s;
}

/* Where the value begins in a line that sets the name, "export NAME =" included; 0 in any other. */
static size_t value_at(struct str line, struct str name)
{
    struct str rest = skip_blanks(line);

    if (str_starts(rest, STR("export ")))
        rest = skip_blanks(str_skip(rest, strlen("export ")));
    if (!str_starts(rest, name))
        return 0;
    rest = skip_blanks(str_skip(rest, name.n));
    return str_starts(rest, STR("=")) ? (size_t)(rest.p + 1 - line.p) : 0;
}

void env_file_set(struct str text, struct str name, struct str value, struct buf *out)
{
    bool set = false;

    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t whole = end ? (size_t)(end - text.p) + 1 : text.n;
        struct str line = {text.p, whole};
        size_t at = value_at(line, name);
        if (at) {
            bool crlf = end && whole > 1 && end[-1] == '\r';
            buf_add(out, (struct str){line.p, at});
            buf_add(out, value);
            buf_text(out, crlf ? "\r\n" : "\n");
            set = true;
        } else {
            buf_add(out, line);
        }
        text = str_skip(text, whole);
    }
    if (set)
        return;
    if (out->n && out->p[out->n - 1] != '\n')
        buf_add_char(out, '\n');
    buf_printf(out, "%.*s=%.*s\n", STR_FMT(name), STR_FMT(value));
}

/* The file itself is replaced, not a link that leads to it. */
static int replace(const char *path, struct str bytes)
{
    struct stat info;
    char *target = realpath(path, NULL);

    if (!target && errno != ENOENT)
        return -errno;
    mode_t mode = target && stat(target, &info) == 0 ? info.st_mode & MODE_MASK : NEW_MODE;
    int r = file_replace(target ? target : path, bytes, mode);
    free(target);
    return r;
}

int env_file_write(const char *path, struct str name, struct str value)
{
    struct buf before BUF_CLEANUP, after BUF_CLEANUP;

    buf_init(&before, FILE_MAX);
    buf_init(&after, 2 * FILE_MAX);
    int r = file_read(path, &before);
    if (r < 0 && r != -ENOENT)
        return r;
    env_file_set(buf_str(&before), name, value, &after);
    return after.failed ? -ENOMEM : replace(path, buf_str(&after));
}
