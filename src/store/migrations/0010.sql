-- Schema 10. Times of delivery are packed closer, and those of an hour have rows of their own: who asks
-- how many, hour by hour, does not read past how long.
ALTER TABLE rollup RENAME TO rollup_before;

-- Messages of an owner that were accepted in an hour or in a day, as they stand now: up to 16 series
-- in a row. Rows that change at the same time lie side by side.
CREATE TABLE rollup (
  owner INTEGER NOT NULL,
  grain INTEGER NOT NULL,                 -- 1 an hour, 2 a day, 3 an hour of all series together, 4 the times of 1
  start INTEGER NOT NULL,                 -- unix time / 3600, / 86400
  chunk INTEGER NOT NULL,                 -- number of the series / 16; 0 of all together
  counts BLOB NOT NULL,                   -- see rollup_pack.h; empty of 4
  times BLOB NOT NULL,                    -- of delivery; empty of 1
  PRIMARY KEY (owner, grain, start, chunk)
) WITHOUT ROWID;

-- Its rows are taken over by rollup_convert, which drops it.
