-- name: event_insert_first
-- Of a message that has none yet; most have one at most.
INSERT OR IGNORE INTO event (message, number, at_us, kind, detail) VALUES (?1, 1, ?2, ?3, ?4);

-- name: event_insert
INSERT INTO event (message, number, at_us, kind, detail)
SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4 FROM event WHERE message = ?1;

-- name: event_list
SELECT at_us, kind, detail FROM event WHERE message = ?1 ORDER BY number LIMIT ?2;
