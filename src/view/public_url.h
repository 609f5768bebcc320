/* Where clients reach this server, for links in what they are shown. One for the whole program,
 * because it has one address. */
#pragma once

#include "base/str.h"

enum { PUBLIC_URL_MAX = 1000 };

/* "https://sms.example.com"; copied. Before anyone is shown a link. */
void public_url_set(const char *url);
/* Without a slash at its end; "" when nobody has said. Any thread. */
struct str public_url(void);
