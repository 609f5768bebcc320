#include "carriers/test_mmsc.h"

#include <poll.h>
#include <stdio.h>

struct test_listener test_mmsc;
struct config_mmsc test_section;

void test_mmsc_init(void)
{
    static char url[64];

    test_listen(&test_mmsc, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/mm7", test_mmsc.port);
    test_section = test_mmsc_config();
    test_section.url = url;
}

void test_mmsc_done(void)
{
    test_listen_done(&test_mmsc);
}

void test_mmsc_take(struct test_peer *p)
{
    assert_true(test_peer_accept(p, &test_mmsc, TEST_PEER_PATIENCE_MS));
    test_peer_await_request(p);
}

void test_mmsc_take_more(struct test_peer *p)
{
    buf_clear(&p->in);
    test_peer_await_request(p);
}

bool test_mmsc_is_alone(int for_ms)
{
    struct pollfd poll_for = {.fd = test_mmsc.fd, .events = POLLIN};
    return poll(&poll_for, 1, for_ms) == 0;
}

void test_mmsc_answer(struct test_peer *p, unsigned status, const char *body)
{
    char answer[4096];

    snprintf(answer, sizeof answer,
             "HTTP/1.1 %u Some words\r\nContent-Type: text/xml\r\nContent-Length: %zu\r\n\r\n%s",
             status, strlen(body), body);
    test_peer_send(p, str_of(answer));
}

void test_mmsc_say(struct test_peer *p, unsigned code, const char *id)
{
    char body[2048];

    snprintf(body, sizeof body,
             TEST_SOAP("<SubmitRsp xmlns=\"urn:mm7\"><MM7Version>6.8.0</MM7Version><Status>"
                       "<StatusCode>%u</StatusCode></Status><MessageID>%s</MessageID></SubmitRsp>"),
             code, id);
    test_mmsc_answer(p, 200, body);
}

void test_mmsc_accept(const char *id)
{
    struct test_peer p;

    test_mmsc_take(&p);
    test_mmsc_say(&p, 1000, id);
    test_peer_close(&p);
}
