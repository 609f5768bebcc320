/* MMS in the server: the thread `mms` with what runs on it, media files coming in and messages
 * going out to MMSCs. */
#pragma once

#include "base/buf.h"
#include "base/config.h"
#include "net/loop.h"

struct server;

struct mms {
    struct loop *loop;
    struct loop_signal *begins;
    struct address_guard *guard; /* where media may be fetched from */
    struct mm7_wire *wire;
    struct media_desk *desk;
};

/* Whether the settings of media can be used; each fault is a line. */
bool server_media_good(const struct config *c, struct buf *faults);

/* Made when dispatch is there and before the engine runs; its thread ends after the engine's. It
 * goes when dispatch has gone and before the engine's loop does. */
int server_build_mms(struct server *s);
int server_start_mms(struct server *s);
void server_stop_mms(struct server *s);
void server_free_mms(struct server *s);
