#include "base/test_config.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char config_path[64];
struct config_report config_report;
struct config *config;
char *home_only[] = {(char *)"HOME=/home/ada", NULL};

int config_setup(void **state)
{
    snprintf(config_path, sizeof config_path, "/tmp/skylark-config-XXXXXX");
    int fd = mkstemp(config_path);
    config_report_init(&config_report);
    return fd < 0 ? -1 : close(fd);
}

int config_teardown(void **state)
{
    config_free(config);
    config = NULL;
    config_report_done(&config_report);
    return unlink(config_path);
}

int load(const struct config_source *source)
{
    config_free(config);
    config_report_done(&config_report);
    config_report_init(&config_report);
    return config_load(&config, source, &config_report);
}

struct config_source source_of(const char *text)
{
    assert_int_equal(file_replace(config_path, str_of(text), 0600), 0);
    return (struct config_source){
        .file = config_path, .environment = home_only, .usual_file = "/nowhere/skylark.ini"};
}

void check_lines(const struct buf *b, const char *want)
{
    char text[8192];

    snprintf(text, sizeof text, "%.*s", STR_FMT(buf_str(b)));
    assert_string_equal(text, want);
}

void check_fault(const char *text, int line, const char *message)
{
    struct config_source source = source_of(text);
    char want[1024];

    assert_int_equal(load(&source), -EINVAL);
    assert_null(config);
    snprintf(want, sizeof want, "%s:%d: %s\n", config_path, line, message);
    check_lines(&config_report.errors, want);
    assert_int_equal(config_report.error_count, 1);
}

void load_good(const char *text)
{
    struct config_source source = source_of(text);

    int r = load(&source);
    check_lines(&config_report.errors, "");
    assert_int_equal(r, 0);
}
