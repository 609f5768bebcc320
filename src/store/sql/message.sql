-- name: message_insert
INSERT INTO message (id, owner, status, updated_us, sent_us, ended_us, last_event, failure,
  retry_count, created_us, direction, kind, type, encoding, segments, number_type, coverage, reason,
  rate_limit, calling_code, country, cost_micros, currency, sender, recipient, media, text)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
  ?21, ?22, ?23, ?24, ?25, ?26, ?27);

-- name: message_get
SELECT id, owner, status, updated_us, sent_us, ended_us, last_event, failure, retry_count,
  created_us, direction, kind, type, encoding, segments, number_type, coverage, reason, rate_limit,
  calling_code, country, cost_micros, currency, sender, recipient, media, text
FROM message WHERE id = ?1;

-- name: message_page
SELECT m.id, m.owner, m.status, m.updated_us, m.sent_us, m.ended_us, m.last_event, m.failure,
  m.retry_count, m.created_us, m.direction, m.kind, m.type, m.encoding, m.segments, m.number_type,
  m.coverage, m.reason, m.rate_limit, m.calling_code, m.country, m.cost_micros, m.currency,
  m.sender, m.recipient, m.media, m.text
FROM message AS m INDEXED BY message_owner
WHERE m.owner = ?1 AND m.id <= ?2 ORDER BY m.id DESC LIMIT ?3;

-- name: message_before
-- The ids just newer than a page's first, nearest first: the last of them heads the page before.
SELECT id FROM message INDEXED BY message_owner
WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3;

-- name: message_state
SELECT owner, status, last_event FROM message WHERE id = ?1;

-- name: message_move_sent
UPDATE message SET status = ?2, updated_us = ?3, last_event = ?4, sent_us = ?3 WHERE id = ?1;

-- name: message_move_end
UPDATE message SET status = ?2, updated_us = ?3, last_event = ?4, ended_us = ?3, failure = ?5
WHERE id = ?1;

-- name: message_move_other
UPDATE message SET status = ?2, updated_us = ?3, last_event = ?4 WHERE id = ?1;

-- name: message_last
SELECT coalesce(max(id), 0) FROM message;

-- name: message_last_created
SELECT coalesce((SELECT created_us FROM message ORDER BY id DESC LIMIT 1), 0);

-- name: work_insert
INSERT INTO work (id) VALUES (?1);

-- name: work_delete
DELETE FROM work WHERE id = ?1;

-- name: work_open
SELECT m.id, m.owner, m.status, m.updated_us, m.sent_us, m.ended_us, m.last_event, m.failure,
  m.retry_count, m.created_us, m.direction, m.kind, m.type, m.encoding, m.segments, m.number_type,
  m.coverage, m.reason, m.rate_limit, m.calling_code, m.country, m.cost_micros, m.currency,
  m.sender, m.recipient, m.media, m.text
FROM work AS w CROSS JOIN message AS m ON m.id = w.id
WHERE w.id > ?1 ORDER BY w.id LIMIT ?2;

-- name: event_insert
INSERT INTO event (sequence, message, previous, status, at_us) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: event_last
SELECT coalesce(max(sequence), 0) FROM event;

-- name: tally_add
INSERT INTO tally (owner, status, count) VALUES (?1, ?2, ?3)
ON CONFLICT (owner, status) DO UPDATE SET count = count + excluded.count;

-- name: tally_total
SELECT coalesce(sum(count), 0) FROM tally WHERE owner = ?1;

-- name: write_begin
BEGIN IMMEDIATE;

-- name: read_begin
BEGIN;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;
