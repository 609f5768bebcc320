#include "cli/cli.h"

#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

enum { HELP_MAX = 64 << 10 };

void talk(const char *format, ...)
{
    va_list args;

    fflush(stdout); /* what was said first is seen first, also where both go into one pipe */
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

bool invocation_format(const struct invocation *in, enum output_format *ret)
{
    if (output_format_parse(in->values[OPTION_OUTPUT], ret))
        return true;
    talk("'%s' is no output format; there are table, json, jsonl and csv.",
         in->values[OPTION_OUTPUT]);
    return false;
}

int invocation_read(const struct invocation *in, struct config_source *ret_source,
                    struct config **ret)
{
    struct config_report report;

    *ret_source =
        (struct config_source){.file = in->values[OPTION_CONFIG], .environment = in->environment};
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct config_row *row = option_row((enum option_id)i);
        if (row)
            ret_source->flags[row - config_rows] = in->values[i];
    }
    config_report_init(&report);
    int r = config_read(ret, ret_source, &report);
    fprintf(stderr, "%.*s%.*s", STR_FMT(buf_str(&report.warnings)),
            STR_FMT(buf_str(&report.errors)));
    config_report_done(&report);
    return r == 0 ? CLI_OK : CLI_BAD_CONFIG;
}

int invocation_config(const struct invocation *in, struct config_source *ret_source,
                      struct config **ret)
{
    int r = invocation_read(in, ret_source, ret);

    if (r != CLI_OK) {
        config_free(*ret);
        *ret = NULL;
    }
    return r;
}

int run_serve(const struct invocation *in)
{
    struct config_source source;
    struct config *config;
    int r = invocation_config(in, &source, &config);

    return r == CLI_OK ? in->programs->serve(config, &source) : r;
}

int run_version(const struct invocation *in)
{
    puts("skylark " SKYLARK_VERSION);
    return CLI_OK;
}

static int show_help(const char *const *words, size_t count)
{
    struct buf text BUF_CLEANUP;

    buf_init(&text, HELP_MAX);
    if (count == 0)
        help_all(&text);
    else if (!help_for(words, count, &text)) {
        talk("There is no command '%s%s%s'; see skylark --help.", words[0], count > 1 ? " " : "",
             count > 1 ? words[1] : "");
        return CLI_USAGE;
    }
    fwrite(text.p, 1, text.n, stdout);
    return CLI_OK;
}

int run_help(const struct invocation *in)
{
    return show_help(in->arguments, in->argument_count);
}

static int run(struct invocation *in, int argc, char **argv)
{
    struct buf text BUF_CLEANUP;

    buf_init(&text, HELP_MAX);
    if (!command_parse(in, argc, argv, &text)) {
        talk("%.*s", STR_FMT(buf_str(&text)));
        return CLI_USAGE;
    }
    if (in->values[OPTION_HELP])
        return show_help(in->words, in->word_count);
    if (in->values[OPTION_VERSION])
        return run_version(in);
    if (in->command)
        return in->command->run(in);
    help_all(&text);
    fwrite(text.p, 1, text.n, stderr);
    return CLI_USAGE;
}

int cli_main(int argc, char **argv, char *const *environment, const struct cli_programs *programs)
{
    struct invocation in = {.environment = environment, .programs = programs};

    umask(0077); /* the store and the keys are for their owner only, whoever makes them first */
    int r = run(&in, argc, argv);

    /* A full disk or a closed pipe must not look like success. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && r == CLI_OK) {
        talk("The output cannot be written.");
        return CLI_FAILED;
    }
    return r;
}
