#include "base/gsm0338.h"

/* One cell per code point up to Greek: the septet, GSM_EXTENDED added, and KNOWN to tell @ (septet
 * 0) from a hole. The euro sign is the only character outside. */
enum { TABLE_SIZE = 0x400, KNOWN = 0x200, EURO = 0x20ac, EURO_SEPTET = 0x65, GSM_SEPTETS = 0x80 };

#define AT(point) ((point) < TABLE_SIZE ? (point) : TABLE_SIZE)

static const uint16_t cells[TABLE_SIZE + 1] = {
#define GSM_PLAIN(septet, point)     [AT(point)] = KNOWN | (septet),
#define GSM_EXTENSION(septet, point) [AT(point)] = KNOWN | GSM_EXTENDED | (septet),
#include "base/gsm0338.def"
#undef GSM_PLAIN
#undef GSM_EXTENSION
};

int gsm_encode(int32_t point)
{
    if (point == EURO)
        return GSM_EXTENDED | EURO_SEPTET;
    if (point < 0 || point >= TABLE_SIZE || !cells[point])
        return -1;
    return cells[point] & ~KNOWN;
}

unsigned gsm_septets(int32_t point)
{
    int septet = gsm_encode(point);

    if (septet < 0)
        return 0;
    return septet & GSM_EXTENDED ? 2 : 1;
}

static const uint16_t plain[GSM_SEPTETS] = {
#define GSM_PLAIN(septet, point) [septet] = (point),
#define GSM_EXTENSION(septet, point)
#include "base/gsm0338.def"
#undef GSM_PLAIN
#undef GSM_EXTENSION
};

static const uint16_t extension[GSM_SEPTETS] = {
#define GSM_PLAIN(septet, point)
#define GSM_EXTENSION(septet, point) [septet] = (point),
#include "base/gsm0338.def"
#undef GSM_PLAIN
#undef GSM_EXTENSION
};

int32_t gsm_decode(unsigned septet)
{
    return septet == GSM_ESCAPE ? -1 : plain[septet];
}

int32_t gsm_decode_extended(unsigned septet)
{
    return extension[septet] ? extension[septet] : gsm_decode(septet);
}
