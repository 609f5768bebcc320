/* A shelf of volumes must say the same as a plain array of all entries does, whatever has been
 * merged, dropped, begun or given up. */
#include "base/test_random.h"
#include "store/sqlite_internal.h"
#include "store/sqlite_posting.h"
#include "store/test_fixture.h"

#include <stdlib.h>

enum { ROWS = 3000, PER_ROW = 3, OWNERS = 2, TERMS = 40 };

static struct entry model[ROWS * PER_ROW]; /* in the order of rows */
static size_t model_count;
static struct shelf shelf;
static struct pending pending;
static struct posting posting;
static uint64_t seed;

static size_t pick(size_t below)
{
    return test_random(&seed) % below;
}

static struct sqlite_store *engine(void)
{
    return (struct sqlite_store *)test_store;
}

static void prepare(void)
{
    engine()->sizes = (struct sizes){.bulk = 20, .bulk_idle = 5, .fan = 3, .step = 50};
    posting.seek = engine()->statements[WRITE_LEAF_SEEK];
    posting.get = engine()->statements[WRITE_LEAF_GET];
    shelf = (struct shelf){.number = SHELF_MESSAGES, .level_max = LEVELS};
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(shelf_load(engine(), &shelf), 0);
}

/* Some terms are in every row, some in few. */
static void add_row(int64_t id)
{
    struct entry e[PER_ROW];

    for (int i = 0; i < PER_ROW; i++)
        e[i] = (struct entry){(int64_t)pick(OWNERS), i * 1000 + (i ? (int64_t)pick(TERMS) : 0), id};
    for (int i = 0; i < PER_ROW; i++)
        model[model_count++] = e[i];
    assert_int_equal(pending_add(&pending, e, PER_ROW), 0);
}

/* What the model has in a volume: the nearest numbers to one, and how many entries before it. */
static void check_posting(const struct volume *v, const struct entry *wanted)
{
    int64_t most = -1, least = -1, rank = 0, found = -1;

    for (size_t i = 0; i < model_count; i++) {
        const struct entry *e = &model[i];
        int order = entry_compare_terms(e, wanted);
        if (e->id < v->first || e->id > v->last)
            continue;
        rank += order < 0 || (order == 0 && e->id < wanted->id);
        if (order == 0 && e->id <= wanted->id)
            most = e->id;
        if (order == 0 && e->id >= wanted->id && least < 0)
            least = e->id;
    }
    assert_int_equal(posting_at_most(&posting, wanted->id, &found), most >= 0);
    assert_int_equal(found, most);
    found = -1;
    assert_int_equal(posting_at_least(&posting, wanted->id, &found), least >= 0);
    assert_int_equal(found, least);
    assert_int_equal(posting_rank(&posting, wanted->id, &found), 0);
    assert_int_equal(found, rank);
}

static void check_some(void)
{
    if (!shelf.count)
        return;
    const struct volume *v = &shelf.volumes[pick(shelf.count)];
    const struct entry *any = &model[pick(model_count)];
    posting.owner = any->owner;
    posting.term = pick(8) ? any->term : (int64_t)pick(5000);
    posting_open(&posting, v->id);
    for (int i = 0; i < 5; i++) {
        int64_t id = pick(2) ? v->first + (int64_t)pick((size_t)(v->last - v->first + 1))
                             : (int64_t)pick((size_t)v->last + 10);
        check_posting(v, &(struct entry){posting.owner, posting.term, id});
    }
}

/* Every row is in exactly one volume, or behind them all. */
static void check_cover(int64_t first, int64_t last)
{
    int64_t next = first;

    for (size_t i = 0; i < shelf.count; i++) {
        assert_true(shelf.volumes[i].first <= shelf.volumes[i].last);
        assert_true(shelf.volumes[i].first >= next);
        next = shelf.volumes[i].last + 1;
        if (i)
            assert_true(shelf.volumes[i].level <= shelf.volumes[i - 1].level);
    }
    assert_int_equal(shelf_upto(&shelf), shelf.count ? next - 1 : 0);
    assert_true(next <= last + 1);
}

