/* The checks of skylark doctor, but for the server that may be running. */
#include "cli/doctor.h"

#include "net/tls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SECOND_US INT64_C(1000000)
#define DAY_US    (INT64_C(86400) * SECOND_US)
#define MIB       (UINT64_C(1) << 20)

static const char *folder_of(const struct doctor *d)
{
    return d->local.config->server_data_dir;
}

static void path_in(const struct doctor *d, const char *name, char out[PATH_MAX])
{
    str_format(out, PATH_MAX, "%s/%s", folder_of(d), name);
}

const char *doctor_bytes(uint64_t bytes, char out[32])
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;

    for (; value >= 1000 && unit < 5; unit++)
        value /= 1000;
    str_format(out, 32, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return out;
}

/* ---- the data folder ---- */

/* Everything in it is for the owner, but for the certificates and the address. */
static bool may_be_read(const char *name)
{
    static const char *const open[] = {"ca.pem", "server.pem", "address", "metrics-address"};

    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (strcmp(name, open[i]) == 0)
            return true;
    return false;
}

/* The first file in the folder that others may read or write; "" when there is none. */
static void find_open_file(const struct doctor *d, char out[NAME_MAX + 1])
{
    DIR *folder = opendir(folder_of(d));
    struct stat s;

    out[0] = '\0';
    for (struct dirent *e; folder && !out[0] && (e = readdir(folder));)
        if (fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) &&
            (s.st_mode & 077) && !may_be_read(e->d_name))
            str_format(out, NAME_MAX + 1, "%s", e->d_name);
    if (folder)
        closedir(folder);
}

/* Files that others may read do no harm in a folder that they cannot enter. */
static void note_rights(struct doctor *d, const struct stat *s)
{
    char file[NAME_MAX + 1];
    char *remedy = arena_printf(&d->found.memory, "chmod -R go= '%s'", folder_of(d));

    find_open_file(d, file);
    if (access(folder_of(d), R_OK | W_OK | X_OK) < 0)
        doctor_note(d, "data folder", HEALTH_WRONG, "Run this as the user that the server runs as.",
                    "%s cannot be written by this user", folder_of(d));
    else if ((s->st_mode & 077) && file[0])
        doctor_note(d, "data folder", HEALTH_WARNING, remedy,
                    "others than its owner may enter %s and read %s", folder_of(d), file);
    else if (s->st_mode & 022)
        doctor_note(d, "data folder", HEALTH_WARNING, remedy,
                    "others than its owner may change files in %s", folder_of(d));
    else
        doctor_note(d, "data folder", HEALTH_OK, NULL, "%s, for its owner only", folder_of(d));
}

void doctor_folder(struct doctor *d)
{
    struct stat s;

    d->over = stat(folder_of(d), &s) < 0 || !S_ISDIR(s.st_mode);
    if (!d->over)
        note_rights(d, &s);
    else
        doctor_note(d, "data folder", HEALTH_WRONG,
                    "Name the server's data folder with --data-dir; 'skylark serve' makes one.",
                    "there is no folder %s", folder_of(d));
}

/* ---- the certificate ---- */

/* The server makes its own anew when less than 30 days of it are left and it starts. */
static void note_end(struct doctor *d, const char *path, bool own, int64_t ends_us)
{
    int64_t left_us = ends_us - clock_now_us(&clock_real);
    char end[RFC3339_SIZE];
    const char *remedy = own ? "Restart the server: it makes a new one."
                             : "Put the renewed one in its place, and send the server SIGHUP.";

    rfc3339_format(ends_us, end);
    end[10] = '\0';
    if (left_us <= 0)
        doctor_note(d, "certificate", HEALTH_WRONG, remedy, "%s ended on %s", path, end);
    else if (left_us < 14 * DAY_US)
        doctor_note(d, "certificate", HEALTH_WARNING, remedy, "%s ends on %s, in %d days", path,
                    end, (int)(left_us / DAY_US));
    else
        doctor_note(d, "certificate", HEALTH_OK, NULL, "%s holds until %s", path, end);
}

void doctor_certificate(struct doctor *d)
{
    const struct config *c = d->local.config;
    bool own = !c->tls_certificate[0];
    struct tls_identity *identity;
    char certificate[PATH_MAX], key[PATH_MAX], why[TLS_WHY_SIZE];
    int64_t ends_us;

    path_in(d, "server.pem", certificate);
    path_in(d, "server.key", key);
    if (own && access(certificate, F_OK) < 0) {
        doctor_note(d, "certificate", HEALTH_OK, NULL, "none yet; the first start makes one");
        return;
    }
    if (tls_identity_load(&identity, own ? certificate : c->tls_certificate, own ? key : c->tls_key,
                          why) < 0) {
        doctor_note(d, "certificate", HEALTH_WRONG,
                    own ? "Remove server.pem and server.key and restart the server."
                        : "See [tls] in the configuration.",
                    "%s", why);
        return;
    }
    if (tls_identity_ends(identity, &ends_us))
        note_end(d, own ? "server.pem" : c->tls_certificate, own, ends_us);
    tls_identity_free(identity);
}

