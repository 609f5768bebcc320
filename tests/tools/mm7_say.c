/* Says what the program would say over MM7, for tests that look at the bytes.
 *
 *   mm7-say submit base64|binary full|least TEXT [TYPE PATH]...   head of HTTP and body
 *   mm7-say answer NAME CODE DETAILS                              SOAP alone
 */
#include "mm7/body.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct mm7_dialect usual;

static const struct mm7_recipient recipients[] = {
    {MM7_ROLE_TO, {MM7_FORM_NUMBER, {"+14155550100", 12}}, false},
    {MM7_ROLE_BCC, {MM7_FORM_MAIL, {"a@b.example", 11}}, false},
    {MM7_ROLE_TO, {MM7_FORM_SHORT_CODE, {"777", 3}}, false},
    {MM7_ROLE_CC, {MM7_FORM_NUMBER, {"+447700900123/TYPE=PLMN", 23}}, false},
};

static struct mm7_submit full_submit(void)
{
    return (struct mm7_submit){
        .transaction = STR("msg_1-1"),
        .vasp_id = STR("acme & sons"),
        .vas_id = STR("vas"),
        .sender = {MM7_FORM_SHORT_CODE, STR("111")},
        .recipients = recipients,
        .recipient_count = sizeof recipients / sizeof *recipients,
        .service_code = STR("code"),
        .linked_id = STR("link"),
        .message_class = STR("Informational"),
        .timestamp_us = INT64_C(1794702016000000),
        .earliest_us = INT64_C(1794702020000000),
        .expiry_us = INT64_C(1795306816000000),
        .delivery_report = true,
        .priority = STR("High"),
        .subject = STR("<Hello> & \"Gr\xc3\xbc\xc3\x9f\x65\""),
    };
}

static struct mm7_submit least_submit(void)
{
    return (struct mm7_submit){
        .transaction = STR("t"), .recipients = recipients, .recipient_count = 1};
}

static int find_files(char **args, size_t count, struct mm7_file *ret)
{
    for (size_t i = 0; i < count; i++) {
        struct stat info;
        if (stat(args[2 * i + 1], &info))
            return -1;
        ret[i] = (struct mm7_file){info.st_size, str_of(args[2 * i])};
    }
    return 0;
}

static int open_file(void *args, size_t file)
{
    int fd = open(((char **)args)[2 * file + 1], O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int pour(struct mm7_body *b)
{
    char room[16 << 10];
    ssize_t n;

    printf("Content-Type: %s\r\nContent-Length: %lld\r\n\r\n", b->content_type,
           (long long)b->length);
    while ((n = mm7_body_read(b, room, sizeof room)) > 0)
        fwrite(room, 1, (size_t)n, stdout);
    return n < 0 || fflush(stdout) ? 1 : 0;
}

static int say_submit(char **args, int count)
{
    struct mm7_file files[MM7_FILES_MAX];
    size_t file_count = (size_t)(count - 3) / 2;
    struct mm7_message m = {.submit =
                                str_is(str_of(args[1]), "full") ? full_submit() : least_submit(),
                            .text = str_of(args[2]),
                            .files = files,
                            .file_count = file_count,
                            .opener = {open_file, args + 3},
                            .binary = str_is(str_of(args[0]), "binary")};
    struct mm7_body body;

    if (file_count > MM7_FILES_MAX || find_files(args + 3, file_count, files))
        return 1;
    if (mm7_body_init(&body, &usual, &m))
        return 1;
    int code = pour(&body);
    mm7_body_done(&body);
    return code;
}

static int say_answer(char **args)
{
    BUF_CLEANUP struct buf out;
    struct mm7_answer a = {.transaction = STR("t"),
                           .code = (unsigned)strtoul(args[1], NULL, 10),
                           .details = str_of(args[2]),
                           .message_id = STR("id")};

    buf_init(&out, 1 << 20);
    while (a.kind != MM7_OTHER && !str_is(str_of(args[0]), mm7_kind_name(a.kind)))
        a.kind++;
    if (mm7_write_answer(&out, &usual, &a))
        return 1;
    fwrite(out.p, 1, out.n, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 5 && str_is(str_of(argv[1]), "submit"))
        return say_submit(argv + 2, argc - 2);
    if (argc == 5 && str_is(str_of(argv[1]), "answer"))
        return say_answer(argv + 2);
    fputs("usage: mm7-say submit base64|binary full|least TEXT [TYPE PATH]...\n"
          "       mm7-say answer NAME CODE DETAILS\n",
          stderr);
    return 2;
}
