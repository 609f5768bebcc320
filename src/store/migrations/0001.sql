-- Schema 1. Times are unix microseconds. In `work`, a time that has not come is kept as a number of
-- the same width (-4611686018427387904), so that the row does not grow when it comes: a row that
-- grows in a full page splits the page.

CREATE TABLE meta (
  name TEXT PRIMARY KEY,                  -- 'id_secret': key of the public ids
  value BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);
INSERT INTO account (id, name) VALUES (1, 'default');

CREATE TABLE api_key (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  mode INTEGER NOT NULL,                  -- 0 test, 1 live
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,              -- SHA-256 of the key; the key itself is nowhere
  last_four TEXT NOT NULL,
  permissions INTEGER NOT NULL,           -- bits; 0 = none listed
  created_us INTEGER NOT NULL,
  revoked_us INTEGER NOT NULL,            -- 0 = on
  expires_us INTEGER NOT NULL             -- 0 = never
);

-- What was asked for. Written once and never changed: what becomes of the message stands in `work`
-- while it is open and in `ending` when it is over, so a change of status touches small rows only.
CREATE TABLE message (
  id INTEGER PRIMARY KEY,                 -- time-ordered, made in C
  owner INTEGER NOT NULL,                 -- account * 2 + mode
  created_us INTEGER NOT NULL,
  direction INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  type INTEGER NOT NULL,
  encoding INTEGER NOT NULL,
  segments INTEGER NOT NULL,
  number_type INTEGER NOT NULL,
  coverage INTEGER NOT NULL,
  reason INTEGER NOT NULL,
  rate_limit INTEGER NOT NULL,
  calling_code INTEGER NOT NULL,
  country TEXT NOT NULL,
  cost_micros INTEGER NOT NULL,
  currency TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  media TEXT NOT NULL,                    -- one URL per line
  text TEXT NOT NULL
);
-- The list: an owner's messages by time, and nothing else.
CREATE INDEX message_owner ON message (owner);

-- Messages not yet in a final state: its size is what is open, not what is stored.
CREATE TABLE work (
  id INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  status INTEGER NOT NULL,
  updated_us INTEGER NOT NULL,
  sent_us INTEGER NOT NULL,
  retry_count INTEGER NOT NULL
);

-- How messages ended.
CREATE TABLE ending (
  id INTEGER PRIMARY KEY,
  status INTEGER NOT NULL,                -- delivered, failed or cancelled
  ended_us INTEGER NOT NULL,
  sent_us INTEGER NOT NULL,               -- 0 = never
  failure INTEGER NOT NULL,
  retry_count INTEGER NOT NULL
);

-- How many messages an owner has in each status: totals without counting.
CREATE TABLE tally (
  owner INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (owner, status)
) WITHOUT ROWID;
