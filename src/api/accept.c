/* RFC 9110, 12.5.1. What is not understood counts as if it were not there: an answer in another
 * form is better than none. */
#include "api/accept.h"

enum { WEIGHT_MAX = 1000 };

/* How well a range of types fits: the more is named, the more it counts. */
enum fit { FIT_NONE, FIT_ALL, FIT_FAMILY, FIT_NAMED };

struct preference {
    enum fit fit;
    unsigned weight; /* thousandths */
};

/* "0.25" in thousandths; false for what is no weight. */
static bool read_weight(struct str text, unsigned *ret)
{
    unsigned unit = 100, weight;

    if (text.n == 0 || text.n > 5 || text.p[0] < '0' || text.p[0] > '1' ||
        (text.n > 1 && text.p[1] != '.'))
        return false;
    weight = text.p[0] == '1' ? WEIGHT_MAX : 0;
    for (size_t i = 2; i < text.n; i++, unit /= 10) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        weight += unit * (unsigned)(text.p[i] - '0');
    }
    *ret = weight;
    return weight <= WEIGHT_MAX;
}

/* Of ";charset=utf-8;q=0.5": false when there is a weight that cannot be read. */
static bool find_weight(struct str parameters, unsigned *ret)
{
    *ret = WEIGHT_MAX;
    while (parameters.p) {
        struct str value = str_cut(&parameters, ';'), name = str_trim(str_cut(&value, '='));
        if (value.p && str_eq_nocase(name, STR("q")))
            return read_weight(str_trim(value), ret);
    }
    return true;
}

static enum fit fit_of(struct str range, struct str type)
{
    struct str rest = type, family = str_cut(&rest, '/');

    if (str_eq_nocase(range, type))
        return FIT_NAMED;
    if (str_is(range, "*/*"))
        return FIT_ALL;
    family.n++; /* with the slash */
    return range.n == family.n + 1 && str_starts_nocase(range, family) && range.p[family.n] == '*'
               ? FIT_FAMILY
               : FIT_NONE;
}

static void judge_range(struct str item, struct str type, struct preference *best)
{
    struct str range = str_trim(str_cut(&item, ';'));
    enum fit fit = fit_of(range, type);
    unsigned weight;

    if (fit > best->fit && find_weight(item, &weight))
        *best = (struct preference){fit, weight};
}

static struct preference preference_of(const struct http_head *head, struct str type)
{
    struct preference best = {FIT_NONE, 0};

    for (size_t i = 0; i < head->field_count; i++) {
        struct str list = head->fields[i].value;
        if (!str_eq_nocase(head->fields[i].name, STR("Accept")))
            continue;
        while (list.p)
            judge_range(str_cut(&list, ','), type, &best);
    }
    return best;
}

bool accepts_rather(const struct http_head *head, const char *type)
{
    struct preference wanted = preference_of(head, str_of(type));
    struct preference json = preference_of(head, STR("application/json"));

    return wanted.weight > json.weight ||
           (wanted.fit == FIT_NAMED && wanted.weight > 0 && wanted.weight == json.weight);
}
