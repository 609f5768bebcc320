/* Figures for people: "1,234,567", "1.5k", "98.76 %", "3 min 20 s". The texts come from answers of
 * the API, where money is exact, so they are cut into groups as they are and never counted again.
 */
#pragma once

#include "base/str.h"

enum { FIGURE_SIZE = 64 };

/* "1234567.25" becomes "1,234,567.25"; what is no number stays as it is. Returns out, as all do. */
const char *figure_grouped(struct str number, char out[FIGURE_SIZE]);
/* A few characters, for an axis: "0.005", "250", "1.5k", "20M". */
const char *figure_short(double value, char out[FIGURE_SIZE]);
/* "98.76 %" of "0.9876". */
const char *figure_percent(struct str ratio, char out[FIGURE_SIZE]);
/* The two greatest units of it: "0.25 s", "3 min 20 s", "2 d 5 h". */
const char *figure_duration(struct str seconds, char out[FIGURE_SIZE]);
