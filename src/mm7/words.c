#include "mm7/mm7.h"

static const char *const kinds[] = {
#define X(name, element) element,
    MM7_KINDS(X)
#undef X
};

static const char *const forms[] = {
#define X(name, element) element,
    MM7_FORMS(X)
#undef X
};

static const char *const roles[] = {
#define X(name, element) element,
    MM7_ROLES(X)
#undef X
};

const char *mm7_kind_name(enum mm7_kind kind)
{
    return kinds[kind];
}

const char *mm7_form_name(enum mm7_form form)
{
    return forms[form];
}

const char *mm7_role_name(enum mm7_role role)
{
    return roles[role];
}

enum mm7_kind mm7_answer_to(enum mm7_kind request)
{
    if (request == MM7_DELIVER_REQ)
        return MM7_DELIVER_RSP;
    if (request == MM7_DELIVERY_REPORT_REQ)
        return MM7_DELIVERY_REPORT_RSP;
    return request == MM7_READ_REPLY_REQ ? MM7_READ_REPLY_RSP : MM7_VASP_ERROR_RSP;
}
