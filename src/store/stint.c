#include "store/stint.h"

/* Between these a piece is as long as it should be. */
enum { SHORT_US = 200, LONG_US = 500 };

void stint_begin(struct stint *t, int64_t until_us, size_t rows)
{
    *t = (struct stint){.until_us = until_us, .left = rows};
}

static size_t size_after(size_t piece, int64_t took_us)
{
    if (took_us > LONG_US)
        return piece > 1 ? piece / 2 : 1;
    return took_us < SHORT_US && piece < STINT_PIECE_MAX ? piece * 2 : piece;
}

size_t stint_next(struct stint *t, int64_t now_us)
{
    size_t piece = t->piece ? size_after(t->piece, now_us - t->began_us) : 1;

    if (t->left == 0 || (t->piece && now_us >= t->until_us))
        return 0;
    t->began_us = now_us;
    t->piece = piece < t->left ? piece : t->left;
    t->left -= t->piece;
    return t->piece;
}
