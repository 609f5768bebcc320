/* GET /v1/webhooks/event-types: what a webhook can be told. */
#include "api/webhook.h"

void event_types_list(struct call *c)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "data");
    json_begin_array(&w);
    for (unsigned i = NOTICE_SCHEDULED; i < NOTICE_TEST; i++) {
        enum notice_kind kind = (enum notice_kind)i;
        json_begin_object(&w);
        json_member_word(&w, "type", notice_word(kind));
        json_member_word(&w, "description", notice_meaning(kind));
        json_member_bool(&w, "default", (notice_default_kinds() & notice_bit(kind)) != 0);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
}
