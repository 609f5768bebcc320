-- Schema 2. What few messages have, scheduled messages, batches, and a history beside the rows.

ALTER TABLE message ADD COLUMN subject TEXT;                -- this and the rest: NULL = not given
ALTER TABLE message ADD COLUMN tags TEXT;                   -- one per line
ALTER TABLE message ADD COLUMN metadata TEXT;               -- JSON
ALTER TABLE message ADD COLUMN webhook_url TEXT;
ALTER TABLE message ADD COLUMN webhook_failover_url TEXT;
ALTER TABLE message ADD COLUMN validity_s INTEGER;
ALTER TABLE message ADD COLUMN scheduled_us INTEGER;
ALTER TABLE message ADD COLUMN batch INTEGER;

-- Messages that wait for their time. They have no row in `work` until it comes: a message with
-- neither `work` nor `ending` is scheduled.
CREATE TABLE schedule (
  due_us INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (due_us, id)
) WITHOUT ROWID;

-- Messages sent in one request lie between `id` and `last`.
CREATE TABLE batch (
  id INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  total INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  last INTEGER NOT NULL
);

-- What the other tables do not tell of a message's history.
CREATE TABLE event (
  message INTEGER NOT NULL,
  number INTEGER NOT NULL,                -- 1, 2, … for each message
  at_us INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (message, number)
) WITHOUT ROWID;
