-- name: content_get
SELECT place, size, hash FROM content WHERE hash = ?1;

-- name: content_put
-- In the place of one whose file is lost; then its uses stay.
INSERT INTO content (hash, place, size, uses) VALUES (?1, ?2, ?3, 0)
ON CONFLICT (hash) DO UPDATE SET place = excluded.place, size = excluded.size;

-- name: content_at
SELECT 1 FROM content WHERE place = ?1;

-- name: content_unused
SELECT place FROM content WHERE uses = 0 AND place > 0 ORDER BY place LIMIT ?1;

-- name: content_delete
DELETE FROM content WHERE place = ?1;

-- name: media_put
INSERT OR IGNORE INTO media (message, number, hash, type, at_us) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: media_has
SELECT c.place, c.size, c.hash FROM media AS m CROSS JOIN content AS c ON c.hash = m.hash
WHERE m.message = ?1 AND m.number = ?2;

-- name: media_delete
DELETE FROM media WHERE message = ?1 AND number = ?2;

-- part: media_record
SELECT m.number, m.hash, m.type, m.at_us, c.place, c.size
FROM media AS m CROSS JOIN content AS c ON c.hash = m.hash

-- name: media_get
{media_record} WHERE m.message = ?1 AND m.number = ?2;

-- name: media_list
{media_record} WHERE m.message = ?1 ORDER BY m.number LIMIT ?2;

-- name: media_delete_before
DELETE FROM media WHERE (message, number) IN (
  SELECT message, number FROM media WHERE message < ?1 ORDER BY message, number LIMIT ?2);
