-- name: pulse_get
SELECT waits, counts FROM pulse WHERE owner = ?1 AND minute = ?2;

-- name: pulse_insert
INSERT INTO pulse (owner, minute, queued, waits, counts) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: pulse_set
-- What no index has; so only the row is written.
UPDATE pulse SET queued = ?3, counts = ?4 WHERE owner = ?1 AND minute = ?2;

-- name: pulse_set_waits
UPDATE pulse SET queued = ?3, waits = ?4, counts = ?5 WHERE owner = ?1 AND minute = ?2;

-- name: pulse_settle
-- Of the minutes before this one that may have queued messages, the last has none left.
UPDATE pulse SET waits = 0
WHERE owner = ?1 AND queued = 0 AND minute = (
  SELECT max(minute) FROM pulse INDEXED BY pulse_waiting
  WHERE owner = ?1 AND waits = 1 AND minute < ?2);

-- name: pulse_delete
DELETE FROM pulse WHERE owner = ?1 AND minute = ?2;

-- name: pulse_oldest
SELECT owner, minute, queued FROM pulse INDEXED BY pulse_minute
WHERE (minute, owner) > (?1, ?2) AND minute < ?3 ORDER BY minute, owner LIMIT ?4;

-- name: pulse_from
SELECT minute, counts FROM pulse WHERE owner = ?1 AND minute BETWEEN ?2 AND ?3 ORDER BY minute;

-- name: pulse_first_queued
SELECT minute, counts FROM pulse INDEXED BY pulse_waiting
WHERE owner = ?1 AND waits = 1 AND queued > 0 ORDER BY minute LIMIT 1;

-- name: lane_tally_add
INSERT INTO lane_tally (owner, carrier, count) VALUES (?1, ?2, ?3)
ON CONFLICT (owner, carrier) DO UPDATE SET count = count + excluded.count;

-- name: lane_tally_list
SELECT carrier, count FROM lane_tally WHERE owner = ?1 AND count > 0 ORDER BY carrier;

-- name: hook_tally_add
INSERT INTO hook_tally (owner, state, count) VALUES (?1, ?2, ?3)
ON CONFLICT (owner, state) DO UPDATE SET count = count + excluded.count;

-- name: hook_tally_get
SELECT count FROM hook_tally WHERE owner = ?1 AND state = ?2;

-- name: request_tally_add
-- Of the key's account and mode.
INSERT INTO request_tally (owner, hour, count)
SELECT account * 2 + mode, ?2, ?3 FROM api_key WHERE id = ?1
ON CONFLICT (owner, hour) DO UPDATE SET count = count + excluded.count;

-- name: request_tally_between
SELECT hour, count FROM request_tally
WHERE owner = ?1 AND hour >= ?2 AND hour < ?3 ORDER BY hour;
