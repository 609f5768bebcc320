-- name: volume_insert
INSERT INTO volume (shelf, state, level, first, last) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: volume_list
SELECT id, level, first, last FROM volume WHERE shelf = ?1 AND state = 2 ORDER BY first;

-- name: volume_set_state
UPDATE volume SET state = ?2 WHERE id = ?1;

-- name: volume_give_up
-- Volumes that were being made when the program ended.
UPDATE volume SET state = 3 WHERE shelf = ?1 AND state = 1;

-- name: volume_over
SELECT id FROM volume WHERE shelf = ?1 AND state = 3 LIMIT 1;

-- name: volume_delete
DELETE FROM volume WHERE id = ?1;

-- name: leaf_insert
INSERT INTO leaf (id, volume, owner, term, first, rank, entries)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: leaf_get
SELECT id, rank, entries FROM leaf WHERE id = ?1;

-- name: leaf_seek
-- The leaf that an entry is in, if there is such an entry.
SELECT id, rank, entries FROM leaf INDEXED BY leaf_first
WHERE volume = ?1 AND (owner, term, first) <= (?2, ?3, ?4)
ORDER BY owner DESC, term DESC, first DESC LIMIT 1;

-- name: leaf_delete
DELETE FROM leaf WHERE id IN (SELECT id FROM leaf WHERE id >= ?1 AND id < ?2 LIMIT ?3);
