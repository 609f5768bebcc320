-- Schema 5. What lists of messages are found by.

-- Indexes that follow their rows at a distance: sorted volumes that never change. See
-- sqlite_volume.h.

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

-- Messages that are neither on their way nor delivered, to be listed by what they are: scheduled,
-- failed, cancelled or received. (Those on their way are in `work`; nearly all others were
-- delivered.)
CREATE TABLE standing (
  owner INTEGER NOT NULL,
  status INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (owner, status, id)
) WITHOUT ROWID;
INSERT INTO standing SELECT m.owner, e.status, e.id FROM ending AS e JOIN message AS m ON m.id = e.id
  WHERE e.status <> 4;
INSERT INTO standing SELECT m.owner, 1, s.id FROM schedule AS s JOIN message AS m ON m.id = s.id;
