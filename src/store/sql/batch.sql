-- name: batch_insert
INSERT INTO batch (id, owner, created_us, total, accepted, last) VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: batch_get
SELECT created_us, total, accepted, last FROM batch WHERE id = ?1 AND owner = ?2;

-- name: batch_states
-- NULL: scheduled.
SELECT coalesce(e.status, w.status)
FROM message AS m INDEXED BY message_owner
  {message_state}
WHERE m.owner = ?1 AND m.id > ?2 AND m.id <= ?3;
