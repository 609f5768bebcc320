-- part: series_columns
owner, number, direction, kind, type, number_type, country, sender, tags

-- name: series_insert
INSERT INTO series ({series_columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);

-- name: series_all
SELECT {series_columns} FROM series;

-- name: series_list
SELECT {series_columns} FROM series WHERE owner = ?1;

-- part: rollup_times
CASE grain WHEN 1 THEN (
  SELECT times FROM rollup AS t
  WHERE t.owner = r.owner AND t.grain = 4 AND t.start = r.start AND t.chunk = r.chunk)
ELSE times END

-- name: rollup_get
SELECT counts, {rollup_times} FROM rollup AS r
WHERE owner = ?1 AND grain = ?2 AND start = ?3 AND chunk = ?4;

-- name: rollup_put
INSERT OR REPLACE INTO rollup (owner, grain, start, chunk, counts, times)
VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- part: rollups_between
WHERE owner = ?1 AND grain = ?2 AND start >= ?3 AND start < ?4 ORDER BY start, chunk

-- name: rollup_between
SELECT start, chunk, counts FROM rollup {rollups_between};

-- name: rollup_timed
SELECT start, chunk, counts, {rollup_times} FROM rollup AS r {rollups_between};

-- name: message_cost
SELECT cost_micros, direction FROM message WHERE id = ?1;

-- part: counted_message
SELECT m.id, m.owner, m.direction, m.kind, m.type, m.number_type, m.country, m.sender, m.tags,
  m.segments, m.cost_micros, e.status, e.ended_us, e.sent_us, e.failure, w.status, w.sent_us,
  coalesce(w.series, s.series, 0), m.scheduled_us

-- part: counted_schedule
LEFT JOIN schedule AS s ON e.id IS NULL AND w.id IS NULL AND
  s.due_us = m.scheduled_us AND s.id = m.id

-- name: counted_all
{counted_message} FROM message AS m {message_state} {counted_schedule} ORDER BY m.id;

-- name: work_set_series
UPDATE work SET series = ?2 WHERE id = ?1;

-- name: schedule_set_series
UPDATE schedule SET series = ?2 WHERE id = ?1 AND due_us = ?3;

-- name: books_messages
{counted_message} FROM message AS m INDEXED BY message_owner
  {message_state} {counted_schedule}
WHERE m.owner = ?1 ORDER BY m.id;

-- name: books_next_owner
SELECT min(next) FROM (
  SELECT min(owner) AS next FROM message INDEXED BY message_owner WHERE owner > ?1
  UNION ALL SELECT min(owner) FROM tally WHERE owner > ?1
  UNION ALL SELECT min(owner) FROM gone WHERE owner > ?1
  UNION ALL SELECT min(owner) FROM rollup WHERE owner > ?1);

-- name: books_tallies
-- What is in the store, then what is gone.
SELECT 0, status, count FROM tally WHERE owner = ?1
UNION ALL SELECT 1, status, count FROM gone WHERE owner = ?1;

-- name: books_edge
SELECT id FROM edge;

-- name: books_carriers
-- Carriers' tallies stand below the owners'.
SELECT 0, -owner, sum(counted), sum(there) FROM (
  SELECT owner, count AS counted, 0 AS there FROM tally WHERE owner <= 0 AND status = 2
  UNION ALL SELECT -carrier, 0, count(*) FROM work WHERE status = 2 GROUP BY carrier)
GROUP BY 2 HAVING sum(counted) <> sum(there);

-- name: books_lanes
SELECT owner, carrier, sum(counted), sum(there) FROM (
  SELECT owner, carrier, count AS counted, 0 AS there FROM lane_tally
  UNION ALL SELECT owner, carrier, 0, count(*) FROM work WHERE status = 2 GROUP BY 1, 2)
GROUP BY 1, 2 HAVING sum(counted) <> sum(there);

-- name: books_waiting
SELECT owner, minute, sum(counted), sum(there) FROM (
  SELECT owner, minute, queued AS counted, 0 AS there FROM pulse WHERE queued <> 0
  UNION ALL SELECT owner, updated_us / 60000000, 0, count(*) FROM work WHERE status = 2
    GROUP BY 1, 2)
GROUP BY 1, 2 HAVING sum(counted) <> sum(there);

-- name: books_hooks
-- Deliveries to an endpoint that was removed are no longer counted.
SELECT owner, state, sum(counted), sum(there) FROM (
  SELECT owner, state, count AS counted, 0 AS there FROM hook_tally
  UNION ALL SELECT account * 2 + mode, state, 0, count(*) FROM delivery
    WHERE endpoint IN (SELECT id FROM endpoint) GROUP BY 1, 2)
GROUP BY 1, 2 HAVING sum(counted) <> sum(there);

-- name: books_minutes
SELECT owner, minute, queued, waits, counts FROM pulse;
