-- name: opt_out_page
SELECT id, owner, number, source, keyword, created_us FROM opt_out
WHERE owner = ?1 AND id <= ?2 ORDER BY id DESC LIMIT ?3;

-- name: opt_out_before
SELECT id FROM opt_out WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3;

-- name: opt_out_total
SELECT count FROM opt_out_tally WHERE owner = ?1;

-- name: opt_out_get
SELECT id, owner, number, source, keyword, created_us FROM opt_out WHERE owner = ?1 AND number = ?2;

-- name: opt_out_all
SELECT id, owner, number, source, keyword, created_us FROM opt_out;

-- name: opt_out_add
INSERT INTO opt_out (id, owner, source, created_us, number, keyword)
VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: opt_out_remove
DELETE FROM opt_out WHERE id = ?1;

-- name: opt_out_count
INSERT INTO opt_out_tally (owner, count) VALUES (?1, ?2)
ON CONFLICT (owner) DO UPDATE SET count = count + excluded.count;
