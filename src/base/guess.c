#include "base/guess.h"

void guess_try(struct guess *g, const char *word)
{
    size_t length = strlen(g->given);
    unsigned distance = str_distance(g->given, word);
    unsigned near = length < 3 ? 1 : length < 8 ? 2 : 3;

    if (distance <= near && (!g->best || distance < g->distance)) {
        g->best = word;
        g->distance = distance;
    }
}