/* ---- disk and clock ---- */

void doctor_disk(struct doctor *d)
{
    struct statvfs s;
    char free_text[32], all_text[32];

    if (statvfs(folder_of(d), &s) < 0) {
        doctor_note(d, "disk", HEALTH_WARNING, "See whether it is mounted.",
                    "its room cannot be found out: %s", strerror(errno));
        return;
    }
    uint64_t spare = (uint64_t)s.f_bavail * s.f_frsize, all = (uint64_t)s.f_blocks * s.f_frsize;
    enum health health = spare < 256 * MIB                        ? HEALTH_WRONG
                         : spare < 2048 * MIB || spare < all / 20 ? HEALTH_WARNING
                                                                  : HEALTH_OK;
    doctor_note(d, "disk", health,
                "Make room: when the disk is full nothing is accepted, until there is some.",
                "%s of %s are free", doctor_bytes(spare, free_text), doctor_bytes(all, all_text));
}

/* A clock that went back, or was never set: files were written in what it takes for the future, or
 * it shows a time before this program was made. */
void doctor_clock(struct doctor *d)
{
    int64_t now_us = clock_now_us(&clock_real), made_us = INT64_C(1767225600) * SECOND_US;
    char path[PATH_MAX], now[RFC3339_SIZE], shown[24];
    struct stat s = {.st_mtime = 0};

    path_in(d, "skylark.db", path);
    stat(path, &s);
    rfc3339_format(now_us, now);
    output_time(str_of(now), shown);
    if (now_us < made_us || (int64_t)s.st_mtime * SECOND_US > now_us + 60 * SECOND_US)
        doctor_note(d, "clock", HEALTH_WRONG,
                    "Set the clock, and keep it right with a time service such as chrony.",
                    "it shows %s UTC, which is %s", shown,
                    now_us < made_us ? "long past" : "before the store was last written");
    else
        doctor_note(d, "clock", HEALTH_OK, NULL, "%s UTC", shown);
}

/* ---- the store ---- */

static uint64_t size_of(const struct doctor *d, const char *name)
{
    char path[PATH_MAX];
    struct stat s;

    path_in(d, name, path);
    return stat(path, &s) == 0 ? (uint64_t)s.st_size : 0;
}

/* The log is moved into the main file all the time; when it is not, something holds it. */
static void note_sizes(struct doctor *d)
{
    uint64_t log = size_of(d, "skylark.db-wal");
    char main_text[32], log_text[32];

    doctor_note(d, "store", log > 1024 * MIB ? HEALTH_WARNING : HEALTH_OK,
                "Look for a process that has been reading skylark.db for long, and end it.",
                "opens; %s, and %s of log", doctor_bytes(size_of(d, "skylark.db"), main_text),
                doctor_bytes(log, log_text));
}

void doctor_store(struct doctor *d)
{
    char path[PATH_MAX], why[STORE_WHY_SIZE];
    struct local *l = &d->local;

    path_in(d, "skylark.db", path);
    if (access(path, F_OK) < 0) {
        doctor_note(d, "store", HEALTH_WARNING,
                    "Name the server's data folder with --data-dir; the first start makes a store.",
                    "there is none in this folder");
        return;
    }
    if (store_open_sqlite(&l->store, path, &clock_real, why) < 0) {
        l->store = NULL;
        doctor_note(d, "store", HEALTH_WRONG, "Restore it from a backup if it is damaged.",
                    "it cannot be opened: %s", why);
        return;
    }
    int r = store_reader_open(l->store, &l->reader);
    if (r == 0)
        note_sizes(d);
    else
        doctor_note(d, "store", HEALTH_WRONG, "Restore it from a backup if it is damaged.",
                    "it cannot be read: %s", strerror(-r));
}

/* ---- the books ---- */

void doctor_books(struct doctor *d)
{
    bool scan = d->in->values[OPTION_BOOKS];

    if (!d->local.reader) {
        if (scan)
            doctor_note(d, "books", HEALTH_WRONG, "See above.", "there is no store to read");
        return;
    }
    int r = store_books(d->local.reader, scan, &d->books);
    d->counted = r == 0 && scan;
    if (r < 0)
        doctor_note(d, "books", HEALTH_WRONG, "See whether the store is damaged.",
                    "they cannot be read: %s", strerror(-r));
    else if (d->books.differences)
        doctor_note(d, "books", HEALTH_WRONG,
                    "This is a fault of the program or of the disk: keep a copy of the data folder "
                    "and report it.",
                    "%lld difference%s; the first: %s", (long long)d->books.differences,
                    d->books.differences == 1 ? "" : "s", d->books.first);
    else
        doctor_note(d, "books", HEALTH_OK, NULL, "0 differences%s",
                    scan ? ", every message counted again"
                         : " between what was counted; --books counts every message again");
}
