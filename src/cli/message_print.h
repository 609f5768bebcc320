/* Messages as the API shows them, on stdout: a table or a record for people, or as JSON, JSON lines
 * or CSV for programs. */
#pragma once

#include "cli/output.h"
#include "json/tree.h"

void message_print(const struct json_node *message, enum output_format format);
/* A page of them: `answer` has them in its member `data`. */
void message_print_list(const struct json_node *answer, enum output_format format);
/* What happened to a message: `answer` has the events in its member `data`. */
void message_print_events(const struct json_node *answer, enum output_format format);
