-- Schema 9. Media files of messages.

-- The content lies in a file beside the store, once, however many messages have it.
CREATE TABLE content (
  hash BLOB NOT NULL PRIMARY KEY,         -- SHA-256
  place INTEGER NOT NULL,                 -- the file's number, see store_media.c
  size INTEGER NOT NULL,
  uses INTEGER NOT NULL                   -- rows of `media`; 0 = the file can go
) WITHOUT ROWID;
CREATE UNIQUE INDEX content_place ON content (place);
CREATE INDEX content_unused ON content (place) WHERE uses = 0;

CREATE TABLE media (
  message INTEGER NOT NULL,
  number INTEGER NOT NULL,                -- its place in the message, from 1
  hash BLOB NOT NULL,
  type TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY (message, number)
) WITHOUT ROWID;
CREATE TRIGGER media_added AFTER INSERT ON media BEGIN
  UPDATE content SET uses = uses + 1 WHERE hash = NEW.hash;
END;
CREATE TRIGGER media_dropped AFTER DELETE ON media BEGIN
  UPDATE content SET uses = uses - 1 WHERE hash = OLD.hash;
END;
