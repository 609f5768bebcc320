#include "messaging/parcel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct parcel_queue queue;

static struct parcel *numbered(int64_t id)
{
    struct message m = {.id = id};
    struct parcel *p = parcel_new(&m);

    assert_non_null(p);
    return p;
}

static void keeps_what_a_carrier_needs(void **state)
{
    char text[] = "Hello", subject[] = "About";
    struct message m = {.id = 7,
                        .from = STR("+18005551234"),
                        .to = STR("+15551234567"),
                        .text = {text, 5},
                        .media = STR("https://example.com/a"),
                        .subject = {subject, 5},
                        .tags = STR("a"),
                        .metadata = STR("{}"),
                        .webhook_url = STR("https://example.com"),
                        .cost_micros = 7500};
    struct parcel *p = parcel_new(&m);

    text[0] = subject[0] = '?'; /* whose texts they were does not matter any more */
    const struct message *kept = parcel_message(p);
    assert_true(str_is(kept->from, "+18005551234") && str_is(kept->to, "+15551234567"));
    assert_true(str_is(kept->text, "Hello") && str_is(kept->subject, "About"));
    assert_true(str_is(kept->media, "https://example.com/a"));
    assert_int_equal(kept->tags.n + kept->metadata.n + kept->webhook_url.n, 0);
    assert_int_equal(kept->id, 7);
    assert_null(parcel_note(p));
    parcel_set_note(p, text);
    assert_ptr_equal(parcel_note(p), text);
    assert_int_equal(kept->cost_micros, 7500);
    free(p);
}

static int clear_queue(void **state)
{
    queue = (struct parcel_queue){0};
    return 0;
}

static int free_queue(void **state)
{
    for (struct parcel *p; (p = parcel_queue_take(&queue));)
        free(p);
    return 0;
}

static void assert_queue(const int64_t *ids, size_t count)
{
    struct parcel *p = queue.first, *last = NULL;

    assert_int_equal(queue.count, count);
    for (size_t i = 0; i < count; i++, p = parcel_next(p)) {
        assert_int_equal(p->message.id, ids[i]);
        assert_ptr_equal(p->previous, last);
        assert_ptr_equal(p->queue, &queue);
        last = p;
    }
    assert_null(p);
    assert_ptr_equal(queue.last, last);
}

static void comes_out_in_the_order_it_went_in(void **state)
{
    assert_null(parcel_queue_take(&queue));
    for (int64_t id = 1; id <= 3; id++)
        parcel_queue_add(&queue, numbered(id));
    struct parcel *first = parcel_queue_take(&queue);
    assert_int_equal(first->message.id, 1);
    assert_null(first->queue);
    parcel_queue_put_back(&queue, first);
    assert_queue((int64_t[]){1, 2, 3}, 3);
    free_queue(state);
    assert_queue(NULL, 0);
    parcel_queue_put_back(&queue, numbered(4)); /* into an empty one */
    parcel_queue_add(&queue, numbered(5));
    assert_queue((int64_t[]){4, 5}, 2);
}

static void remove_number(int64_t id)
{
    struct parcel *p = queue.first;

    while (p->message.id != id)
        p = parcel_next(p);
    parcel_queue_remove(p);
    free(p);
}

static void is_taken_out_wherever_it_stands(void **state)
{
    for (int64_t id = 1; id <= 5; id++)
        parcel_queue_add(&queue, numbered(id));
    remove_number(3);
    assert_queue((int64_t[]){1, 2, 4, 5}, 4);
    remove_number(5);
    remove_number(1);
    assert_queue((int64_t[]){2, 4}, 2);
    parcel_queue_add(&queue, numbered(6)); /* behind the last one that stayed */
    assert_queue((int64_t[]){2, 4, 6}, 3);
}

/* ---- the index ---- */

/* More than there are slots, so that some share one; in this millisecond and later ones. */
static int64_t number_of(int64_t i)
{
    return INT64_C(190000000000) << 22 | (i / 3) << 22 | i % 3;
}

static void is_found_by_its_number(void **state)
{
    enum { MANY = 1000 };
    struct parcel_index x;

    assert_int_equal(parcel_index_init(&x, 100), 0);
    for (int64_t i = 0; i < MANY; i++)
        parcel_index_add(&x, numbered(number_of(i)));
    for (int64_t i = 0; i < MANY; i += 2) {
        struct parcel *p = parcel_index_find(&x, number_of(i));
        assert_int_equal(p->message.id, number_of(i));
        parcel_index_remove(&x, p);
        free(p);
    }
    for (int64_t i = 0; i < MANY; i++) {
        struct parcel *p = parcel_index_find(&x, number_of(i));
        assert_true(i % 2 ? p && p->message.id == number_of(i) : !p);
    }
    assert_null(parcel_index_find(&x, number_of(MANY)));
    parcel_index_done(&x); /* the rest goes with it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_a_carrier_needs),
        cmocka_unit_test_setup_teardown(comes_out_in_the_order_it_went_in, clear_queue, free_queue),
        cmocka_unit_test_setup_teardown(is_taken_out_wherever_it_stands, clear_queue, free_queue),
        cmocka_unit_test(is_found_by_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
