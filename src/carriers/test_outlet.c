#include "carriers/test_outlet.h"

struct test_outlet test_outlet;

static void on_told(void *unused, const struct mm7_outcome *o)
{
    test_outlet.outcome = *o;
    test_outlet.told++;
}

static void on_closed(void *unused)
{
    test_outlet.closed++;
}

static void open_outlet(void *settings)
{
    test_outlet.outlet = mm7_outlet_new(test_wire, settings);
    assert_non_null(test_outlet.outlet);
}

void test_outlet_open(void)
{
    test_outlet = (struct test_outlet){.told = 0};
    test_loop_do(open_outlet, test_mmsc_settings());
}

static void close_outlet(void *unused)
{
    mm7_outlet_close(test_outlet.outlet, on_closed, NULL);
}

void test_outlet_begin_close(void)
{
    test_loop_do(close_outlet, NULL);
}

static bool is_closed(void *unused)
{
    return test_outlet.closed > 0;
}

void test_outlet_until_closed(void)
{
    test_loop_until(is_closed, NULL);
}

void test_outlet_close(void)
{
    test_outlet_begin_close();
    test_outlet_until_closed();
}

static void abort_outlet(void *unused)
{
    mm7_outlet_abort(test_outlet.outlet);
}

void test_outlet_abort(void)
{
    test_loop_do(abort_outlet, NULL);
}

static void send_message(void *message)
{
    assert_int_equal(mm7_outlet_send(test_outlet.outlet, message, on_told, NULL), 0);
}

void test_outlet_send(struct message *m)
{
    test_loop_do(send_message, m);
}

void test_outlet_give(const char *const files[])
{
    struct message m = test_mms("Hello", files);

    test_outlet_send(&m);
}

void test_outlet_give_one(void)
{
    test_outlet_give((const char *const[]){"picture", NULL});
}

static bool is_told(void *count)
{
    return test_outlet.told >= *(int *)count;
}

void test_outlet_until_told(int count)
{
    test_loop_until(is_told, &count);
}
