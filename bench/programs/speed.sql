-- After the shape of SQLite's own speed test: inserts, an index, joins, updates, deletes.
CREATE TABLE a(id INTEGER PRIMARY KEY, n INTEGER, t TEXT);
CREATE TABLE b(id INTEGER, n INTEGER, t TEXT);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 120000)
INSERT INTO a SELECT i, (i * 7919) % 100003, printf('%d and %x', i, i * 31) FROM c;
INSERT INTO b SELECT n, id, t || t FROM a;
CREATE INDEX b_id ON b(id);
SELECT count(*), sum(length(b.t)) FROM a JOIN b ON a.id = b.id;
UPDATE b SET t = substr(t, 3) || id WHERE n % 3 = 0;
SELECT count(*) FROM (SELECT t FROM b GROUP BY substr(t, 1, 4) ORDER BY max(n));
SELECT group_concat(t, '') IS NOT NULL FROM a WHERE id % 50 = 0;
DELETE FROM b WHERE id % 2 = 0;
SELECT count(*) FROM b;
