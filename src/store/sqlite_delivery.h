/* Rows of `delivery`: what the files that read and write them share. */
#pragma once

#include "store/sqlite_internal.h"

/* What is added to counts on disk, so that they keep their width. */
enum { DELIVERY_COUNTS_FROM = 2 };

/* From a row whose columns are {delivery_columns} of sql/delivery.sql. */
void delivery_from_row(sqlite3_stmt *row, struct delivery_record *d);
