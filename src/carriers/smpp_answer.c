/* What comes back: what the carrier's answers mean for the part, the job, the line and the rate. */
#include "base/log.h"
#include "carriers/smpp_carrier_internal.h"

enum {
    CONGESTED = 90, /* congestion_state from which on a carrier wants less */
    PATIENCE = 3,   /* so often in a row the session is to blame, then the message waits */
    MEMORY = 32,    /* answers that health looks back on */
};

static void remember(struct smpp_carrier *c, bool trouble)
{
    c->trouble += ((trouble ? 1.0 : 0.0) - c->trouble) / MEMORY;
}

void smpp_answer_give(struct smpp_carrier *c, struct smpp_job *j)
{
    struct str ids[CARRIER_PARTS_MAX];

    if (!smpp_job_is_over(j))
        return;
    struct carrier_answer answer = smpp_job_answer(j, ids);
    c->unanswered--;
    dispatch_answered(c->live.options.dispatch, j->parcel, &answer);
    if (c->stopping)
        live_carrier_wake(&c->live);
}

/* Parts that wait are not sent when one will not be taken. */
static void leave_queue(struct smpp_line *l, struct smpp_job *j)
{
    if (j->queued && j->troubled) {
        smpp_jobs_remove(&l->queue, j);
        j->queued = false;
    }
}

/* ---- classes ---- */

static void taken(struct smpp_line *l, struct smpp_part *part, const struct smpp_pdu *response)
{
    struct smpp_carrier *c = l->carrier;

    smpp_part_taken(part, c->settings->ids, response->message_id);
    smpp_pause_forget(&l->pause, smpp_now_us());
    l->faults = 0;
    c->live.record.taken++;
    remember(c, false);
}

static void throttled(struct smpp_line *l, struct smpp_part *part)
{
    struct smpp_carrier *c = l->carrier;
    int64_t now_us = smpp_now_us();

    c->live.record.throttled++;
    remember(c, true);
    smpp_rate_slow_down(&c->rate, now_us);
    if (smpp_pause_begin(&l->pause, now_us)) {
        smpp_carrier_note(c, "%s is throttled and pauses for %lld s.", l->name,
                          (long long)(l->pause.length_us / 1000000));
        log_info("carrier", "%s", c->live.record.note);
    }
    c->room_freed = true; /* to be told when the pause is over */
    smpp_part_again(part);
    if (!part->job->queued && !part->job->troubled) {
        part->job->queued = true;
        smpp_jobs_add(&l->queue, part->job);
    }
}

static void refused(struct smpp_line *l, struct smpp_part *part, enum carrier_outcome outcome,
                    enum smpp_blame blame, const struct smpp_pdu *response)
{
    struct smpp_carrier *c = l->carrier;

    smpp_part_refused(part, outcome, smpp_failure_of(blame), response);
    c->live.record.refused++;
    remember(c, outcome != CARRIER_REFUSED);
    smpp_carrier_note(c, "%s", part->job->detail);
}

/* The session is not what the carrier thinks it is. A message that brings this about every time
 * must not keep the others from being sent. */
static void out_of_session(struct smpp_line *l, struct smpp_part *part,
                           const struct smpp_pdu *response)
{
    bool patient = ++l->faults <= PATIENCE;

    refused(l, part, patient ? CARRIER_UNTRIED : CARRIER_LATER, SMPP_BLAME_CARRIER, response);
    l->fault = "the carrier says that the session is not in order";
}

static void judge(struct smpp_line *l, struct smpp_part *part, const struct smpp_pdu *response)
{
    struct smpp_verdict v =
        smpp_status_verdict(response->status, &l->carrier->settings->exceptions);

    if (response->command == SMPP_GENERIC_NACK && v.class == SMPP_CLASS_OK)
        v = (struct smpp_verdict){SMPP_CLASS_UNKNOWN, SMPP_BLAME_CARRIER};
    switch (v.class) {
    case SMPP_CLASS_OK:
        taken(l, part, response);
        return;
    case SMPP_CLASS_TEMPORARY:
        refused(l, part, CARRIER_LATER, v.blame, response);
        return;
    case SMPP_CLASS_THROTTLED:
        throttled(l, part);
        return;
    case SMPP_CLASS_PERMANENT:
        refused(l, part, CARRIER_REFUSED, v.blame, response);
        return;
    case SMPP_CLASS_UNKNOWN:
        refused(l, part, CARRIER_ELSEWHERE, v.blame, response);
        return;
    case SMPP_CLASS_SESSION:
        out_of_session(l, part, response);
        return;
    }
}

/* ---- from the link ---- */

void smpp_answer_take(struct smpp_line *l, struct smpp_part *part, const struct smpp_pdu *response)
{
    struct smpp_carrier *c = l->carrier;
    struct smpp_job *j = part->job;
    uint32_t congestion;

    l->moved_us = smpp_now_us();
    if (response) {
        judge(l, part, response);
        if (smpp_tlv_number(response, SMPP_TAG_CONGESTION_STATE, &congestion) &&
            congestion >= CONGESTED)
            smpp_rate_slow_down(&c->rate, l->moved_us);
    } else {
        smpp_part_unanswered(part);
    }
    leave_queue(l, j);
    smpp_answer_give(c, j);
    live_carrier_wake(&c->live);
}

void smpp_answer_release(struct smpp_line *l)
{
    struct smpp_job *next;

    for (struct smpp_job *j = smpp_jobs_take_all_reversed(&l->queue); j; j = next) {
        next = j->next;
        if (j->sent || j->taken) {
            smpp_jobs_add(&l->queue, j);
            continue;
        }
        j->queued = false;
        smpp_job_give_up(j, CARRIER_UNTRIED, FAILURE_NONE, "");
        smpp_answer_give(l->carrier, j);
    }
}

/* Of those that wait here nothing is unanswered any more. */
void smpp_answer_lost(struct smpp_line *l)
{
    struct smpp_job *next;

    for (struct smpp_job *j = smpp_jobs_take_all_reversed(&l->queue); j; j = next) {
        next = j->next;
        j->queued = false;
        if (j->taken == 0)
            smpp_job_give_up(j, CARRIER_UNTRIED, FAILURE_NONE, "");
        else
            smpp_job_give_up(j, CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT,
                             "The connection ended when only some of the parts were sent.");
        smpp_answer_give(l->carrier, j);
    }
}
