-- name: price_put
INSERT OR REPLACE INTO price (kind, from_us, micros, prefix, country) VALUES (?1, ?2, ?3, ?4, ?5);

-- name: price_clear
DELETE FROM price;

-- name: price_all
SELECT kind, from_us, micros, prefix, country FROM price ORDER BY kind, prefix, country, from_us;
