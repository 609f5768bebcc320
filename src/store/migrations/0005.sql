-- Schema 5. Indexes that follow their rows at a distance, in sorted volumes that never change.

CREATE TABLE volume (
  id INTEGER PRIMARY KEY,
  shelf INTEGER NOT NULL,                 -- which index: 1 messages, 2 requests answered once
  state INTEGER NOT NULL,                 -- 1 being made, 2 in use, 3 to be dropped
  level INTEGER NOT NULL,                 -- 0 as first written; one more with each merging
  first INTEGER NOT NULL,                 -- it has the entries of all rows
  last INTEGER NOT NULL                   --   from the first to the last number
);

CREATE TABLE leaf (
  id INTEGER PRIMARY KEY,                 -- volume * 2^24 + its place in the volume
  volume INTEGER NOT NULL,
  owner INTEGER NOT NULL,                 -- its first entry:
  term INTEGER NOT NULL,                  --   under this term of this owner
  first INTEGER NOT NULL,                 --   stands this row
  rank INTEGER NOT NULL,                  -- entries of the volume that stand before it
  entries BLOB NOT NULL                   -- see leaf.h
);
CREATE UNIQUE INDEX leaf_first ON leaf (volume, owner, term, first);
