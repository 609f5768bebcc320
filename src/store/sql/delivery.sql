-- part: delivery_columns
-- In the order of delivery_from_row.
id, endpoint, account, mode, notice, kind, message, created_us, due_us, state, attempts, tries

-- part: twelve
(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: delivery_put
INSERT INTO delivery ({delivery_columns}) VALUES {twelve};

-- name: delivery_put_many
-- As many as GATHER_ROWS.
INSERT OR FAIL INTO delivery ({delivery_columns}) VALUES
  {twelve}, {twelve}, {twelve}, {twelve}, {twelve}, {twelve}, {twelve}, {twelve},
  {twelve}, {twelve}, {twelve}, {twelve}, {twelve}, {twelve}, {twelve}, {twelve};

-- name: delivery_get
-- Those of an endpoint that was removed are gone, though they are still here.
SELECT {delivery_columns} FROM delivery
WHERE id = ?1 AND EXISTS (SELECT 1 FROM endpoint WHERE endpoint.id = delivery.endpoint);

-- name: delivery_read
SELECT {delivery_columns} FROM delivery WHERE id = ?1;

-- name: delivery_set
UPDATE delivery SET due_us = ?2, state = ?3, attempts = ?4, tries = ?5 WHERE id = ?1;

-- name: delivery_at_most
SELECT id FROM delivery INDEXED BY delivery_list
WHERE endpoint = ?1 AND mode = ?2 AND state = ?3 AND id BETWEEN ?4 AND ?5
ORDER BY id DESC LIMIT ?6;

-- name: delivery_at_least
SELECT id FROM delivery INDEXED BY delivery_list
WHERE endpoint = ?1 AND mode = ?2 AND state = ?3 AND id BETWEEN ?4 AND ?5
ORDER BY id LIMIT ?6;

-- name: delivery_number
SELECT count(*) FROM delivery INDEXED BY delivery_list
WHERE endpoint = ?1 AND mode = ?2 AND state = ?3 AND id BETWEEN ?4 AND ?5;

-- name: delivery_of_message
SELECT {delivery_columns} FROM delivery INDEXED BY delivery_message
WHERE message = ?1 AND message <> 0
  AND EXISTS (SELECT 1 FROM endpoint WHERE endpoint.id = delivery.endpoint)
ORDER BY id LIMIT ?2;

-- name: delivery_due
SELECT {delivery_columns} FROM delivery INDEXED BY delivery_waiting
WHERE endpoint = ?1 AND state = 2 AND (due_us, id) > (?2, ?3) AND due_us <= ?4
ORDER BY due_us, id LIMIT ?5;

-- name: delivery_next
SELECT due_us FROM delivery INDEXED BY delivery_waiting
WHERE endpoint = ?1 AND state = 2 AND due_us > ?2 ORDER BY due_us LIMIT 1;

-- name: delivery_others
-- Other waiting notices of a message to an endpoint: until when those before this one wait, and
-- whether there are any behind it.
SELECT max(CASE WHEN id < ?3 THEN due_us END), max(id) > ?3
FROM delivery INDEXED BY delivery_message
WHERE message = ?1 AND message <> 0 AND endpoint = ?2 AND state = 2 AND id <> ?3;

-- name: delivery_behind
UPDATE delivery INDEXED BY delivery_message SET due_us = ?4
WHERE message = ?1 AND message <> 0 AND endpoint = ?2 AND state = 2 AND id > ?3;

-- name: delivery_tally_get
SELECT count FROM delivery_tally WHERE endpoint = ?1 AND mode = ?2 AND state = ?3;

-- name: delivery_tally_add
INSERT INTO delivery_tally (endpoint, mode, state, count) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (endpoint, mode, state) DO UPDATE SET count = count + excluded.count;

-- name: delivery_tally_take
-- Nothing is counted of endpoints that were removed.
UPDATE delivery_tally SET count = count + ?4 WHERE endpoint = ?1 AND mode = ?2 AND state = ?3;

-- name: delivery_tally_of
SELECT mode, state, count FROM delivery_tally WHERE endpoint = ?1;

-- name: delivery_tally_delete
DELETE FROM delivery_tally WHERE endpoint = ?1;

-- name: attempt_add
INSERT OR REPLACE INTO attempt (delivery, number, failover, at_us, duration_us, connect_us, status,
  error, answer, signature, url)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11);

-- name: attempt_list
SELECT number, failover, at_us, duration_us, connect_us, status, error, answer, signature, url
FROM attempt
WHERE delivery = ?1 AND number > (SELECT max(number) FROM attempt WHERE delivery = ?1) - ?2
ORDER BY number;

-- name: attempt_delete
DELETE FROM attempt WHERE (delivery, number) IN (
  SELECT delivery, number FROM attempt WHERE delivery = ?1 ORDER BY number LIMIT ?2);

-- name: attempt_delete_before
DELETE FROM attempt WHERE (delivery, number) IN (
  SELECT delivery, number FROM attempt WHERE delivery < ?1 ORDER BY delivery, number LIMIT ?2);

-- name: delivery_oldest
SELECT id, endpoint, mode, state, account FROM delivery WHERE id < ?1 ORDER BY id LIMIT ?2;

-- name: delivery_delete_upto
DELETE FROM delivery WHERE id <= ?1;

-- name: delivery_of_endpoint
SELECT id FROM delivery INDEXED BY delivery_list WHERE endpoint = ?1 LIMIT ?2;

-- name: delivery_delete
DELETE FROM delivery WHERE id = ?1;
