/* Migrations: each file of migrations/ brings the schema one version up, in one transaction.
 * The version is SQLite's user_version. */
#include "migrations.h"
#include "store/sqlite_pulse.h"
#include "store/sqlite_rollup.h"

#include <errno.h>
#include <stdio.h>

enum { SCHEMA_VERSION = sizeof migrations / sizeof *migrations };

static int schema_version(sqlite3 *db, int64_t *ret)
{
    return sqlite_number(db, "PRAGMA user_version", ret);
}

/* What a migration does that SQL cannot say. */
static int renew_rollups(struct sqlite_store *s)
{
    int failed = rollup_convert(s);
    return failed ? failed : rollup_backfill(s);
}

static int (*const steps[SCHEMA_VERSION])(struct sqlite_store *s) = {
    [7] = pulse_backfill,
    [9] = renew_rollups,
};

static int run_one(struct sqlite_store *s, int64_t version)
{
    char mark[64];

    snprintf(mark, sizeof mark, "PRAGMA user_version = %d", (int)version + 1);
    if (sqlite3_exec(s->db, migrations[version], NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(s->db, mark, NULL, NULL, NULL) != SQLITE_OK)
        return sqlite_failed(s);
    return steps[version] ? steps[version](s) : 0;
}

/* Under the write lock, so that two programs starting at once do not both migrate. */
static int run_all(struct sqlite_store *s, int64_t *version)
{
    int failed = sqlite_errno(sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL));

    if (!failed)
        failed = schema_version(s->db, version);
    for (; !failed && *version < SCHEMA_VERSION; ++*version)
        failed = run_one(s, *version);
    if (!failed)
        failed = sqlite_errno(sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL));
    if (failed)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return failed;
}

int sqlite_migrate(struct sqlite_store *s, char why[STORE_WHY_SIZE])
{
    int64_t version = 0;
    int failed = schema_version(s->db, &version);

    if (!failed && version < SCHEMA_VERSION)
        failed = run_all(s, &version);
    if (failed) {
        sqlite_failed(s); /* in its words with the system's cause, such as a full disk */
        snprintf(why, STORE_WHY_SIZE, "cannot prepare the store %.100s: %.120s", s->path,
                 s->base.error);
        return failed;
    }
    if (version > SCHEMA_VERSION) {
        snprintf(
            why, STORE_WHY_SIZE,
            "the store %s has schema %d, made by a newer skylark; this one knows schemas up to "
            "%d. Install the newer version, or restore a backup from before the upgrade.",
            s->path, (int)version, SCHEMA_VERSION);
        return -EPROTO;
    }
    return 0;
}
