-- name: key_insert
INSERT INTO api_key (account, mode, name, plan, hash, last_four, permissions, created_us,
  revoked_us, expires_us, per_minute, per_hour)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12);

-- name: key_find
SELECT k.id, k.account, k.mode, k.name, k.plan, k.hash, k.last_four, k.permissions, k.created_us,
  k.revoked_us, k.expires_us, k.per_minute, k.per_hour, a.suspended_us IS NOT NULL AND a.suspended_us <> 0
FROM api_key AS k LEFT JOIN account AS a ON a.id = k.account
WHERE k.hash = ?1;

-- name: key_list
SELECT k.id, k.account, k.mode, k.name, k.plan, k.hash, k.last_four, k.permissions, k.created_us,
  k.revoked_us, k.expires_us, k.per_minute, k.per_hour, a.suspended_us IS NOT NULL AND a.suspended_us <> 0
FROM api_key AS k LEFT JOIN account AS a ON a.id = k.account
WHERE (?1 = 0 OR k.account = ?1) AND k.id >= ?2 ORDER BY k.id LIMIT ?3;

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
