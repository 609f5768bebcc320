-- Schema 9. Times of delivery have rows of their own, so that who asks how many does not read past
-- how long.
ALTER TABLE rollup RENAME TO rollup_before;

-- Messages of an owner that were accepted in an hour or in a day, as they stand now: up to 16 series
-- in a row. Rows that change at the same time lie side by side.
CREATE TABLE rollup (
  owner INTEGER NOT NULL,
  grain INTEGER NOT NULL,                 -- 1 an hour, 2 a day, 3 an hour of all series together
  start INTEGER NOT NULL,                 -- unix time / 3600, / 86400
  chunk INTEGER NOT NULL,                 -- number of the series / 16; 0 of all together
  counts BLOB NOT NULL,                   -- see rollup_pack.h
  PRIMARY KEY (owner, grain, start, chunk)
) WITHOUT ROWID;

-- How long they took to be delivered. No row: none of them was.
CREATE TABLE rollup_times (
  owner INTEGER NOT NULL,
  grain INTEGER NOT NULL,
  start INTEGER NOT NULL,
  chunk INTEGER NOT NULL,
  times BLOB NOT NULL,
  PRIMARY KEY (owner, grain, start, chunk)
) WITHOUT ROWID;

INSERT INTO rollup SELECT owner, grain, start, chunk, counts FROM rollup_before;
INSERT INTO rollup_times SELECT owner, grain, start, chunk, times FROM rollup_before;
DROP TABLE rollup_before;
