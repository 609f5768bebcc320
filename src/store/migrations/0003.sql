-- Schema 3. Accounts that can be suspended and prepaid, keys with limits of their own, what keys
-- have used, and who has opted out.

ALTER TABLE account ADD COLUMN created_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN suspended_us INTEGER NOT NULL DEFAULT 0;  -- 0 = on
ALTER TABLE account ADD COLUMN balance_micros INTEGER;                   -- NULL = not metered
CREATE UNIQUE INDEX account_name ON account (name);
UPDATE account SET created_us = coalesce(
  (SELECT min(created_us) FROM api_key WHERE api_key.account = account.id),
  CAST(strftime('%s', 'now') AS INTEGER) * 1000000);

ALTER TABLE api_key ADD COLUMN per_minute INTEGER NOT NULL DEFAULT -1;   -- -1 = as the plan has it
ALTER TABLE api_key ADD COLUMN per_hour INTEGER NOT NULL DEFAULT -1;
CREATE INDEX api_key_account ON api_key (account, mode);

CREATE TABLE key_usage (
  key INTEGER PRIMARY KEY,
  last_us INTEGER NOT NULL,
  address TEXT NOT NULL,
  requests INTEGER NOT NULL
);

-- How much of its present minute and hour a key has used.
CREATE TABLE limit_window (
  key INTEGER PRIMARY KEY,
  minute INTEGER NOT NULL,                -- unix time / 60
  minute_used INTEGER NOT NULL,
  hour INTEGER NOT NULL,                  -- unix time / 3600
  hour_used INTEGER NOT NULL
);

CREATE TABLE opt_out (
  id INTEGER PRIMARY KEY,
  owner INTEGER NOT NULL,
  number TEXT NOT NULL,
  source INTEGER NOT NULL,
  keyword TEXT NOT NULL,
  created_us INTEGER NOT NULL
);
CREATE UNIQUE INDEX opt_out_number ON opt_out (owner, number);
CREATE INDEX opt_out_owner ON opt_out (owner);

-- How many an owner has: totals without counting.
CREATE TABLE opt_out_tally (
  owner INTEGER PRIMARY KEY,
  count INTEGER NOT NULL
);
