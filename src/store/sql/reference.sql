-- part: five
(?, ?, ?, ?, ?)

-- name: reference_add
-- What is there already may stay.
INSERT OR IGNORE INTO reference (day, carrier, message, part, id) VALUES {five};

-- name: reference_add_many
-- As many as GATHER_ROWS.
INSERT OR IGNORE INTO reference (day, carrier, message, part, id) VALUES
  {five}, {five}, {five}, {five}, {five}, {five}, {five}, {five},
  {five}, {five}, {five}, {five}, {five}, {five}, {five}, {five};

-- name: reference_find
-- Each day by itself, because a range of days would be read whole. As many as REFERENCE_DAYS, and
-- today. Not those of messages that are gone.
SELECT message, part FROM reference
WHERE day IN (?1, ?1 - 1, ?1 - 2, ?1 - 3) AND carrier = ?2 AND id = ?4
  AND message >= (SELECT edge.id FROM edge)
ORDER BY day DESC, message DESC, part DESC LIMIT ?3;

-- name: reference_last_of
-- The last of the oldest rows, if there are as many.
SELECT day, carrier, id, message, part FROM reference
WHERE day < ?1 ORDER BY day, carrier, id, message, part LIMIT 1 OFFSET ?2;

-- name: reference_delete_to
DELETE FROM reference WHERE (day, carrier, id, message, part) <= (?1, ?2, ?5, ?3, ?4);

-- name: reference_delete_before
DELETE FROM reference WHERE day < ?1;

-- name: parts_open
INSERT OR REPLACE INTO parts (message, total, delivered) VALUES (?1, ?2, 0);

-- name: parts_get
SELECT total, delivered FROM parts WHERE message = ?1;

-- name: parts_set
UPDATE parts SET delivered = ?2 WHERE message = ?1;

-- name: parts_close
DELETE FROM parts WHERE message = ?1;
