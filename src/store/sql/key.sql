-- name: key_insert
INSERT INTO api_key (account, mode, name, plan, hash, last_four, permissions, created_us,
  revoked_us, expires_us)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

-- name: key_find
SELECT id, account, mode, name, plan, hash, last_four, permissions, created_us, revoked_us,
  expires_us
FROM api_key WHERE hash = ?1;

-- name: key_list
SELECT id, account, mode, name, plan, hash, last_four, permissions, created_us, revoked_us,
  expires_us
FROM api_key ORDER BY id;

-- name: key_revoke
UPDATE api_key SET revoked_us = CASE revoked_us WHEN 0 THEN ?2 ELSE revoked_us END WHERE id = ?1;

-- name: meta_get
SELECT value FROM meta WHERE name = ?1;

-- name: meta_put
INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING;

-- name: meta_touch
-- Other bytes every time: a page that does not change is not written.
INSERT INTO meta (name, value) VALUES ('touched', randomblob(8))
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: data_version
PRAGMA data_version;
