#include "messaging/parcel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

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

static void comes_out_in_the_order_it_went_in(void **state)
{
    struct parcel_queue q;

    parcel_queue_init(&q);
    assert_null(parcel_queue_take(&q));
    for (int64_t id = 1; id <= 3; id++)
        parcel_queue_add(&q, numbered(id));
    struct parcel *first = parcel_queue_take(&q);
    assert_int_equal(first->message.id, 1);
    parcel_queue_put_back(&q, first);
    for (int64_t id = 1; id <= 3; id++) {
        struct parcel *p = parcel_queue_take(&q);
        assert_int_equal(p->message.id, id);
        free(p);
    }
    assert_null(parcel_queue_take(&q));
    parcel_queue_put_back(&q, numbered(4)); /* into an empty one */
    parcel_queue_add(&q, numbered(5));
    assert_int_equal(((struct parcel *)q.first->next)->message.id, 5);
    parcel_queue_free(&q);
    assert_null(parcel_queue_take(&q));
}

static bool is_odd(void *sum, struct parcel *p)
{
    if (p->message.id % 2 == 0)
        return false;
    *(int64_t *)sum += p->message.id;
    free(p);
    return true;
}

static void gives_out_those_that_are_wanted(void **state)
{
    struct parcel_queue q;
    int64_t sum = 0;

    parcel_queue_init(&q);
    parcel_queue_pick(&q, is_odd, &sum);
    for (int64_t id = 1; id <= 5; id++)
        parcel_queue_add(&q, numbered(id));
    parcel_queue_pick(&q, is_odd, &sum);
    assert_int_equal(sum, 9);
    parcel_queue_add(&q, numbered(6)); /* behind the last one that stayed */
    for (int64_t id = 2; id <= 6; id += 2) {
        struct parcel *p = parcel_queue_take(&q);
        assert_int_equal(p->message.id, id);
        free(p);
    }
    assert_null(parcel_queue_take(&q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_a_carrier_needs),
        cmocka_unit_test(comes_out_in_the_order_it_went_in),
        cmocka_unit_test(gives_out_those_that_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
