-- part: carrier_state
-- What is noted of a carrier, in the order of sqlite_carrier.c.
told_us, state, since_us, binds_up, binds, waiting, in_flight, submitted, taken, refused, throttled,
  receipts, strays

-- name: carrier_list
SELECT id, drained, {carrier_state}, maybe_twice, name, note FROM carrier ORDER BY id;

-- name: carrier_find
SELECT id, drained, {carrier_state}, maybe_twice, name, note FROM carrier WHERE name = ?1;

-- name: carrier_busy
-- Their messages that are queued are counted under the negative of their numbers.
SELECT -owner FROM tally WHERE owner <= 0 AND count > 0;

-- name: carrier_insert
-- Their numbers begin with 2.
INSERT INTO carrier (id, maybe_twice, drained, {carrier_state}, name, note)
SELECT coalesce(max(id), 1) + 1, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM carrier;

-- name: carrier_note
UPDATE carrier SET ({carrier_state}, note) = (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
  ?14, ?15)
WHERE id = ?1;

-- name: carrier_twice
UPDATE carrier SET maybe_twice = maybe_twice + 1 WHERE id = ?1;

-- name: carrier_drain
UPDATE carrier SET drained = ?2 WHERE id = ?1;
