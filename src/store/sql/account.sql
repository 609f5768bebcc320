-- name: account_list
SELECT id, name, created_us, suspended_us, balance_micros FROM account ORDER BY id;

-- name: account_find
SELECT id, name, created_us, suspended_us, balance_micros FROM account WHERE name = ?1;

-- name: account_get
SELECT id, name, created_us, suspended_us, balance_micros FROM account WHERE id = ?1;

-- name: account_insert
INSERT INTO account (created_us, suspended_us, balance_micros, name) VALUES (?1, ?2, ?3, ?4);

-- name: account_suspend
UPDATE account SET suspended_us = ?2 WHERE id = ?1;

-- name: account_balance
SELECT balance_micros FROM account WHERE id = ?1;

-- name: account_set_balance
UPDATE account SET balance_micros = ?2 WHERE id = ?1;
