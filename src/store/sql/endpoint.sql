-- part: endpoint_numbers
-- In the order of endpoint_from_row.
id, account, of_messages, modes, kinds, every_kind, created_us, updated_us, old_until_us, off,
  off_us, failures, failing_since_us, paused_until_us, last_success_us, replay_from, replay_to,
  replay_states, replay_modes

-- part: endpoint_texts
url, description, secret, old_secret

-- name: endpoint_add
INSERT INTO endpoint ({endpoint_numbers}, {endpoint_texts})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: endpoint_get
SELECT {endpoint_numbers}, {endpoint_texts} FROM endpoint
WHERE id = ?1 AND (?2 = 0 OR account = ?2);

-- name: endpoint_list
SELECT {endpoint_numbers}, {endpoint_texts} FROM endpoint INDEXED BY endpoint_account
WHERE account = ?1 AND of_messages = 0 ORDER BY id;

-- name: endpoint_all
SELECT {endpoint_numbers}, {endpoint_texts} FROM endpoint INDEXED BY endpoint_account
WHERE of_messages = 0 ORDER BY id;

-- name: endpoint_wishes
-- What the writer remembers.
SELECT id, account, modes, kinds, every_kind FROM endpoint INDEXED BY endpoint_account
WHERE of_messages = 0 ORDER BY id;

-- name: endpoint_of_origin
SELECT id FROM endpoint INDEXED BY endpoint_origin
WHERE account = ?1 AND url = ?2 AND of_messages = 1;

-- name: endpoint_put
UPDATE endpoint SET modes = ?2, kinds = ?3, every_kind = ?4, updated_us = ?5, old_until_us = ?6,
  off = ?7, off_us = ?8, failures = ?9, failing_since_us = ?10, paused_until_us = ?11,
  last_success_us = ?12, replay_from = ?13, replay_to = ?14, replay_states = ?15,
  replay_modes = ?16, url = CASE of_messages WHEN 1 THEN url ELSE ?17 END, description = ?18,
  secret = ?19, old_secret = ?20
WHERE id = ?1;

-- name: endpoint_set_replay
UPDATE endpoint SET replay_from = ?2, replay_to = ?3 WHERE id = ?1;

-- name: endpoint_delete
DELETE FROM endpoint WHERE id = ?1;

-- name: endpoint_removed_add
INSERT OR IGNORE INTO endpoint_removed (id) VALUES (?1);

-- name: endpoint_removed
SELECT id FROM endpoint_removed ORDER BY id LIMIT 1;

-- name: endpoint_removed_delete
DELETE FROM endpoint_removed WHERE id = ?1;

-- name: endpoint_origins
SELECT id FROM endpoint WHERE id > ?1 AND id < ?2 AND of_messages = 1 ORDER BY id LIMIT ?3;

-- name: endpoint_delete_unused
-- Unless a delivery is left of it.
DELETE FROM endpoint WHERE id = ?1 AND NOT EXISTS (
  SELECT 1 FROM delivery_tally AS t WHERE t.endpoint = ?1 AND t.count > 0);

-- name: endpoint_replaying
SELECT id FROM endpoint INDEXED BY endpoint_replay
WHERE replay_to <> 0 AND id > ?1 ORDER BY id LIMIT 1;

-- name: endpoint_waiting
-- The next endpoint that has a waiting delivery, and whether it is still there.
SELECT d.endpoint, e.id IS NOT NULL
FROM (SELECT endpoint FROM delivery INDEXED BY delivery_waiting
      WHERE state = 2 AND endpoint > ?1 ORDER BY endpoint LIMIT 1) AS d
  LEFT JOIN endpoint AS e ON e.id = d.endpoint;

-- name: secret_get
SELECT old_until_us, secret, old_secret FROM secret WHERE owner = ?1;

-- name: secret_put
INSERT INTO secret (owner, old_until_us, secret, old_secret) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (owner) DO UPDATE SET old_until_us = excluded.old_until_us, secret = excluded.secret,
  old_secret = excluded.old_secret;
