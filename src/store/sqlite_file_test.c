/* The contract of store.h about files: what survives, and who else may write. */
#include "store/sqlite_internal.h"
#include "store/test_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_at(const char *path, struct store **ret, char why[STORE_WHY_SIZE])
{
    why[0] = '\0';
    return store_open_sqlite(ret, path, &test_clock, why);
}

static void add_key(struct store *s, uint8_t mark)
{
    struct key_record k = {.account = 1, .name = "n", .plan = "default", .last_four = "abcd"};

    memset(k.hash, mark, sizeof k.hash);
    assert_int_equal(store_begin(s), 0);
    assert_int_equal(store_key_insert(s, &k), 0);
    assert_int_equal(store_commit(s), 0);
}

static int find_key(uint8_t mark, struct key_record *ret)
{
    uint8_t hash[KEY_HASH_SIZE];

    memset(hash, mark, sizeof hash);
    return store_key_find(test_reader, hash, ret);
}

static void test_reopen_keeps_everything(void **state)
{
    struct message sent[5], read, *work;
    struct id_cipher cipher = *store_cipher(test_store);
    struct message_page p;
    struct key_record key;

    for (int i = 0; i < 5; i++)
        sent[i] = test_accept(1, MODE_TEST, "kept");
    test_move(sent[0].id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 5);
    add_key(test_store, 9);
    test_close();
    test_open();

    assert_memory_equal(store_cipher(test_store), &cipher, sizeof cipher);
    assert_int_equal(store_message_get(test_reader, 1, MODE_TEST, sent[4].id, &test_arena, &read),
                     0);
    test_same(&read, &sent[4]);
    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST, NULL, 0, 3, &test_arena, &p), 0);
    assert_int_equal(p.total, 5);
    assert_int_equal(p.messages[0].id, sent[4].id);
    assert_int_equal(test_open_work(0, 9, &work), 4);
    assert_int_equal(find_key(9, &key), 0);
}

/* Stands in front of the system's own: a commit that was only written would not survive a power
 * cut, and no other test could tell. */
static _Atomic int syncs;

/* The C library's header names the parameter with a name reserved to it. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int fdatasync(int fd)
{
    atomic_fetch_add(&syncs, 1);
    return fsync(fd);
}

static void test_each_commit_is_synced(void **state)
{
    test_accept(1, MODE_TEST, "the log may just have begun");
    for (int i = 0; i < 5; i++) {
        int before = atomic_load(&syncs);
        test_accept(1, MODE_TEST, "x");
        assert_true(atomic_load(&syncs) > before);
    }
}

/* Housekeeping spares itself the wait, and nobody else. */
static void test_commits_after_housekeeping_are_synced(void **state)
{
    int64_t volumes = 0;

    for (int i = 1; i <= 3; i++) {
        assert_int_equal(store_begin(test_store), 0);
        for (int k = 0; k < 300; k++) {
            struct message m = test_message(1, MODE_TEST, "x");
            assert_int_equal(store_accept(test_store, &m), 0);
        }
        assert_int_equal(store_commit(test_store), 0);
        int before = atomic_load(&syncs);
        for (bool more = true; more && volumes < i;) { /* other chores may come first */
            more = store_housekeep(test_store, true);
            sqlite_number(((struct sqlite_store *)test_store)->db, "SELECT count(*) FROM volume",
                          &volumes);
        }
        assert_int_equal(atomic_load(&syncs), before);
        assert_int_equal(volumes, i); /* it did write */
        test_accept(1, MODE_TEST, "y");
        assert_true(atomic_load(&syncs) > before);
    }
}

static void test_ids_go_on_after_reopen(void **state)
{
    struct message before = test_accept(1, MODE_TEST, "x");

    test_close();
    test_now_us -= 86400000000;
    test_open();
    struct message after = test_accept(1, MODE_TEST, "y");
    assert_true(after.id > before.id);
    assert_true(after.created_us >= before.created_us);
}

static void test_close_drops_what_is_not_committed(void **state)
{
    struct message m = test_message(1, MODE_TEST, "x"), read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    test_close();
    test_open();
    assert_int_equal(store_message_get(test_reader, 1, MODE_TEST, m.id, &test_arena, &read),
                     -ENOENT);
}

