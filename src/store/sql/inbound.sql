-- part: inbound_part_columns
carrier, reference, total, number, at_us, sender, recipient, text

-- part: same_message
carrier = ?1 AND sender = ?4 AND recipient = ?5 AND reference = ?2 AND total = ?3

-- name: inbound_part_put
INSERT OR REPLACE INTO inbound_part ({inbound_part_columns})
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: inbound_part_count
SELECT count(*) FROM inbound_part WHERE {same_message};

-- name: inbound_part_all
SELECT {inbound_part_columns} FROM inbound_part WHERE {same_message} ORDER BY number;

-- name: inbound_part_delete
DELETE FROM inbound_part WHERE {same_message};

-- name: inbound_part_overdue
SELECT {inbound_part_columns} FROM inbound_part WHERE at_us < ?1 ORDER BY at_us LIMIT ?2;