static int64_t count_rows(const char *sql)
{
    int64_t count = -1;

    assert_int_equal(sqlite_number(engine()->db, sql, &count), 0);
    return count;
}

static void finish_work(void)
{
    while (shelf_has_work(engine(), &shelf))
        assert_int_equal(shelf_work(engine(), &shelf, 1000), 0);
}

/* The whole program may end at any moment between two transactions. */
static void reopen(void)
{
    assert_int_equal(store_commit(test_store), 0);
    shelf_forget(&shelf);
    test_close();
    test_open();
    prepare();
}

static void work_a_little(void)
{
    switch (pick(4)) {
    case 0:
        if (pending.rows)
            assert_int_equal(shelf_add(engine(), &shelf, &pending), 0);
        break;
    case 1:
        if (pick(30) == 0)
            reopen();
        break;
    default:
        if (shelf_has_work(engine(), &shelf))
            assert_int_equal(shelf_work(engine(), &shelf, 1 + pick(60)), 0);
    }
}

static void end(void)
{
    assert_int_equal(store_commit(test_store), 0);
    shelf_forget(&shelf);
    pending_done(&pending);
}

static void test_a_shelf_says_what_the_rows_say(void **state)
{
    int64_t id = 0;

    seed = 5;
    model_count = 0;
    prepare();
    while (model_count < ROWS * PER_ROW) {
        for (size_t n = pick(12); n && model_count < ROWS * PER_ROW; n--)
            add_row(id += 1 + (int64_t)pick(100000)); /* three bytes: groups of several leaves */
        work_a_little();
        check_cover(1, id);
        check_some();
    }
    while (pending.rows)
        assert_int_equal(shelf_add(engine(), &shelf, &pending), 0);
    finish_work();
    assert_true(shelf.count < 20);
    assert_int_equal(count_rows("SELECT count(*) FROM volume"), shelf.count);
    assert_int_equal(count_rows("SELECT count(DISTINCT volume) FROM leaf"), shelf.count);
    for (int i = 0; i < 300; i++)
        check_some();
    end();
}

static void add_volumes(int count)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 20; k++)
            add_row((int64_t)(model_count / PER_ROW) + 1);
        assert_int_equal(shelf_add(engine(), &shelf, &pending), 0);
    }
}

/* Old volumes can be dropped, and a merging that had begun with them is given up. */
static void test_dropping(void **state)
{
    seed = 6;
    model_count = 0;
    prepare();
    add_volumes(4);
    assert_int_equal(shelf_work(engine(), &shelf, 1), 0);
    if (shelf.over) /* looks for volumes to drop first */
        assert_int_equal(shelf_work(engine(), &shelf, 1), 0);
    assert_int_equal(shelf_work(engine(), &shelf, 10), 0);
    assert_int_equal(count_rows("SELECT count(*) FROM volume WHERE state = 1"), 1);
    assert_int_equal(shelf_drop_before(engine(), &shelf, 41), 0);
    assert_int_equal(shelf.count, 2);
    assert_int_equal(shelf.volumes[0].first, 41);
    finish_work();
    assert_int_equal(count_rows("SELECT count(*) FROM volume"), 2);
    assert_int_equal(count_rows("SELECT count(*) FROM leaf WHERE volume NOT IN "
                                "(SELECT id FROM volume)"),
                     0);
    /* The newest stays, because it says up to where rows are covered. */
    assert_int_equal(shelf_drop_before(engine(), &shelf, 1000), 0);
    assert_int_equal(shelf.count, 1);
    assert_int_equal(shelf_upto(&shelf), 80);
    for (int i = 0; i < 50; i++)
        check_some();
    end();
}

/* Volumes above the highest level stay as they are. */
static void test_the_highest_level(void **state)
{
    seed = 7;
    model_count = 0;
    prepare();
    shelf.level_max = 1;
    add_volumes(12);
    finish_work();
    assert_int_equal(shelf.count, 4);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_shelf_says_what_the_rows_say),
        STORE_TEST(test_dropping),
        STORE_TEST(test_the_highest_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
