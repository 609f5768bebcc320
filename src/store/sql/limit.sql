-- name: limit_save
INSERT INTO limit_window (key, minute, minute_used, hour, hour_used) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (key) DO UPDATE SET minute = excluded.minute, minute_used = excluded.minute_used,
  hour = excluded.hour, hour_used = excluded.hour_used;

-- name: limit_list
SELECT key, minute, minute_used, hour, hour_used FROM limit_window
WHERE (hour + 1) * 3600000000 > ?1 OR (minute + 1) * 60000000 > ?1 ORDER BY key;
