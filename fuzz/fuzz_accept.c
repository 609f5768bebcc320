/* Accept headers: whatever one says, it says the same of a type in capitals; and who names a type
 * alone gets it. */
#include "api/accept.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct http_head head;
    struct str value = {(const char *)data, size};

    head.field_count = 1;
    head.fields[0].name = STR("Accept");
    head.fields[0].value = value;
    bool rather = accepts_rather(&head, "text/csv");
    assert(rather == accepts_rather(&head, "TEXT/CSV"));
    head.fields[1] = head.fields[0]; /* said twice it is the same */
    head.field_count = 2;
    assert(rather == accepts_rather(&head, "text/csv"));
    if (rather)
        assert(memchr(data, '*', size) || size >= sizeof "text/csv" - 1);
    return 0;
}
