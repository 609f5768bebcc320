#include "first_run.h"

#include "base/file.h"
#include "messaging/key.h"
#include "messaging/plan.h"
#include "net/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, QUOTED_SIZE = 4 * PATH_SIZE };

static const char *inside(const struct data_dir *d, const char *name, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%s/%s", d->path, name);
    return out;
}

int data_dir_open(struct data_dir *d, const char *path, char why[STORE_WHY_SIZE])
{
    char lock[PATH_SIZE];

    *d = (struct data_dir){NULL, -1};
    int failed = file_make_folder(path);
    if (!failed) {
        d->path = realpath(path, NULL); /* hints must hold in any folder */
        failed = d->path ? 0 : -errno;
    }
    if (!failed) {
        d->lock = open(inside(d, "lock", lock), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        failed = d->lock < 0 ? -errno : 0;
    }
    if (failed) {
        snprintf(why, STORE_WHY_SIZE, "cannot use the data folder %.150s: %s", path,
                 strerror(-failed));
        return failed;
    }
    if (flock(d->lock, LOCK_EX | LOCK_NB) < 0) {
        snprintf(why, STORE_WHY_SIZE, "another skylark serves the data folder %.150s", path);
        data_dir_close(d);
        return -EBUSY;
    }
    return 0;
}

void data_dir_close(struct data_dir *d)
{
    if (d->lock >= 0)
        close(d->lock);
    free(d->path);
    *d = (struct data_dir){NULL, -1};
}

static bool has_keys(struct store *s, int *ret_failed)
{
    struct store_reader *reader;
    struct key_record *keys;
    struct arena arena;
    size_t count = 0;

    *ret_failed = store_reader_open(s, &reader);
    if (*ret_failed)
        return false;
    arena_init(&arena, 1 << 28);
    *ret_failed = store_key_list(reader, 0, 0, 1, &arena, &keys, &count);
    arena_done(&arena);
    store_reader_close(reader);
    return count > 0;
}

static int store_key(struct store *s, struct key_record *record)
{
    int failed = store_begin(s);
    return failed ? failed : store_end(s, store_key_insert(s, record));
}

static int make_key(struct store *s, const struct data_dir *d, char *ret_key)
{
    struct key_record record = {.account = FIRST_ACCOUNT,
                                .per_minute = LIMIT_OF_PLAN,
                                .per_hour = LIMIT_OF_PLAN,
                                .mode = MODE_TEST,
                                .name = "first test key",
                                .plan = PLAN_DEFAULT,
                                .created_us = clock_now_us(&clock_real)};
    char path[PATH_SIZE], line[KEY_CHARS + 2];

    key_make(MODE_TEST, ret_key);
    digest_sha256(str_of(ret_key), record.hash);
    key_last_four(str_of(ret_key), record.last_four);
    snprintf(line, sizeof line, "%s\n", ret_key);
    int failed = file_replace(inside(d, "test-key", path), str_of(line), 0600);
    return failed ? failed : store_key(s, &record);
}

int first_key(struct store *s, const struct data_dir *d, char *ret_key, char why[STORE_WHY_SIZE])
{
    int failed;

    ret_key[0] = '\0';
    if (has_keys(s, &failed))
        return 0;
    if (failed) {
        snprintf(why, STORE_WHY_SIZE, "cannot read the store %.150s/skylark.db: %s", d->path,
                 strerror(-failed));
        return failed;
    }
    failed = make_key(s, d, ret_key);
    if (failed)
        snprintf(why, STORE_WHY_SIZE, "cannot make the first test key: %s", strerror(-failed));
    return failed;
}

int address_write(const struct data_dir *d, const char *file, const char *url)
{
    char path[PATH_SIZE], line[512];

    snprintf(line, sizeof line, "%s\n", url);
    return file_replace(inside(d, file, path), str_of(line), 0644);
}

void address_remove(const struct data_dir *d, const char *file)
{
    char path[PATH_SIZE];
    unlink(inside(d, file, path));
}

/* One word of a shell, whatever is in it. */
static const char *quoted(const char *text, char out[QUOTED_SIZE])
{
    char *to = out;

    *to++ = '\'';
    for (; *text && to < out + QUOTED_SIZE - 6; text++)
        if (*text == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *text;
    *to++ = '\'';
    *to = '\0';
    return out;
}

/* How the command line reaches this server, or its configuration: nothing to add when it looks
 * there anyway. */
static const char *flag_of(const char *name, const char *value, char out[QUOTED_SIZE])
{
    char word[QUOTED_SIZE];

    out[0] = '\0';
    if (value && snprintf(out, QUOTED_SIZE, " %s %s", name, quoted(value, word)) >= QUOTED_SIZE)
        out[0] = '\0';
    return out;
}

/* The file is named so that it is found from every folder. */
static void print_carriers(const struct greeting *g, const char *flag)
{
    char path[PATH_MAX], room[QUOTED_SIZE];
    const char *file = g->file && realpath(g->file, path) ? path : g->file;

    printf("Live messages go to %.*s; this shows how they stand: %s carriers list%s%s\n",
           STR_FMT(g->carriers), program_invocation_name, flag, flag_of("--config", file, room));
}

static void print_first(const struct data_dir *d, const char *url, const char *metrics,
                        const char *key, const char *flag)
{
    char path[PATH_SIZE], ca[QUOTED_SIZE];

    quoted(inside(d, "ca.pem", path), ca);
    printf("Skylark " SKYLARK_VERSION " is running.\n"
           "\n"
           "  API address   %s\n"
           "  Test key      %s\n"
           "  Data folder   %s   (this key is also in its file test-key)\n"
           "%s%s%s"
           "\n"
           "Send your first message. With a test key it is simulated: free, and no message leaves "
           "this "
           "machine.\n"
           "Paste this into another terminal:\n"
           "\n"
           "curl --cacert %s %s/v1/send -H 'Authorization: Bearer %s' -H 'Content-Type: "
           "application/json' -d '{\"to\":\"+15551234567\",\"text\":\"Hello from Skylark\"}'\n"
           "\n"
           "A second later it is delivered; this shows it: %s messages list%s\n"
           "Ctrl-C stops the server.\n",
           url, key, d->path, metrics[0] ? "  Metrics       " : "", metrics, metrics[0] ? "\n" : "",
           ca, url, key, program_invocation_name, flag);
}

static void print_later(const struct data_dir *d, const char *url, const char *metrics,
                        const char *flag)
{
    const char *program = program_invocation_name;
    char path[PATH_SIZE];

    printf("Skylark " SKYLARK_VERSION " is running at %s%s%s\n", url,
           metrics[0] ? ", its metrics are at " : "", metrics);
    if (access(inside(d, "test-key", path), R_OK) == 0)
        printf("Data is in %s, a test key in its file test-key. Ctrl-C stops the server.\n"
               "Try in another terminal: %s send +15551234567 Hello%s\n",
               d->path, program, flag);
    else
        printf("Data is in %s. Ctrl-C stops the server.\n"
               "Make a test key in another terminal: %s keys create --name mine%s\n",
               d->path, program, flag);
}

void greeting_print(const struct data_dir *d, const struct greeting *g)
{
    char room[QUOTED_SIZE];
    const char *flag = flag_of("--data-dir", g->usual ? NULL : d->path, room);

    if (g->key[0] && isatty(STDOUT_FILENO))
        print_first(d, g->url, g->metrics, g->key, flag);
    else
        print_later(d, g->url, g->metrics, flag);
    if (g->carriers.n)
        print_carriers(g, flag);
    fflush(stdout);
}
