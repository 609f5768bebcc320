-- name: edge_get
SELECT id FROM edge;

-- name: edge_set
UPDATE edge SET id = ?1;

-- name: gone_add
INSERT INTO gone (owner, status, count) VALUES (?1, ?2, ?3)
ON CONFLICT (owner, status) DO UPDATE SET count = count + excluded.count;

-- name: message_oldest
-- Messages between two numbers, and where they stand; as in message_status.
SELECT m.id, m.owner, coalesce(e.status, w.status, 1)
FROM message AS m
  {message_state}
WHERE m.id >= ?1 AND m.id < ?2 ORDER BY m.id LIMIT ?3;

-- name: message_delete_before
DELETE FROM message WHERE id < ?1;

-- name: ending_delete_before
DELETE FROM ending WHERE id < ?1;

-- name: work_delete_before
DELETE FROM work WHERE id < ?1;

-- name: standing_delete_before
DELETE FROM standing WHERE owner = ?1 AND status = ?2 AND id < ?3;

-- name: parts_delete_before
DELETE FROM parts WHERE message IN (SELECT message FROM parts WHERE message < ?1 LIMIT ?2);

-- name: event_delete_before
DELETE FROM event WHERE (message, number) IN (
  SELECT message, number FROM event WHERE message < ?1 ORDER BY message, number LIMIT ?2);

-- name: batch_delete_before
-- Those whose messages are all gone.
DELETE FROM batch WHERE id IN (
  SELECT id FROM batch WHERE id < ?1 AND last < ?1 ORDER BY id LIMIT ?2);

-- name: stray_delete_before
DELETE FROM stray WHERE id IN (SELECT id FROM stray WHERE id < ?1 ORDER BY id LIMIT ?2);
