-- name: message_terms
-- What messages are found by, from one number on.
SELECT id, owner, direction, sender, recipient, tags FROM message WHERE id > ?1 ORDER BY id LIMIT ?2;
