/* Phone numbers: whatever passes the format check has the form, and has a place. */
#include "messaging/number.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_form(struct str s)
{
    bool form = s.n >= 8 && s.n <= 16 && s.p[0] == '+' && s.p[1] != '0';

    for (size_t i = 1; i < s.n; i++)
        form = form && s.p[i] >= '0' && s.p[i] <= '9';
    return form;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str number = {(const char *)data, size};
    struct number_place place;

    assert(number_valid(number) == has_form(number));
    if (!number_valid(number))
        return 0;
    number_place(number, &place);
    assert(place.assigned == (place.calling_code != 0));
    assert(place.assigned || (!place.possible && place.country[0] == '\0'));
    assert(place.country[0] == '\0' || strlen(place.country) == 2);
    return 0;
}
