/* Entries, sorted and in leaves. */
#include "store/leaf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 20000 };

static uint64_t seed;

static uint64_t pick(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 11) % below;
}

static struct entry any_entry(int64_t id)
{
    static const uint64_t owners[] = {1, 5, 1000, INT64_MAX};
    static const uint64_t terms[] = {1, 3, 70000, INT64_MAX};

    return (struct entry){
        .owner = (int64_t)pick(owners[pick(4)]), .term = (int64_t)pick(terms[pick(4)]), .id = id};
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = entry_compare_terms(x, y);

    return order ? order : x->id < y->id ? -1 : x->id > y->id;
}

static void test_sorting(void **state)
{
    struct entry *sorted = calloc(MANY, sizeof *sorted), *wanted = calloc(MANY, sizeof *wanted);
    struct entry *room = calloc(MANY, sizeof *room);

    seed = 1;
    for (size_t n = 0; n < MANY; n = n * 3 + 1) {
        for (size_t i = 0; i < n; i++)
            wanted[i] = sorted[i] = any_entry((int64_t)i);
        entry_sort(sorted, room, n);
        qsort(wanted, n, sizeof *wanted, compare);
        assert_memory_equal(sorted, wanted, n * sizeof *sorted);
    }
    free(room);
    free(wanted);
    free(sorted);
}

/* Fills a leaf from sorted entries; how many went in. */
static size_t fill(struct leaf_writer *w, const struct entry *entries, size_t n)
{
    size_t i = 0;

    leaf_begin(w, 0);
    while (i < n && leaf_add(w, &entries[i]))
        i++;
    assert_int_equal(w->count, i);
    assert_true(w->size <= LEAF_SIZE);
    return i;
}

static void same_entries(const struct leaf_writer *w, const struct entry *entries, size_t n)
{
    struct leaf_reader r;

    leaf_read(&r, w->bytes, w->size);
    for (size_t i = 0; i < n; i++) {
        assert_true(leaf_next(&r));
        assert_memory_equal(&r.entry, &entries[i], sizeof r.entry);
    }
    assert_false(leaf_next(&r));
    assert_false(r.damaged);
}

/* What leaf_find says of a term must be what the entries say. */
static void same_group(const struct leaf_writer *w, const struct entry *entries, size_t n,
                       struct entry wanted)
{
    static struct leaf_group g;
    size_t before = 0, count = 0;

    assert_int_equal(leaf_find(w->bytes, w->size, wanted.owner, wanted.term, &g), 0);
    for (size_t i = 0; i < n; i++) {
        int order = entry_compare_terms(&entries[i], &wanted);
        before += order < 0;
        if (order == 0)
            assert_int_equal(g.ids[count++], entries[i].id);
    }
    assert_int_equal(g.count, count);
    assert_int_equal(g.before, before);
    assert_int_equal(g.may_go_on, before + count == n);
}

static void test_what_goes_in_comes_out(void **state)
{
    static struct leaf_writer w;
    struct entry *entries = calloc(MANY, sizeof *entries);

    seed = 2;
    for (size_t i = 0; i < MANY; i++)
        entries[i] = any_entry((int64_t)(i * pick(1 << 20)) + (int64_t)i);
    entries[0].id = INT64_MAX;
    qsort(entries, MANY, sizeof *entries, compare);
    for (size_t at = 0, n; at < MANY; at += n) {
        n = fill(&w, &entries[at], MANY - at);
        assert_true(n > 100 || at + n == MANY);
        same_entries(&w, &entries[at], n);
        for (int i = 0; i < 20; i++)
            same_group(&w, &entries[at], n, i % 2 ? entries[pick(MANY)] : any_entry(0));
    }
    free(entries);
}

/* Numbers that follow each other take a byte each. */
static void test_a_long_group(void **state)
{
    static struct leaf_writer w;
    static struct leaf_group g;
    struct entry e = {7, 9, 1000};

    leaf_begin(&w, 1000);
    while (leaf_add(&w, &e))
        e.id++;
    assert_true(w.count > LEAF_SIZE - 16);
    assert_int_equal(leaf_find(w.bytes, w.size, 7, 9, &g), 0);
    assert_int_equal(g.count, w.count);
    assert_int_equal(g.ids[g.count - 1], e.id - 1);
    assert_true(g.may_go_on);
}

/* Bytes that are cut off or make no sense end the reading, and never lead outside. */
static void test_damaged_leaves(void **state)
{
    static struct leaf_group g;
    struct leaf_writer w;
    struct entry e = {7, 9, 1 << 20};
    unsigned refused = 0;

    leaf_begin(&w, 0);
    for (int i = 0; i < 50; i++, e.term += 300, e.id += 70000)
        assert_true(leaf_add(&w, &e));
    for (size_t n = 0; n < w.size; n++) {
        uint8_t *part = malloc(n + 1); /* so that a reader that goes on is caught */
        memcpy(part, w.bytes, n);
        refused += leaf_find(part, n, 7, INT64_MAX, &g) == -EBADMSG;
        free(part);
    }
    assert_true(refused > w.size / 2);
    seed = 3;
    for (int i = 0; i < 20000; i++) {
        uint8_t *part = malloc(40);
        for (size_t k = 0; k < 40; k++)
            part[k] = (uint8_t)pick(256);
        leaf_find(part, 40, (int64_t)pick(300), (int64_t)pick(300), &g);
        free(part);
    }
    assert_int_equal(
        leaf_find((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, 0, 0, &g),
        -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_what_goes_in_comes_out),
        cmocka_unit_test(test_a_long_group),
        cmocka_unit_test(test_damaged_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
