/* Help, made from the tables of options and commands. */
#include "cli/command.h"

#include <stdio.h>

enum { LEFT_COMMAND = 27, LEFT_OPTION = 26 };

static void add_command_line(struct buf *out, const struct command *c)
{
    buf_printf(out, "  %-*s", LEFT_COMMAND - 2, c->words);
    output_wrap(out, c->summary, LEFT_COMMAND);
}

/* What the command says of it, or the configuration, or the table of options. */
static struct meaning meaning_of(const struct command *c, enum option_id id)
{
    const struct config_row *row = option_row(id);

    for (const struct meaning *m = c->meanings; m && m->help; m++)
        if (m->option == id)
            return *m;
    return (struct meaning){id, options[id].value, row ? row->help : options[id].help};
}

static void add_option(struct buf *out, const struct command *c, enum option_id id)
{
    const struct option *o = &options[id];
    struct meaning m = meaning_of(c, id);
    char left[64];
    char letter[8] = "    ";

    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, m.value ? " " : "",
             m.value ? m.value : "");
    if (strlen(left) > LEFT_OPTION - 4) /* two blanks between, or a line of its own */
        buf_printf(out, "  %s\n%*s", left, LEFT_OPTION, "");
    else
        buf_printf(out, "  %-*s", LEFT_OPTION - 2, left);
    output_wrap(out, m.help, LEFT_OPTION);
}

void help_all(struct buf *out)
{
    buf_text(out, "Skylark sends text messages: a server with an HTTP API, and its client.\n\n"
                  "Usage: skylark COMMAND [OPTIONS]\n\nCommands:\n");
    for (size_t i = 0; i < command_count; i++)
        add_command_line(out, &commands[i]);
    buf_text(out, "\nTwo lines to begin with:\n"
                  "  skylark serve\n"
                  "  skylark send +15550001234 \"Hello\"      (in a second terminal)\n\n"
                  "'skylark COMMAND --help' tells more about each.\n");
}

static void help_command(const struct command *c, struct buf *out)
{
    buf_printf(out, "%s\n\nUsage: skylark %s%s%s [OPTIONS]\n", c->summary, c->words,
               c->arguments ? " " : "", c->arguments ? c->arguments : "");
    if (c->details) {
        buf_text(out, "\n");
        output_wrap(out, c->details, 0);
    }
    buf_text(out, "\nOptions:\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (i == OPTION_HELP || c->options[i])
            add_option(out, c, (enum option_id)i);
    if (c->example)
        buf_printf(out, "\nExample:\n  %s\n", c->example);
}

static void help_group(const char *word, struct buf *out)
{
    buf_printf(out, "Usage: skylark %s COMMAND [OPTIONS]\n\nCommands:\n", word);
    for (size_t i = 0; i < command_count; i++)
        if (strncmp(commands[i].words, word, strlen(word)) == 0)
            add_command_line(out, &commands[i]);
    buf_printf(out, "\n'skylark %s COMMAND --help' tells more about each.\n", word);
}

bool help_for(const char *const *words, size_t count, struct buf *out)
{
    for (size_t i = 0; i < command_count; i++) {
        const struct command *c = &commands[i];
        struct str rest = str_of(c->words), first = str_cut(&rest, ' ');
        if (!str_is(first, words[0]))
            continue;
        if (!rest.p || (count > 1 && str_is(rest, words[1]))) {
            help_command(c, out);
            return true;
        }
        if (count == 1) {
            help_group(words[0], out);
            return true;
        }
    }
    return false;
}
