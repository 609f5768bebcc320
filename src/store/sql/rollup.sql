-- part: series_columns
owner, number, direction, kind, type, number_type, country, sender, tags

-- name: series_insert
INSERT INTO series ({series_columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);

-- name: series_all
SELECT {series_columns} FROM series;

-- name: series_list
SELECT {series_columns} FROM series WHERE owner = ?1;

-- name: rollup_get
SELECT counts FROM rollup WHERE owner = ?1 AND grain = ?2 AND start = ?3 AND chunk = ?4;

-- name: rollup_put
INSERT OR REPLACE INTO rollup (owner, grain, start, chunk, counts) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: rollup_between
SELECT start, chunk, counts FROM rollup
WHERE owner = ?1 AND grain = ?2 AND start >= ?3 AND start < ?4 ORDER BY start, chunk;

-- name: message_cost
SELECT cost_micros, direction FROM message WHERE id = ?1;
