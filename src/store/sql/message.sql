-- Statements ending in _many write as many rows as GATHER_ROWS and GATHER_MESSAGES say. They stop
-- where they fail, because the transaction is given up then: a way back to where they began costs.

-- part: message_columns
id, owner, created_us, direction, kind, type, encoding, segments, number_type, coverage, reason,
  rate_limit, calling_code, country, cost_micros, currency, sender, recipient, media, text

-- part: message_values
?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?

-- name: message_insert
INSERT INTO message ({message_columns}) VALUES ({message_values});

-- name: message_insert_many
INSERT OR FAIL INTO message ({message_columns}) VALUES
  ({message_values}), ({message_values}), ({message_values}), ({message_values}),
  ({message_values}), ({message_values}), ({message_values}), ({message_values});

-- name: message_insert_live
INSERT INTO message ({message_columns}, carrier) VALUES ({message_values}, ?);

-- name: message_insert_live_many
INSERT OR FAIL INTO message ({message_columns}, carrier) VALUES
  ({message_values}, ?), ({message_values}, ?), ({message_values}, ?), ({message_values}, ?),
  ({message_values}, ?), ({message_values}, ?), ({message_values}, ?), ({message_values}, ?);

-- name: message_insert_whole
INSERT INTO message ({message_columns}, carrier, subject, tags, metadata, webhook_url,
  webhook_failover_url, validity_s, scheduled_us, batch)
VALUES ({message_values}, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- part: whole_message
-- The columns that sqlite_message_from_row reads, in its order.
SELECT m.id, m.owner, m.created_us, m.direction, m.kind, m.type, m.encoding, m.segments,
  m.number_type, m.coverage, m.reason, m.rate_limit, m.calling_code, m.country, m.cost_micros,
  m.currency, m.sender, m.recipient, m.media, m.text, m.carrier, e.status, e.ended_us, e.sent_us,
  e.failure, e.retry_count, e.carrier, w.status, w.updated_us, w.sent_us, w.retry_count, w.carrier,
  m.subject, m.tags, m.metadata, m.webhook_url, m.webhook_failover_url, m.validity_s,
  m.scheduled_us, m.batch

-- part: message_state
LEFT JOIN ending AS e ON e.id = m.id LEFT JOIN work AS w ON e.id IS NULL AND w.id = m.id

-- name: message_get
{whole_message}
FROM message AS m
  {message_state}
WHERE m.id = ?1;

-- name: message_as_accepted
-- Without what became of it: the joins find nothing.
{whole_message}
FROM message AS m LEFT JOIN ending AS e ON e.id = NULL LEFT JOIN work AS w ON w.id = NULL
WHERE m.id = ?1;

-- name: message_hook
SELECT webhook_url FROM message WHERE id = ?1 AND webhook_url IS NOT NULL;

-- name: message_page
{whole_message}
FROM message AS m INDEXED BY message_owner
  {message_state}
WHERE m.owner = ?1 AND m.id <= ?2 ORDER BY m.id DESC LIMIT ?3;

-- name: message_before
-- The ids just newer than a page's first, nearest first: the last of them heads the page before.
SELECT id FROM message INDEXED BY message_owner
WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3;

-- name: id_last
-- All of these have their numbers from one source. The last notice is in one of the newest rows, of
-- which there are as many as NOTICE_PACKS.
SELECT max((SELECT coalesce(max(id), 0) FROM message), (SELECT coalesce(max(id), 0) FROM batch),
  (SELECT coalesce(max(id), 0) FROM opt_out), (SELECT coalesce(max(id), 0) FROM stray),
  (SELECT coalesce(max(last), 0) FROM (SELECT last FROM notice ORDER BY id DESC LIMIT 16)),
  (SELECT coalesce(max(id), 0) FROM endpoint), (SELECT coalesce(max(id), 0) FROM endpoint_removed),
  (SELECT coalesce(max(id), 0) FROM delivery), (SELECT coalesce(max(id), 0) FROM edge));

-- name: message_last_created
SELECT coalesce((SELECT created_us FROM message ORDER BY id DESC LIMIT 1), 0);

-- part: seven
(?, ?, ?, ?, ?, ?, ?)

-- part: eight
(?, ?, ?, ?, ?, ?, ?, ?)

-- part: work_columns
id, owner, status, updated_us, sent_us, retry_count, carrier, series

-- name: work_put
INSERT OR REPLACE INTO work ({work_columns}) VALUES {eight};

-- name: work_put_many
INSERT OR REPLACE INTO work ({work_columns}) VALUES
  {eight}, {eight}, {eight}, {eight}, {eight}, {eight}, {eight}, {eight},
  {eight}, {eight}, {eight}, {eight}, {eight}, {eight}, {eight}, {eight};

-- name: work_put_hooked
INSERT OR REPLACE INTO work ({work_columns}, hooked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1);

-- name: work_get
SELECT owner, status, updated_us, sent_us, retry_count, carrier, series, hooked
FROM work WHERE id = ?1;

-- name: work_delete
DELETE FROM work WHERE id = ?1;

-- name: work_after
SELECT id, status, carrier FROM work WHERE id > ?1 ORDER BY id;

-- name: work_message
{whole_message}
FROM work AS w CROSS JOIN message AS m ON m.id = w.id LEFT JOIN ending AS e ON e.id = NULL
WHERE w.id = ?1;

-- name: ending_put
INSERT INTO ending (id, status, ended_us, sent_us, failure, retry_count, carrier) VALUES {seven};

-- name: ending_put_many
INSERT OR FAIL INTO ending (id, status, ended_us, sent_us, failure, retry_count, carrier) VALUES
  {seven}, {seven}, {seven}, {seven}, {seven}, {seven}, {seven}, {seven},
  {seven}, {seven}, {seven}, {seven}, {seven}, {seven}, {seven}, {seven};

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
