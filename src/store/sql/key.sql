-- name: key_insert
INSERT INTO api_key (account, mode, name, plan, hash, last_four, permissions, created_us,
  revoked_us, expires_us, per_minute, per_hour)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12);

-- name: key_find
SELECT k.id, k.account, k.mode, k.name, k.plan, k.hash, k.last_four, k.permissions, k.created_us,
  k.revoked_us, k.expires_us, k.per_minute, k.per_hour, coalesce(a.suspended_us, 0) <> 0
FROM api_key AS k LEFT JOIN account AS a ON a.id = k.account
WHERE k.hash = ?1;

-- name: key_list
SELECT k.id, k.account, k.mode, k.name, k.plan, k.hash, k.last_four, k.permissions, k.created_us,
  k.revoked_us, k.expires_us, k.per_minute, k.per_hour, coalesce(a.suspended_us, 0) <> 0
FROM api_key AS k LEFT JOIN account AS a ON a.id = k.account
WHERE (?1 = 0 OR k.account = ?1) AND k.id >= ?2 ORDER BY k.id LIMIT ?3;

-- name: key_get
SELECT k.id, k.account, k.mode, k.name, k.plan, k.hash, k.last_four, k.permissions, k.created_us,
  k.revoked_us, k.expires_us, k.per_minute, k.per_hour, coalesce(a.suspended_us, 0) <> 0
FROM api_key AS k LEFT JOIN account AS a ON a.id = k.account
WHERE k.id = ?1;

-- name: key_page
SELECT k.id, k.account, k.mode, k.name, k.plan, k.hash, k.last_four, k.permissions, k.created_us,
  k.revoked_us, k.expires_us, k.per_minute, k.per_hour, coalesce(a.suspended_us, 0) <> 0
FROM api_key AS k LEFT JOIN account AS a ON a.id = k.account
WHERE k.account = ?1 AND k.mode = ?2 AND k.id <= ?3 ORDER BY k.id DESC LIMIT ?4;

-- name: key_before
SELECT id FROM api_key WHERE account = ?1 AND mode = ?2 AND id > ?3 ORDER BY id LIMIT ?4;

-- name: key_total
SELECT count(*) FROM api_key WHERE account = ?1 AND mode = ?2;

-- name: key_usage
SELECT last_us, requests, address FROM key_usage WHERE key = ?1;

-- name: key_used
INSERT INTO key_usage (key, last_us, requests, address) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (key) DO UPDATE SET last_us = excluded.last_us, address = excluded.address,
  requests = requests + excluded.requests;

-- name: key_off
SELECT revoked_us FROM api_key WHERE id = ?1;

-- name: key_revoke
UPDATE api_key SET revoked_us = CASE revoked_us WHEN 0 THEN ?2 ELSE min(revoked_us, ?2) END
WHERE id = ?1 AND (?3 = 0 OR account = ?3);

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
