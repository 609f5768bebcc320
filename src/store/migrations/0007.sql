-- Schema 7. What clients are told: notices, where they go, and how that went.

-- The message has an address of its own that is told what becomes of it.
ALTER TABLE work ADD COLUMN hooked INTEGER NOT NULL DEFAULT 0;
UPDATE work SET hooked = 1
  WHERE (SELECT webhook_url FROM message WHERE message.id = work.id) IS NOT NULL;

-- Scheduled messages are few; so their first notices are found.
CREATE INDEX message_scheduled ON message (owner) WHERE scheduled_us IS NOT NULL;

-- Changes of status, and what else is told of messages: those of an owner that one transaction
-- made, up to 64 in a row. The first notice of a message is not here: the message is its row.
CREATE TABLE notice (
  id INTEGER PRIMARY KEY,                 -- number of the first
  owner INTEGER NOT NULL,
  last INTEGER NOT NULL,                  -- number of the last
  kinds INTEGER NOT NULL,                 -- bits: which kinds are among them
  entries BLOB NOT NULL                   -- see notice_pack.h
);
CREATE INDEX notice_owner ON notice (owner, id, kinds);

CREATE TABLE endpoint (
  id INTEGER PRIMARY KEY,                 -- from the source of message numbers
  account INTEGER NOT NULL,
  of_messages INTEGER NOT NULL,           -- 1: an origin of addresses that messages bring along
  modes INTEGER NOT NULL,                 -- bits
  kinds INTEGER NOT NULL,                 -- bits
  every_kind INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  updated_us INTEGER NOT NULL,
  old_until_us INTEGER NOT NULL,
  off INTEGER NOT NULL,                   -- why it is off; 0 = on
  off_us INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  failing_since_us INTEGER NOT NULL,
  paused_until_us INTEGER NOT NULL,
  last_success_us INTEGER NOT NULL,
  replay_from INTEGER NOT NULL,           -- a redelivery that is under way; 0 = none
  replay_to INTEGER NOT NULL,
  replay_states INTEGER NOT NULL,
  replay_modes INTEGER NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  secret TEXT NOT NULL,
  old_secret TEXT NOT NULL
);
CREATE INDEX endpoint_account ON endpoint (account) WHERE of_messages = 0;
CREATE UNIQUE INDEX endpoint_origin ON endpoint (account, url) WHERE of_messages = 1;
CREATE INDEX endpoint_replay ON endpoint (id) WHERE replay_to <> 0;

-- Endpoints that are gone while deliveries of them are still here.
CREATE TABLE endpoint_removed (
  id INTEGER PRIMARY KEY
);

-- With what messages that bring an address along are signed.
CREATE TABLE secret (
  owner INTEGER PRIMARY KEY,
  old_until_us INTEGER NOT NULL,
  secret TEXT NOT NULL,
  old_secret TEXT NOT NULL
);

-- A notice on its way to an endpoint. What changes keeps its width, so that the row does not grow:
-- counts have 2 added to them, because 0 and 1 take no room on disk.
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY,                 -- from the source of message numbers
  endpoint INTEGER NOT NULL,
  account INTEGER NOT NULL,
  mode INTEGER NOT NULL,
  notice INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  message INTEGER NOT NULL,               -- 0 = none
  created_us INTEGER NOT NULL,
  due_us INTEGER NOT NULL,
  state INTEGER NOT NULL,                 -- 2 waiting, 3 delivered, 4 failed
  attempts INTEGER NOT NULL,              -- and 2
  tries INTEGER NOT NULL                  -- and 2
);
CREATE INDEX delivery_list ON delivery (endpoint, mode, state);
CREATE INDEX delivery_message ON delivery (message) WHERE message <> 0;
CREATE INDEX delivery_waiting ON delivery (endpoint, due_us) WHERE state = 2;

-- How many deliveries an endpoint has in each state: totals without counting.
CREATE TABLE delivery_tally (
  endpoint INTEGER NOT NULL,
  mode INTEGER NOT NULL,
  state INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (endpoint, mode, state)
) WITHOUT ROWID;

CREATE TABLE attempt (
  delivery INTEGER NOT NULL,
  number INTEGER NOT NULL,                -- 1, 2, … for each delivery
  failover INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  connect_us INTEGER NOT NULL,
  status INTEGER NOT NULL,
  error TEXT NOT NULL,
  answer BLOB NOT NULL,
  signature TEXT NOT NULL,
  url TEXT NOT NULL,
  PRIMARY KEY (delivery, number)
) WITHOUT ROWID;
