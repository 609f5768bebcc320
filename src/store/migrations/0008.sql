-- Schema 8. Numbers: what messages come to, counted when they change and never afterwards.

-- What messages have in common that are counted together. A message belongs to one series from when
-- it is accepted.
CREATE TABLE series (
  owner INTEGER NOT NULL,                 -- account * 2 + mode
  number INTEGER NOT NULL,                -- 2, 3, … for each owner: 0 and 1 take no room on disk
  direction INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  type INTEGER NOT NULL,
  number_type INTEGER NOT NULL,
  country TEXT NOT NULL,
  sender TEXT NOT NULL,                   -- '' of inbound ones
  tags TEXT,                              -- sorted, each once, one per line; NULL = others than those told apart
  PRIMARY KEY (owner, number)
) WITHOUT ROWID;

-- Messages of an owner that were accepted in an hour or in a day, as they stand now: up to 16 series
-- in a row. Rows that change at the same time lie side by side.
CREATE TABLE rollup (
  owner INTEGER NOT NULL,
  grain INTEGER NOT NULL,                 -- 1 an hour, 2 a day, 3 an hour of all series together
  start INTEGER NOT NULL,                 -- unix time / 3600, / 86400
  chunk INTEGER NOT NULL,                 -- number of the series / 16; 0 of all together
  counts BLOB NOT NULL,                   -- see rollup_pack.h
  times BLOB NOT NULL,                    -- of delivery; last, so that who does not want them need not read them
  PRIMARY KEY (owner, grain, start, chunk)
) WITHOUT ROWID;

-- The series that an open message belongs to.
ALTER TABLE work ADD COLUMN series INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedule ADD COLUMN series INTEGER NOT NULL DEFAULT 0;

-- What happened to an owner's messages in a minute, second by second.
CREATE TABLE pulse (
  owner INTEGER NOT NULL,
  minute INTEGER NOT NULL,                -- unix time / 60
  queued INTEGER NOT NULL,                -- messages queued in this minute that still are
  waits INTEGER NOT NULL,                 -- 1 = there may be such; 0 = there are none
  counts BLOB NOT NULL,                   -- see pulse_pack.h
  PRIMARY KEY (owner, minute)
) WITHOUT ROWID;
CREATE INDEX pulse_waiting ON pulse (owner, minute) WHERE waits = 1;
CREATE INDEX pulse_minute ON pulse (minute);

-- How many messages of an owner wait for a carrier.
CREATE TABLE lane_tally (
  owner INTEGER NOT NULL,
  carrier INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (owner, carrier)
) WITHOUT ROWID;
INSERT INTO lane_tally
  SELECT owner, carrier, count(*) FROM work WHERE status = 2 GROUP BY owner, carrier;

-- How many deliveries of an owner, to all endpoints together, are in each state.
CREATE TABLE hook_tally (
  owner INTEGER NOT NULL,
  state INTEGER NOT NULL,                 -- as in `delivery`
  count INTEGER NOT NULL,
  PRIMARY KEY (owner, state)
) WITHOUT ROWID;
INSERT INTO hook_tally
  SELECT e.account * 2 + t.mode, t.state, sum(t.count)
  FROM delivery_tally AS t JOIN endpoint AS e ON e.id = t.endpoint GROUP BY 1, 2;

-- Calls of the API.
CREATE TABLE request_tally (
  owner INTEGER NOT NULL,
  hour INTEGER NOT NULL,                  -- unix time / 3600
  count INTEGER NOT NULL,
  PRIMARY KEY (owner, hour)
) WITHOUT ROWID;

-- Messages that are past their time: all with numbers below the edge are gone, and so many they
-- were. Rollups keep counting them.
CREATE TABLE edge (
  id INTEGER NOT NULL                     -- one row
);
INSERT INTO edge VALUES (0);
CREATE TABLE gone (
  owner INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (owner, status)
) WITHOUT ROWID;
