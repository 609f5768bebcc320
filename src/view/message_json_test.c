/* A message as clients see it: where its media are. The other members are the API's to test. */
#include "view/message_json.h"
#include "view/public_id.h"
#include "view/public_url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct id_cipher ids;
static struct buf out;

static const char *shown(enum direction direction, enum message_kind kind, const char *media)
{
    struct message m = {.id = 77,
                        .account = 1,
                        .direction = direction,
                        .kind = kind,
                        .status = STATUS_SENT,
                        .type = TYPE_TRANSACTIONAL,
                        .from = STR("+18005551234"),
                        .to = STR("+15551234567"),
                        .text = STR(""),
                        .media = str_of(media),
                        .encoding = ENCODING_GSM7,
                        .number_type = NUMBER_LOCAL,
                        .coverage = COVERAGE_HIGH,
                        .reason = REASON_SMART,
                        .currency = "USD"};
    struct json_writer w;

    buf_clear(&out);
    json_writer_init(&w, &out);
    message_put(&w, &ids, &m);
    buf_add_char(&out, '\0');
    assert_false(out.failed);
    return out.p;
}

static void urls_as_they_were_given(void **state)
{
    assert_non_null(strstr(shown(DIRECTION_OUTBOUND, KIND_MMS, "https://a.example/1\nhttps://b/2"),
                           "\"mediaUrls\":[\"https://a.example/1\",\"https://b/2\"]"));
    assert_null(strstr(shown(DIRECTION_OUTBOUND, KIND_SMS, ""), "mediaUrls"));
    assert_non_null(strstr(shown(DIRECTION_OUTBOUND, KIND_SMS, "https://a.example/1"),
                           "\"mediaUrls\":[\"https://a.example/1\"]"));
}

/* What a carrier brought lies here. */
static void urls_of_our_own(void **state)
{
    char id[PUBLIC_ID_SIZE], wanted[256];

    public_id_format(&ids, MESSAGE_ID_PREFIX, 77, id);
    public_url_set("https://sms.example.com/");
    snprintf(wanted, sizeof wanted,
             "\"mediaUrls\":[\"https://sms.example.com/v1/messages/%.*s/media/1\","
             "\"https://sms.example.com/v1/messages/%.*s/media/2\"]",
             PUBLIC_ID_SIZE, id, PUBLIC_ID_SIZE, id);
    assert_non_null(strstr(shown(DIRECTION_INBOUND, KIND_MMS, "image/jpeg\ntext/vcard"), wanted));
    assert_null(strstr(shown(DIRECTION_INBOUND, KIND_SMS, ""), "mediaUrls"));
}

static int set_up(void **state)
{
    id_cipher_init(&ids, (const uint8_t *)"0123456789abcdef");
    buf_init(&out, 1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    buf_done(&out);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_as_they_were_given),
        cmocka_unit_test(urls_of_our_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
