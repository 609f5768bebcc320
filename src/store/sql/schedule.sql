-- name: schedule_insert
INSERT INTO schedule (due_us, id, series) VALUES (?1, ?2, ?3);

-- name: schedule_get
SELECT m.owner, s.due_us, m.carrier, m.webhook_url IS NOT NULL, s.series
FROM message AS m CROSS JOIN schedule AS s ON s.due_us = m.scheduled_us AND s.id = m.id
WHERE m.id = ?1;

-- name: schedule_delete
DELETE FROM schedule WHERE due_us = ?1 AND id = ?2;

-- name: schedule_due
-- What is scheduled is neither open nor over: the joins find nothing.
{whole_message}
FROM schedule AS s CROSS JOIN message AS m ON m.id = s.id
  LEFT JOIN ending AS e ON e.id = NULL LEFT JOIN work AS w ON w.id = NULL
WHERE s.due_us <= ?1 ORDER BY s.due_us, s.id LIMIT ?2;

-- name: schedule_next
SELECT due_us FROM schedule ORDER BY due_us LIMIT 1;
