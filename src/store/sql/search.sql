-- part: term_columns
-- What messages are found by.
id, owner, direction, sender, recipient, tags

-- name: message_terms
SELECT {term_columns} FROM message WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: message_terms_get
SELECT {term_columns} FROM message WHERE id = ?1;

-- name: message_terms_between
SELECT {term_columns} FROM message NOT INDEXED
WHERE owner = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id;

-- name: message_ids_between
SELECT id FROM message INDEXED BY message_owner
WHERE owner = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id;

-- name: message_owner
SELECT owner FROM message WHERE id = ?1;

-- name: message_status
-- With neither an ending nor work it is scheduled.
SELECT coalesce((SELECT status FROM ending WHERE id = ?1), (SELECT status FROM work WHERE id = ?1),
  1);

-- name: message_created_from
SELECT id, created_us FROM message WHERE id >= ?1 ORDER BY id LIMIT 1;

-- name: standing_insert
INSERT INTO standing (owner, status, id) VALUES (?1, ?2, ?3);

-- name: standing_delete
DELETE FROM standing WHERE owner = ?1 AND status = ?2 AND id = ?3;

-- name: standing_at_most
SELECT id FROM standing WHERE owner = ?1 AND status = ?2 AND id <= ?3 ORDER BY id DESC LIMIT ?4;

-- name: standing_at_least
SELECT id FROM standing WHERE owner = ?1 AND status = ?2 AND id >= ?3 ORDER BY id LIMIT ?4;

-- name: work_at_most
SELECT id FROM work WHERE owner = ?1 AND status = ?2 AND id <= ?3 ORDER BY id DESC LIMIT ?4;

-- name: work_at_least
SELECT id FROM work WHERE owner = ?1 AND status = ?2 AND id >= ?3 ORDER BY id LIMIT ?4;

-- name: tally_list
SELECT status, count FROM tally WHERE owner = ?1;
