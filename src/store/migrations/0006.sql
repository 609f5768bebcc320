-- Schema 6. Live carriers: which of them has a message, what they call it, and what they brought.

ALTER TABLE message ADD COLUMN carrier INTEGER;             -- first choice; NULL = the simulator

-- Where an open message goes now. Carriers' numbers begin with 2, because 0 and 1 take no room on
-- disk: a message that goes to another carrier keeps its width. That a carrier may have a queued
-- message is told by another "not yet" in sent_us (-4611686018427387903).
ALTER TABLE work ADD COLUMN carrier INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ending ADD COLUMN carrier INTEGER NOT NULL DEFAULT 0;

-- How many messages a carrier has queued, under the negative of its number.
INSERT INTO tally SELECT 0, 2, count(*) FROM work WHERE status = 2;

-- A carrier by its name in the configuration, and how it stood when the server noted it last.
CREATE TABLE carrier (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  drained INTEGER NOT NULL,               -- by the operator
  told_us INTEGER NOT NULL,
  state INTEGER NOT NULL,
  since_us INTEGER NOT NULL,
  binds_up INTEGER NOT NULL,
  binds INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  in_flight INTEGER NOT NULL,
  submitted INTEGER NOT NULL,             -- this and the next six: since it was first seen
  taken INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  throttled INTEGER NOT NULL,
  receipts INTEGER NOT NULL,
  strays INTEGER NOT NULL,
  maybe_twice INTEGER NOT NULL,
  note TEXT NOT NULL
);

-- Under which ids carriers took messages. The day comes first, so that what is too old lies at one
-- end.
CREATE TABLE reference (
  day INTEGER NOT NULL,                   -- of writing: unix time / 86400
  carrier INTEGER NOT NULL,
  id TEXT NOT NULL,
  message INTEGER NOT NULL,
  part INTEGER NOT NULL,                  -- from 1; 0 = the whole message
  PRIMARY KEY (day, carrier, id, message, part)
) WITHOUT ROWID;

-- Messages that went out in several parts and wait for the receipts of all.
CREATE TABLE parts (
  message INTEGER PRIMARY KEY,
  total INTEGER NOT NULL,
  delivered INTEGER NOT NULL              -- bit 0 is part 1
);

-- Receipts that no message was found for.
CREATE TABLE stray (
  id INTEGER PRIMARY KEY,                 -- from the source of message numbers
  at_us INTEGER NOT NULL,
  carrier INTEGER NOT NULL,
  reference TEXT NOT NULL,
  source TEXT NOT NULL,
  destination TEXT NOT NULL,
  raw TEXT NOT NULL
);

-- Parts of messages from handsets that wait for the others.
CREATE TABLE inbound_part (
  carrier INTEGER NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  reference INTEGER NOT NULL,
  total INTEGER NOT NULL,
  number INTEGER NOT NULL,                -- from 1
  at_us INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (carrier, sender, recipient, reference, total, number)
) WITHOUT ROWID;
CREATE INDEX inbound_part_at ON inbound_part (at_us);

-- The operator's prices.
CREATE TABLE price (
  kind INTEGER NOT NULL,                  -- SMS: per segment; MMS: per message
  prefix TEXT NOT NULL,                   -- digits; '' with a country, or for all others
  country TEXT NOT NULL,
  from_us INTEGER NOT NULL,               -- valid from then on
  micros INTEGER NOT NULL,
  PRIMARY KEY (kind, prefix, country, from_us)
) WITHOUT ROWID;
