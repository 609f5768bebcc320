-- name: notice_put
INSERT INTO notice (id, owner, last, kinds, entries) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: notice_delete
DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE id < ?1 ORDER BY id LIMIT ?2);

-- name: notice_at_most
-- Rows that may have a notice of these kinds between two numbers.
SELECT id, entries FROM notice INDEXED BY notice_owner
WHERE owner = ?1 AND id BETWEEN ?2 AND ?3 AND kinds & ?4 ORDER BY id DESC;

-- name: notice_at_least
SELECT id, entries FROM notice INDEXED BY notice_owner
WHERE owner = ?1 AND kinds & ?4 AND id <= ?3
  AND id >= coalesce((SELECT id FROM notice INDEXED BY notice_owner
                      WHERE owner = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1), ?2)
ORDER BY id;

-- name: notice_get
-- The row that has this number, if there is one.
SELECT id, entries FROM notice INDEXED BY notice_owner
WHERE owner = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1;

-- name: notice_last
SELECT max(
  coalesce((SELECT id FROM message INDEXED BY message_owner
            WHERE owner = ?1 ORDER BY id DESC LIMIT 1), 0),
  coalesce((SELECT last FROM notice INDEXED BY notice_owner
            WHERE owner = ?1 ORDER BY id DESC LIMIT 1), 0));

-- part: first_notice
-- In the order of first_from_row.
m.id, m.owner, m.created_us, m.direction, m.scheduled_us, m.carrier

-- name: first_notice_get
SELECT {first_notice} FROM message AS m WHERE m.id = ?1;

-- name: first_notice_at_most
-- First notices of all kinds: the messages of an owner.
SELECT {first_notice} FROM message AS m INDEXED BY message_owner
WHERE m.owner = ?1 AND m.id BETWEEN ?2 AND ?3 ORDER BY m.id DESC;

-- name: first_notice_at_least
SELECT {first_notice} FROM message AS m INDEXED BY message_owner
WHERE m.owner = ?1 AND m.id BETWEEN ?2 AND ?3 ORDER BY m.id;

-- name: scheduled_notice_at_most
SELECT {first_notice} FROM message AS m INDEXED BY message_scheduled
WHERE m.owner = ?1 AND m.scheduled_us IS NOT NULL AND m.id BETWEEN ?2 AND ?3 ORDER BY m.id DESC;

-- name: scheduled_notice_at_least
SELECT {first_notice} FROM message AS m INDEXED BY message_scheduled
WHERE m.owner = ?1 AND m.scheduled_us IS NOT NULL AND m.id BETWEEN ?2 AND ?3 ORDER BY m.id;

-- name: received_notice_at_most
SELECT {first_notice} FROM standing AS s CROSS JOIN message AS m ON m.id = s.id
WHERE s.owner = ?1 AND s.status = 7 AND s.id BETWEEN ?2 AND ?3 ORDER BY s.id DESC;

-- name: received_notice_at_least
SELECT {first_notice} FROM standing AS s CROSS JOIN message AS m ON m.id = s.id
WHERE s.owner = ?1 AND s.status = 7 AND s.id BETWEEN ?2 AND ?3 ORDER BY s.id;