static void test_another_handle_writes(void **state)
{
    struct store *other;
    struct key_record k;
    char why[STORE_WHY_SIZE];

    assert_int_equal(open_at(test_path, &other, why), 0);
    assert_memory_equal(store_cipher(other), store_cipher(test_store), sizeof(struct id_cipher));
    store_look_elsewhere(test_store);
    uint64_t start = store_key_generation(test_store);

    add_key(other, 1);
    store_look_elsewhere(test_store);
    assert_true(store_key_generation(test_store) > start);
    assert_int_equal(find_key(1, &k), 0);

    uint64_t seen = store_key_generation(test_store);
    store_look_elsewhere(test_store);
    assert_int_equal(store_key_generation(test_store), seen);
    test_accept(1, MODE_TEST, "our own writing is no surprise");
    store_look_elsewhere(test_store);
    assert_int_equal(store_key_generation(test_store), seen);
    store_close(other);
}

static int touch(void)
{
    assert_int_equal(store_begin(test_store), 0);
    int failed = store_touch(test_store);
    if (failed) {
        store_rollback(test_store);
        return failed;
    }
    return store_commit(test_store);
}

/* A limit on file sizes plays the full disk. */
static void test_a_touch_finds_a_full_disk(void **state)
{
    struct rlimit before, none;

    assert_int_equal(touch(), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int failed = touch();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(failed < 0);
    assert_int_equal(touch(), 0);
}

/* Leaves without a word, as a killed process does. */
static void write_and_die(const char *path)
{
    struct key_record k = {.account = 1, .name = "n", .plan = "default", .last_four = "abcd"};
    struct store *s;
    char why[STORE_WHY_SIZE];

    if (open_at(path, &s, why) != 0)
        _exit(1);
    memset(k.hash, 2, sizeof k.hash);
    int r = store_begin(s);
    r = r ? r : store_key_insert(s, &k);
    r = r ? r : store_commit(s);
    r = r ? r : store_begin(s);
    memset(k.hash, 3, sizeof k.hash);
    r = r ? r : store_key_insert(s, &k);
    _exit(r ? 1 : 0);
}

/* A fresh program, because SQLite's connections must not be carried across a fork. */
static int run_write_and_die(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        execl("/proc/self/exe", "store-files-test", test_path, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_another_process_writes_and_dies(void **state)
{
    struct key_record k;

    test_accept(1, MODE_TEST, "before");
    store_look_elsewhere(test_store);
    uint64_t start = store_key_generation(test_store);
    assert_int_equal(run_write_and_die(), 0);
    store_look_elsewhere(test_store);
    assert_true(store_key_generation(test_store) > start);
    assert_int_equal(find_key(2, &k), 0);
    assert_int_equal(find_key(3, &k), -ENOENT);
    test_accept(1, MODE_TEST, "after");
}

static void test_a_damaged_secret_is_refused(void **state)
{
    struct store *other = (struct store *)-1;
    char why[STORE_WHY_SIZE];
    sqlite3 *db;

    test_close();
    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE meta SET value = x'00' WHERE name = 'id_secret'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_changes(db), 1);
    assert_true(open_at(test_path, &other, why) < 0);
    assert_null(other);
    assert_non_null(strstr(why, "id_secret"));
    assert_int_equal(sqlite3_exec(db, "DELETE FROM meta", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    test_open();
}

static void test_what_is_no_store_is_refused(void **state)
{
    static const char noise[4096] = "This is a letter, not a database.";
    struct store *other = (struct store *)-1;
    char path[80], why[STORE_WHY_SIZE];

    snprintf(path, sizeof path, "%s/none/store.db", test_path);
    assert_true(open_at(path, &other, why) < 0);
    assert_null(other);
    assert_true(strlen(why) > 0);

    snprintf(path, sizeof path, "%s.letter", test_path);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(file, noise, sizeof noise), sizeof noise);
    close(file);
    other = (struct store *)-1;
    assert_true(open_at(path, &other, why) < 0);
    assert_null(other);
    assert_true(strlen(why) > 0);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_reopen_keeps_everything),
        STORE_TEST(test_each_commit_is_synced),
        STORE_TEST(test_commits_after_housekeeping_are_synced),
        STORE_TEST(test_ids_go_on_after_reopen),
        STORE_TEST(test_close_drops_what_is_not_committed),
        STORE_TEST(test_a_touch_finds_a_full_disk),
        STORE_TEST(test_another_handle_writes),
        STORE_TEST(test_another_process_writes_and_dies),
        STORE_TEST(test_a_damaged_secret_is_refused),
        STORE_TEST(test_what_is_no_store_is_refused),
    };

    if (count == 2)
        write_and_die(words[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
