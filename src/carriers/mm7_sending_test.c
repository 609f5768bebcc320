/* A message on its way: its files, while they go out, and connections that are used again. */
#include "carriers/test_outlet.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than lies between two ends of a connection: while the MMSC does not read, it does not go on.
 */
enum { LARGE = 32 << 20, UNDER_WAY = 1 << 20 };

static struct test_peer peer;
static char *large;

static int set_up(void **state)
{
    large = malloc(LARGE + 1);
    memset(large, 'x', LARGE);
    large[LARGE] = '\0';
    return test_wire_set_up(state);
}

static int tear_down(void **state)
{
    free(large);
    return test_wire_tear_down(state);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static void expect(enum carrier_outcome outcome, enum failure failure, const char *detail)
{
    assert_int_equal(test_outlet.outcome.outcome, outcome);
    assert_int_equal(test_outlet.outcome.failure, failure);
    assert_string_equal(test_outlet.outcome.detail, detail);
}

/* ---- files ---- */

static off_t wanted_size;
static char found_path[PATH_MAX];

static int look_at(const char *path, const struct stat *status, int kind, struct FTW *unused)
{
    if (kind == FTW_F && status->st_size == wanted_size)
        str_format(found_path, sizeof found_path, "%s", path);
    return 0;
}

/* The media file of this size. */
static const char *file_of_size(size_t size)
{
    char media[PATH_MAX];

    str_format(media, sizeof media, "%.*s/media", (int)(strrchr(test_path, '/') - test_path),
               test_path);
    wanted_size = (off_t)size;
    found_path[0] = '\0';
    assert_int_equal(nftw(media, look_at, 8, FTW_PHYS), 0);
    assert_true(found_path[0]);
    return found_path;
}

/* How many of our descriptors are of media files. */
static int files_open(void)
{
    DIR *all = opendir("/proc/self/fd");
    struct dirent *one;
    char path[PATH_MAX];
    int count = 0;

    assert_non_null(all);
    while ((one = readdir(all))) {
        ssize_t n = readlinkat(dirfd(all), one->d_name, path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        count += strstr(path, "/media/") != NULL;
    }
    closedir(all);
    return count;
}

/* The first file is on its way, and the second has not had its turn. */
static void in_the_first_of_two(void)
{
    test_section.response_timeout_ms = 60000; /* so much takes a while under a sanitizer */
    test_outlet_open();
    test_outlet_give((const char *const[]){large, "second", NULL});
    assert_true(test_peer_accept(&peer, &test_mmsc, TEST_PEER_PATIENCE_MS));
    while (peer.in.n < UNDER_WAY)
        assert_true(test_peer_read(&peer, TEST_PEER_PATIENCE_MS));
}

/* The MMSC reads what there is. */
static void to_the_end(void)
{
    while (test_peer_read(&peer, TEST_PEER_PATIENCE_MS))
        buf_clear(&peer.in);
    test_outlet_until_told(1);
    test_peer_close(&peer);
    test_outlet_close();
}

static void files_are_open_one_at_a_time(void **state)
{
    in_the_first_of_two();
    assert_int_equal(files_open(), 1);
    test_peer_await_request(&peer);
    assert_non_null(memmem(peer.in.p, peer.in.n, "c2Vjb25k", 8)); /* "second" */
    assert_int_equal(files_open(), 0);
    test_mmsc_say(&peer, 1000, "A");
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_TOOK);
    test_peer_close(&peer);
    test_outlet_close();
}

/* Of other bytes, as many of them: nothing of the message goes out. */
static void a_damaged_file_is_not_sent(void **state)
{
    struct message m = test_mms("Hello", (const char *const[]){"picture", NULL});
    int fd = open(file_of_size(7), O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "P", 1, 0), 1);
    close(fd);
    test_outlet_open();
    test_outlet_send(&m);
    test_outlet_until_told(1);
    expect(CARRIER_REFUSED, FAILURE_MEDIA_UNREACHABLE,
           "Media 1 of 1 (https://cdn.example/1): the file is damaged in the store.");
    test_outlet_close();
}

static void a_file_that_goes_meanwhile_ends_the_post(void **state)
{
    in_the_first_of_two();
    assert_int_equal(unlink(file_of_size(6)), 0);
    to_the_end();
    expect(CARRIER_REFUSED, FAILURE_MEDIA_UNREACHABLE,
           "A media file was gone when it was to be sent.");
    assert_int_equal(test_outlet.outcome.shows, MM7_SHOWS_NOTHING);
}

static void without_descriptors_it_is_for_later(void **state)
{
    struct rlimit usual, none;

    in_the_first_of_two();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    none = (struct rlimit){3, usual.rlim_max}; /* all that are left are open already */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    while (test_peer_read(&peer, TEST_PEER_PATIENCE_MS))
        buf_clear(&peer.in);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    to_the_end();
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, "A media file could not be read at the moment.");
    assert_int_equal(test_outlet.outcome.shows, MM7_SHOWS_NOTHING);
}

static void a_file_that_cannot_be_read_is_for_later(void **state)
{
    in_the_first_of_two();
    assert_int_equal(truncate(file_of_size(LARGE), LARGE - 1), 0);
    to_the_end();
    expect(CARRIER_LATER, FAILURE_UPSTREAM_ERROR, "A media file could not be read at the moment.");
}

/* ---- connections ---- */

/* Who sends again has to know that it may arrive twice. libcurl, left to itself, would repeat it on
 * another connection, and tell nobody. */
static void what_was_read_whole_is_not_repeated(void **state)
{
    test_outlet_open();
    test_outlet_give_one();
    test_mmsc_take(&peer);
    test_mmsc_say(&peer, 1000, "A");
    test_outlet_until_told(1);
    test_outlet_give_one();
    test_mmsc_take_more(&peer); /* over the same connection */
    test_peer_close(&peer);
    test_outlet_until_told(2);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_SILENT);
    test_outlet_close();
    if (test_peer_accept(&peer, &test_mmsc, 50)) { /* it had connected before it asked */
        assert_true(test_peer_ends(&peer));
        assert_int_equal(peer.in.n, 0);
        test_peer_close(&peer);
    }
}

/* The boundary stands behind everything else. */
static void answers_may_have_long_types(void **state)
{
    char answer[4096], start[901];
    static const char body[] = "--x\r\nContent-Type: text/xml\r\n\r\n" TEST_SOAP(
        "<SubmitRsp><Status><StatusCode>1000</StatusCode></Status>"
        "<MessageID>A-1</MessageID></SubmitRsp>") "\r\n--x--\r\n";

    memset(start, 's', sizeof start - 1);
    start[sizeof start - 1] = '\0';
    snprintf(
        answer, sizeof answer,
        "HTTP/1.1 200 OK\r\nContent-Type: multipart/related; type=\"text/xml\"; "
        "charset=\"utf-8\"; start-info=\"%s\"; boundary=\"x\"\r\nContent-Length: %zu\r\n\r\n%s",
        start, sizeof body - 1, body);
    test_outlet_open();
    test_outlet_give_one();
    test_mmsc_take(&peer);
    test_peer_send(&peer, str_of(answer));
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_TOOK);
    assert_int_equal(test_outlet.outcome.id_size, 3);
    test_peer_close(&peer);
    test_outlet_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(files_are_open_one_at_a_time),
        CASE(a_damaged_file_is_not_sent),
        CASE(a_file_that_goes_meanwhile_ends_the_post),
        CASE(without_descriptors_it_is_for_later),
        CASE(a_file_that_cannot_be_read_is_for_later),
        CASE(what_was_read_whole_is_not_repeated),
        CASE(answers_may_have_long_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
