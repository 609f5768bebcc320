/* What the tests of media share: a desk with a store, a writer and loops of its own, messages that
 * want media, and what the engine is told. Servers of media are played by the test (test_peer.h).
 */
#pragma once

#include "media/media_desk.h"
#include "messaging/test_gate.h"
#include "net/test_http.h"
#include "store/test_store.h"

enum { TEST_MEDIA_MAX = 5000, TEST_MEDIA_RETRY_MS = 50, TEST_MEDIA_TIMEOUT_MS = 1500 };

extern struct store *test_media_store;
extern struct media_desk *test_desk;
extern struct test_listener test_media_server; /* on localhost */
extern struct media_profile test_profile;      /* FIRST, all kinds but WebP */

/* For each test. The desk lets localhost through, takes TEST_MEDIA_MAX bytes in a message, and is
 * told of with a change of `options` before it is made. */
int test_media_set_up(void **state);
int test_media_tear_down(void **state);
/* In place of the usual one; its messages may have so many bytes, TEST_MEDIA_MAX unless the test
 * says so. */
extern int64_t test_media_max;
void test_desk_limited(size_t connections, size_t jobs);
/* As at the end of the program. */
void test_desk_end(void);

/* Whose messages they are: the first account's, live, unless the test says so. */
extern int64_t test_media_account;
extern enum mode test_media_mode;
/* A message with these URLs; %u stands for the server's port. Returns its number. */
int64_t test_media_message(const char *urls);
/* The desk is asked for its media: 0 or -EAGAIN. */
int test_media_ask(int64_t message);
/* For one that the store does not know. */
void test_media_ask_this(const struct message *m);
void test_media_forget(int64_t message);
/* Both: a message that is asked for. */
int64_t test_media_wanted(const char *urls);

/* Waits for the answer: its failure. The detail is in test_detail, with %u for the port. */
extern char test_detail[1024];
enum failure test_media_answer(int64_t message);
bool test_media_answered(int64_t message);
size_t test_media_readies(void);
/* Waits until the desk has nothing to do for anybody. */
void test_media_idle(void);

/* What is kept of a message. -ENOENT: nothing. */
int test_media_kept(int64_t message, unsigned number, struct media_record *ret,
                    struct buf *content);
/* Files of media there are, kept ones and others. */
size_t test_media_files(void);
int64_t test_media_bytes(void); /* in them */

/* A server's answer of status 200 with this content, in test_answer. */
extern struct buf test_answer;
void test_media_content(const char *type, struct str content);
/* "\xff\xd8\xff…" of so many bytes. */
struct str test_jpeg(size_t size);
/* Accepts, reads a request and sends test_answer. */
void test_media_serve(struct test_peer *p);
