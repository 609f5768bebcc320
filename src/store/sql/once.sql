-- name: once_insert
INSERT INTO once (id, owner, created_us, message, status, key, print, answer)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- part: once_message
(?, ?, ?, ?, ?, ?, ?)

-- name: once_message_put
INSERT INTO once (id, owner, created_us, message, status, key, print) VALUES {once_message};

-- name: once_message_put_many
-- As many as GATHER_ROWS.
INSERT OR FAIL INTO once (id, owner, created_us, message, status, key, print) VALUES
  {once_message}, {once_message}, {once_message}, {once_message},
  {once_message}, {once_message}, {once_message}, {once_message},
  {once_message}, {once_message}, {once_message}, {once_message},
  {once_message}, {once_message}, {once_message}, {once_message};

-- name: once_get
SELECT owner, key, print, created_us, message, status, answer FROM once WHERE id = ?1;

-- name: once_keys
-- From one number on, to find the way to them again.
SELECT id, owner, key FROM once WHERE id > ?1 ORDER BY id LIMIT ?2;

-- name: once_oldest
SELECT id, created_us FROM once ORDER BY id LIMIT 1;

-- name: once_delete
DELETE FROM once WHERE id < ?1 AND created_us < ?2;
