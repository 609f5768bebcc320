-- Schema 4. Requests that are answered once.

-- What each Idempotency-Key stood for, in the order of time: rows come at one end, and leave at
-- the other when they are a day old. How a key leads to its row is told in sqlite_once.c.
CREATE TABLE once (
  id INTEGER PRIMARY KEY,                 -- 1, 2, 3, …
  owner INTEGER NOT NULL,                 -- account * 2 + mode
  key BLOB NOT NULL,                      -- keyed hash of path and Idempotency-Key
  print BLOB NOT NULL,                    -- keyed hash of the request
  created_us INTEGER NOT NULL,
  message INTEGER NOT NULL,               -- the answer was this message; 0: it was `answer`
  status INTEGER NOT NULL,
  answer BLOB                             -- NULL = none
);
