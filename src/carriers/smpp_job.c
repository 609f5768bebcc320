#include "carriers/smpp_job.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>

enum { SAID_MAX = 80 };

struct smpp_job *smpp_job_new(struct parcel *p, uint64_t order)
{
    struct smpp_job *j = calloc(1, sizeof *j);

    if (!j)
        return NULL;
    j->parcel = p;
    j->order = order;
    j->parts = &j->only;
    parcel_set_note(p, j);
    return j;
}

void smpp_job_free(struct smpp_job *j)
{
    if (j->parts != &j->only)
        free(j->parts);
    free(j);
}

bool smpp_job_open(struct smpp_job *j, unsigned count)
{
    if (count > 1) {
        struct smpp_part *parts = calloc(count, sizeof *parts);
        if (!parts)
            return false;
        j->parts = parts;
    }
    for (unsigned i = 0; i < count; i++)
        j->parts[i].job = j;
    j->count = j->waiting = count;
    return true;
}

/* ---- parts ---- */

struct smpp_part *smpp_job_next(struct smpp_job *j, unsigned *ret_place)
{
    for (unsigned i = 0; i < j->count && !j->troubled; i++)
        if (j->parts[i].state == SMPP_PART_WAITING) {
            *ret_place = i;
            return &j->parts[i];
        }
    return NULL;
}

void smpp_part_sent(struct smpp_part *part)
{
    assert(part->state == SMPP_PART_WAITING);
    part->state = SMPP_PART_SENT;
    part->job->waiting--;
    part->job->sent++;
}

static void answered(struct smpp_part *part, enum smpp_part_state state)
{
    assert(part->state == SMPP_PART_SENT);
    part->state = state;
    part->job->sent--;
}

void smpp_part_taken(struct smpp_part *part, enum smpp_id_form form, struct str id)
{
    answered(part, SMPP_PART_TAKEN);
    part->job->taken++;
    smpp_id_of_answer(form, id, &part->id);
}

void smpp_part_again(struct smpp_part *part)
{
    answered(part, SMPP_PART_WAITING);
    part->job->waiting++;
}

/* ---- trouble ---- */

void smpp_job_give_up(struct smpp_job *j, enum carrier_outcome outcome, enum failure failure,
                      const char *why)
{
    if (j->troubled)
        return;
    j->troubled = true;
    j->outcome = outcome;
    j->failure = failure;
    str_format(j->detail, sizeof j->detail, "%s", why);
}

/* "The carrier answered 0x45 (ESME_RSUBMITFAIL) to part 2 of 3: queue is closed." */
static void describe(char out[SMPP_DETAIL_SIZE], const struct smpp_part *part,
                     const struct smpp_pdu *response)
{
    const struct smpp_job *j = part->job;
    const char *name = smpp_status_name(response->status);
    char code[16], which[32] = "";
    struct str said = {0};

    str_format(code, sizeof code, "0x%02x", response->status);
    if (j->count > 1)
        str_format(which, sizeof which, " to part %u of %u", (unsigned)(part - j->parts) + 1,
                   j->count);
    smpp_tlv_text(response, SMPP_TAG_ADDITIONAL_STATUS, &said);
    said = utf8_shown(said, SAID_MAX);
    str_format(out, SMPP_DETAIL_SIZE, "The carrier answered %s%s%s%s%s%s%.*s.", code,
               name ? " (" : "", name ? name : "", name ? ")" : "", which, said.n ? ": " : "",
               STR_FMT(said));
}

void smpp_part_refused(struct smpp_part *part, enum carrier_outcome outcome, enum failure failure,
                       const struct smpp_pdu *response)
{
    char why[SMPP_DETAIL_SIZE];

    answered(part, SMPP_PART_LOST);
    describe(why, part, response);
    smpp_job_give_up(part->job, outcome, failure, why);
}

void smpp_part_unanswered(struct smpp_part *part)
{
    answered(part, SMPP_PART_LOST);
    part->job->unsure++;
    smpp_job_give_up(part->job, CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT,
                     "The carrier did not answer before the connection ended.");
}

/* A message of which the carrier may have a part has been tried. */
static enum carrier_outcome outcome_of(const struct smpp_job *j)
{
    return j->outcome == CARRIER_UNTRIED && j->taken + j->unsure > 0 ? CARRIER_LATER : j->outcome;
}

struct carrier_answer smpp_job_answer(const struct smpp_job *j, struct str ids[CARRIER_PARTS_MAX])
{
    if (j->troubled)
        return (struct carrier_answer){.outcome = outcome_of(j),
                                       .failure = j->failure,
                                       .taken = j->taken + j->unsure,
                                       .detail = str_of(j->detail)};
    for (unsigned i = 0; i < j->count; i++)
        ids[i] = str_of(j->parts[i].id.text);
    return (struct carrier_answer){.outcome = CARRIER_TOOK, .ids = ids, .parts = j->count};
}

enum failure smpp_failure_of(enum smpp_blame blame)
{
    switch (blame) {
    case SMPP_BLAME_MESSAGE:
        return FAILURE_CARRIER_REJECTED;
    case SMPP_BLAME_RECIPIENT:
        return FAILURE_INVALID_DESTINATION;
    case SMPP_BLAME_SENDER:
        return FAILURE_NO_SENDER;
    case SMPP_BLAME_BLOCKED:
        return FAILURE_CARRIER_BLOCKED;
    case SMPP_BLAME_SPAM:
        return FAILURE_SPAM_FILTERED;
    case SMPP_BLAME_CARRIER:
        return FAILURE_UPSTREAM_ERROR;
    }
    return FAILURE_UNKNOWN;
}

/* ---- queues ---- */

void smpp_jobs_add(struct smpp_jobs *q, struct smpp_job *j)
{
    struct smpp_job **at = &q->first;

    if (q->last && q->last->order < j->order)
        at = &q->last->next;
    while (*at && (*at)->order < j->order)
        at = &(*at)->next;
    j->next = *at;
    *at = j;
    if (!j->next)
        q->last = j;
}

struct smpp_job *smpp_jobs_take(struct smpp_jobs *q)
{
    struct smpp_job *j = q->first;

    if (!j)
        return NULL;
    q->first = j->next;
    if (!q->first)
        q->last = NULL;
    return j;
}

void smpp_jobs_remove(struct smpp_jobs *q, struct smpp_job *j)
{
    struct smpp_job **at = &q->first, *before = NULL;

    while (*at != j) {
        before = *at;
        at = &(*at)->next;
    }
    *at = j->next;
    if (q->last == j)
        q->last = before;
}

struct smpp_job *smpp_jobs_take_all_reversed(struct smpp_jobs *q)
{
    struct smpp_job *reversed = NULL;

    for (struct smpp_job *j; (j = smpp_jobs_take(q));) {
        j->next = reversed;
        reversed = j;
    }
    return reversed;
}
