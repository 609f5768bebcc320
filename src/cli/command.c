#include "cli/command.h"

#include "base/guess.h"

#include <stdio.h>

const struct option options[OPTION_COUNT] = {
#define X(id, name, letter, value, help) [OPTION_##id] = {name, letter, value, help},
    CLI_OPTIONS(X)
#undef X
};

const struct config_row *option_row(enum option_id id)
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        if (config_rows[i].flag && strcmp(config_rows[i].flag, options[id].name) == 0)
            return &config_rows[i];
    return NULL;
}

size_t command_length(const struct command *c)
{
    return strchr(c->words, ' ') ? 2 : 1;
}

static int find_option(const char *word)
{
    struct str rest = str_of(word + 2), name = str_cut(&rest, '=');

    for (int i = 0; i < OPTION_COUNT; i++)
        if (word[1] == '-' ? str_is(name, options[i].name) : word[1] == options[i].letter)
            return i;
    return -1;
}

static bool command_begins(const struct command *c, const char *const *words, size_t count)
{
    struct str rest = str_of(c->words);

    for (size_t i = 0; i < count && rest.p; i++)
        if (!str_is(str_cut(&rest, ' '), words[i]))
            return false;
    return true;
}

static const struct command *find_command(const struct invocation *in)
{
    for (size_t i = 0; i < command_count; i++) {
        size_t n = command_length(&commands[i]);
        if (in->word_count >= n && command_begins(&commands[i], in->words, n))
            return &commands[i];
    }
    return NULL;
}

/* Only what the command takes is guessed, as far as the words before it tell which one it is. */
static bool unknown_option(const struct invocation *in, const char *word, struct buf *fault)
{
    const struct command *c = in->word_count ? find_command(in) : NULL;
    struct guess guess = {.given = word + 1 + (word[1] == '-')};

    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (!c || c->options[i])
            guess_try(&guess, options[i].name);
    buf_printf(fault, "There is no option %s", word);
    if (guess.best)
        buf_printf(fault, "; did you mean --%s?", guess.best);
    else
        buf_printf(fault, "; see skylark %s%s--help.", c ? c->words : "", c ? " " : "");
    return false;
}

/* The value inside the word ("--name=x", "-ox"), or NULL when it is the next word. */
static const char *value_inside(const char *word)
{
    if (word[1] != '-')
        return word[2] ? word + 2 : NULL;
    const char *equals = strchr(word, '=');
    return equals ? equals + 1 : NULL;
}

static bool repeats(enum option_id id)
{
    return id == OPTION_MEDIA || id == OPTION_TAG;
}

static bool set_option(struct invocation *in, enum option_id id, const char *value,
                       struct buf *fault)
{
    if (repeats(id)) {
        if (in->repeated_count == REPEATED_MAX) {
            buf_printf(fault, "There are too many options --%s.", options[id].name);
            return false;
        }
        in->repeated[in->repeated_count++] = (struct repeated){id, value};
    } else if (in->values[id]) {
        buf_printf(fault, "The option --%s is given twice.", options[id].name);
        return false;
    }
    in->values[id] = value;
    return true;
}

static bool take_option(struct invocation *in, char **argv, int *at, struct buf *fault)
{
    const char *word = argv[*at], *value = value_inside(word);
    int id = find_option(word);

    if (id < 0)
        return unknown_option(in, word, fault);
    if (!options[id].value) {
        if (!value)
            return set_option(in, (enum option_id)id, "", fault);
        buf_printf(fault, "The option --%s takes no value.", options[id].name);
        return false;
    }
    if (!value)
        value = argv[++*at];
    if (value)
        return set_option(in, (enum option_id)id, value, fault);
    buf_printf(fault, "The option --%s needs a value: --%s %s", options[id].name, options[id].name,
               options[id].value);
    return false;
}

static bool take_word(struct invocation *in, const char *word, struct buf *fault)
{
    if (in->word_count == ARGUMENTS_MAX) {
        buf_text(fault, "There are too many words; put quotes around a text of several words.");
        return false;
    }
    in->words[in->word_count++] = word;
    return true;
}

/* "keys" alone is a group; the words that may follow it. */
static bool name_group(const struct invocation *in, struct buf *fault)
{
    const char *mark = "";

    for (size_t i = 0; i < command_count; i++)
        if (command_length(&commands[i]) == 2 && command_begins(&commands[i], in->words, 1)) {
            if (!*mark)
                buf_printf(fault, "'skylark %s' needs one more word: ", in->words[0]);
            buf_printf(fault, "%s%s", mark, strchr(commands[i].words, ' ') + 1);
            mark = ", ";
        }
    if (*mark)
        buf_text(fault, ".");
    return *mark;
}

static bool unknown_command(const struct invocation *in, struct buf *fault)
{
    char both[128], first[64][32];
    struct guess whole = {.given = both}, start = {.given = in->words[0]};

    if (in->word_count == 1 && name_group(in, fault))
        return false;
    str_format(both, sizeof both, "%s %s", in->words[0], in->word_count > 1 ? in->words[1] : "");
    for (size_t i = 0; i < command_count && i < 64; i++) {
        str_format(first[i], sizeof first[i], "%.*s", (int)strcspn(commands[i].words, " "),
                   commands[i].words);
        guess_try(&start, first[i]);
        if (command_length(&commands[i]) == 2)
            guess_try(&whole, commands[i].words);
    }
    const char *best = whole.best ? whole.best : start.best;
    buf_printf(fault, "There is no command '%s%s%s'", in->words[0], in->word_count > 1 ? " " : "",
               in->word_count > 1 ? in->words[1] : "");
    if (best)
        buf_printf(fault, "; did you mean 'skylark %s'?", best);
    else
        buf_text(fault, "; see skylark --help.");
    return false;
}

static bool check_options(const struct invocation *in, struct buf *fault)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (in->values[i] && !in->command->options[i]) {
            buf_printf(fault, "'skylark %s' has no option --%s; see skylark %s --help.",
                       in->command->words, options[i].name, in->command->words);
            return false;
        }
    return true;
}

static bool check_arguments(const struct invocation *in, struct buf *fault)
{
    const struct command *c = in->command;

    if (in->argument_count >= c->least && in->argument_count <= c->most)
        return true;
    if (in->argument_count > c->most)
        buf_printf(fault, "'%s' is one word too many; ", in->arguments[c->most]);
    else
        buf_text(fault, "A word is missing; ");
    buf_printf(fault, "write skylark %s%s%s", c->words, c->arguments ? " " : "",
               c->arguments ? c->arguments : "");
    return false;
}

bool command_parse(struct invocation *in, int argc, char **argv, struct buf *fault)
{
    bool only_words = false;

    for (int i = 1; i < argc; i++) {
        bool is_option = !only_words && argv[i][0] == '-' && argv[i][1];
        if (is_option && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!(is_option ? take_option(in, argv, &i, fault) : take_word(in, argv[i], fault)))
            return false;
    }
    in->command = in->word_count ? find_command(in) : NULL;
    if (in->values[OPTION_HELP] || in->values[OPTION_VERSION] || in->word_count == 0)
        return true;
    if (!in->command)
        return unknown_command(in, fault);
    in->arguments = in->words + command_length(in->command);
    in->argument_count = in->word_count - command_length(in->command);
    return check_options(in, fault) && check_arguments(in, fault);
}
