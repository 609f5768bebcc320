-- name: stray_add
INSERT INTO stray (id, at_us, carrier, reference, source, destination, raw)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: stray_remove
DELETE FROM stray WHERE id = ?1;

-- name: stray_list
SELECT id, at_us, carrier, reference, source, destination, raw FROM stray
WHERE id <= ?1 ORDER BY id DESC LIMIT ?2;
