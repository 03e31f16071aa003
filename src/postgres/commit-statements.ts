import { epochKey, pageBytes } from "../store/batch.ts";
import { headBytes } from "./index-value.ts";

/** Returns an ASCII string as a `bytea` literal. */
const literal = (text: string): string => `'\\x${Buffer.from(text).toString("hex")}'::bytea`;
/** Returns an expression for a part of `bytes`, which contains all values of a group. */
const part = (start: string, length: string): string =>
  `substring(bytes FROM ${start} + 1 FOR ${length})`;
/**
 * Returns an SQL condition that is true if an operation belongs to a batch that was applied in the
 * current run.
 */
const isApplied = (batch: string): string => `runs[${batch}] = this_run AND applied[${batch}]`;
const digits = (number: string, count: number): string =>
  `convert_to(lpad((${number})::text, ${count}, '0'), 'UTF8')`;
/** Returns an expression that encodes a number as the value of a row: one byte, then JSON. */
const encoded = (number: string): string =>
  `('\\x01'::bytea || convert_to((${number})::text, 'UTF8'))`;

type NameOf = (name: string) => string;
const upsert = (of: NameOf): string => `INSERT INTO ${of("rows")} (store, key, rev, value)`;

/**
 * Returns statements that check the conditions of the next run's batches, and write the batches
 * whose conditions hold.
 */
export const runStatements = (of: NameOf): string => `${checkStatements(of)}
    CONTINUE WHEN NOT applied && ARRAY[true];
    has_applied := true;
    ${clearStatements(of)}
    ${deleteStatements(of)}
    IF cardinality(put_batch) + cardinality(append_batch) + cardinality(log_batch) > 0
      OR next_epoch <> this_epoch THEN
      new_rev := nextval('${of("revisions")}');
    END IF;
    ${putStatements(of)}
    ${appendStatements(of)}
    ${logStatements(of)}
    ${epochStatements(of)}
    ${readStatements(of)}`;

const checkStatements = (of: NameOf): string => `this_run := runs[this_batch];
    next_epoch := this_epoch;
    refused := '{}';
    IF cardinality(expect_batch) > 0 THEN
      refused := ARRAY(
        SELECT e.batch FROM unnest(expect_batch, expect_key, expect_rev) AS e (batch, key, rev)
        WHERE runs[e.batch] = this_run AND e.rev IS DISTINCT FROM
          (SELECT r.rev FROM ${of("rows")} r WHERE r.store = this_store AND r.key = e.key));
    END IF;
    WHILE runs[this_batch] = this_run LOOP
      applied[this_batch] := coalesce(ats[this_batch] = this_epoch, true)
        AND coalesce(epochs[this_batch] = -1 OR epochs[this_batch] >= this_epoch, true)
        AND this_batch <> ALL (refused);
      IF applied[this_batch] THEN
        due := least(due, dues[this_batch]);
        next_epoch := CASE epochs[this_batch] WHEN -1 THEN this_epoch + 1
          ELSE greatest(this_epoch, epochs[this_batch]) END;
        of_batch := this_batch;
        of_rev := next_epoch;
        RETURN NEXT;
      END IF;
      this_batch := this_batch + 1;
    END LOOP;`;

const epochStatements = (of: NameOf): string => `IF next_epoch <> this_epoch THEN
      this_epoch := next_epoch;
      UPDATE ${of("stores")} s SET epoch = this_epoch WHERE s.id = this_store;
      ${upsert(of)} VALUES (this_store, ${literal(epochKey)}, new_rev, ${encoded("this_epoch")})
      ON CONFLICT (store, key) DO UPDATE SET rev = excluded.rev, value = excluded.value;
    END IF;`;

const readStatements = (of: NameOf): string => `IF cardinality(read_batch) > 0 THEN
      RETURN QUERY SELECT o.batch, o.n, r.rev, r.value
      FROM unnest(read_batch, read_n, read_key) AS o (batch, n, key)
      LEFT JOIN LATERAL (SELECT r.rev, r.value FROM ${of("rows")} r
        WHERE r.store = this_store AND r.key = o.key LIMIT 1) r ON true
      WHERE ${isApplied("o.batch")};
    END IF;`;

/**
 * Statements that lock a store and its keys. The lock functions are called in assignments, which
 * need no plan and take a tenth of the time of a query.
 */
export const lockStatements = `
  IF exclusive THEN
    ignored := pg_advisory_xact_lock(this_lock)::text;
  ELSE
    ignored := pg_advisory_xact_lock_shared(this_lock)::text;
    FOR n IN 1 .. cardinality(locks) LOOP
      IF lock_writes[n] THEN
        ignored := pg_advisory_xact_lock(hashtextextended(encode(locks[n], 'escape'), this_lock))::text;
      ELSE
        ignored := pg_advisory_xact_lock_shared(
          hashtextextended(encode(locks[n], 'escape'), this_lock))::text;
      END IF;
    END LOOP;
  END IF;`;

/** Returns statements that find or create a store, and read its epoch. */
export const storeStatements = (of: NameOf): string => `
  SELECT s.id, s.epoch INTO this_store, this_epoch FROM ${of("stores")} s WHERE s.name = store_name;
  IF NOT FOUND THEN
    INSERT INTO ${of("stores")} (name, epoch, life)
    VALUES (store_name, 0, nextval('${of("revisions")}')) ON CONFLICT DO NOTHING;
    SELECT s.id, s.epoch INTO this_store, this_epoch FROM ${of("stores")} s WHERE s.name = store_name;
  END IF;
  IF NOT exclusive AND this_epoch < ANY (epochs) THEN
    of_batch := -1;
    RETURN NEXT;
    RETURN;
  END IF;`;

const clearStatements = (of: NameOf): string => `
    IF clears[this_batch - 1] AND applied[this_batch - 1] THEN
      DELETE FROM ${of("entries")} e WHERE e.store = this_store;
      DELETE FROM ${of("rows")} r WHERE r.store = this_store AND r.key <> ${literal(epochKey)};
      UPDATE ${of("stores")} s SET life = nextval('${of("revisions")}') WHERE s.id = this_store;
    END IF;`;

/**
 * Returns statements that remove the index values of deleted and replaced rows, and then the
 * deleted rows.
 */
const deleteStatements = (of: NameOf): string => `
    IF cardinality(del_batch) > 0 OR false = ANY (put_fresh) THEN
      DELETE FROM ${of("entries")} e WHERE e.ctid = ANY (ARRAY(
        SELECT (SELECT x.ctid FROM ${of("entries")} x WHERE x.store = this_store
          AND x.name = i.name AND x.head = substring(i.value FOR ${headBytes})
          AND x.long = (octet_length(i.value) > ${headBytes}) AND x.key = o.key)
        FROM (
          SELECT d.key FROM unnest(del_batch, del_key) AS d (batch, key)
          WHERE ${isApplied("d.batch")}
          UNION ALL
          SELECT p.key FROM unnest(put_batch, put_key, put_fresh) AS p (batch, key, fresh)
          WHERE NOT p.fresh AND ${isApplied("p.batch")}
        ) o
        CROSS JOIN LATERAL (SELECT r.index_names, r.index_values FROM ${of("rows")} r
          WHERE r.store = this_store AND r.key = o.key AND r.index_names IS NOT NULL LIMIT 1) r
        CROSS JOIN LATERAL unnest(r.index_names, r.index_values) AS i (name, value)));
      DELETE FROM ${of("rows")} r WHERE r.store = this_store AND r.key = ANY (ARRAY(
        SELECT d.key FROM unnest(del_batch, del_key) AS d (batch, key)
        WHERE ${isApplied("d.batch")}));
    END IF;`;

const putStatements = (of: NameOf): string => `
    IF cardinality(put_batch) > 0 THEN
      INSERT INTO ${of("rows")} (store, key, rev, value, index_names, index_values)
      SELECT this_store, p.key, new_rev, ${part("p.start", "p.length")},
        CASE WHEN p.indexes > 0 THEN ARRAY(SELECT index_name[g]
          FROM generate_series(p.index + 1, p.index + p.indexes) g) END,
        CASE WHEN p.indexes > 0 THEN ARRAY(SELECT ${part("index_start[g]", "index_length[g]")}
          FROM generate_series(p.index + 1, p.index + p.indexes) g) END
      FROM unnest(put_batch, put_key, put_start, put_length, put_index, put_indexes)
        AS p (batch, key, start, length, index, indexes)
      WHERE ${isApplied("p.batch")}
      ON CONFLICT (store, key) DO UPDATE SET rev = excluded.rev, value = excluded.value,
        index_names = excluded.index_names, index_values = excluded.index_values;
    END IF;
    IF cardinality(index_put) > 0 THEN
      INSERT INTO ${of("entries")} (store, name, head, long, key)
      SELECT this_store, i.name, ${part("i.start", `least(i.length, ${headBytes})`)},
        i.length > ${headBytes}, put_key[i.put]
      FROM unnest(index_put, index_name, index_start, index_length) AS i (put, name, start, length)
      WHERE ${isApplied("put_batch[i.put]")};
    END IF;`;

/**
 * Returns statements that append to pages. Rows that are not pages may have the same prefix, but
 * only the keys of pages have exactly eight digits after it.
 */
const appendStatements = (of: NameOf): string => `
    FOR op IN SELECT * FROM unnest(append_batch, append_prefix, append_start, append_length)
      WITH ORDINALITY AS a (batch, prefix, start, length, at)
      WHERE ${isApplied("a.batch")} ORDER BY a.at LOOP
      SELECT r.key, octet_length(r.value) - 1 AS size INTO last_page FROM ${of("rows")} r
      WHERE r.store = this_store AND r.key >= op.prefix AND r.key <= op.prefix || ${literal("99999999")}
        AND octet_length(r.key) = octet_length(op.prefix) + 8
        AND encode(substring(r.key FROM octet_length(op.prefix) + 1), 'escape') ~ '^[0-9]{8}$'
      ORDER BY r.key DESC LIMIT 1;
      IF last_page.size + op.length <= ${pageBytes} THEN
        UPDATE ${of("rows")} r SET rev = new_rev, value = r.value || ${part("op.start", "op.length")}
        WHERE r.store = this_store AND r.key = last_page.key;
      ELSE
        ${upsert(of)} VALUES (this_store, op.prefix || ${digits(
          "coalesce(convert_from(substring(last_page.key FROM octet_length(op.prefix) + 1), 'UTF8')::int4 + 1, 0)",
          8,
        )}, new_rev, '\\x00'::bytea || ${part("op.start", "op.length")});
      END IF;
    END LOOP;`;

/**
 * Returns statements that number the entries of each log and store the last number. They also
 * remove old entries whenever the numbers pass a multiple of 100 (`endOfLog`).
 */
const logStatements = (of: NameOf): string => `
    IF cardinality(log_batch) > 0 THEN
      FOR op IN
        WITH logs AS (
          SELECT l.*, row_number() OVER (PARTITION BY l.prefix ORDER BY l.at) AS n,
            coalesce((SELECT CASE WHEN v.text ~ '^[0-9]+$' THEN v.text::int8 END
              FROM ${of("rows")} r, convert_from(substring(r.value FROM 2), 'UTF8') AS v (text)
              WHERE r.store = this_store AND r.key = l.last AND get_byte(r.value, 0) = 1), 0) AS before
          FROM unnest(log_batch, log_prefix, log_last, log_start, log_length, log_keep)
            WITH ORDINALITY AS l (batch, prefix, last, start, length, keep, at)
          WHERE ${isApplied("l.batch")}
        ), added AS (
          ${upsert(of)} SELECT this_store, l.prefix || ${digits("l.before + l.n", 12)}, new_rev,
            ${part("l.start", "l.length")}
          FROM logs l
          ON CONFLICT (store, key) DO UPDATE SET rev = excluded.rev, value = excluded.value
        ), counted AS (
          ${upsert(of)} SELECT this_store, l.last, new_rev, ${encoded("max(l.before + l.n)")}
          FROM logs l GROUP BY l.last
          ON CONFLICT (store, key) DO UPDATE SET rev = excluded.rev, value = excluded.value
        )
        SELECT l.prefix, max(l.keep) AS keep, max((l.before + l.n) / 100) * 100 AS n FROM logs l
        GROUP BY l.prefix, l.before
        HAVING max((l.before + l.n) / 100) > l.before / 100
      LOOP
        CONTINUE WHEN coalesce(op.n <= op.keep, true);
        removed := ARRAY(SELECT r.key FROM ${of("rows")} r WHERE r.store = this_store
          AND r.key >= op.prefix || ${digits("0", 12)}
          AND r.key <= op.prefix || ${digits("op.n - op.keep", 12)} ORDER BY r.key);
        -- after a gap in the numbers the entries are counted: see hasGap in src/store/batch.ts
        IF removed[1] <> op.prefix || ${digits("op.n - op.keep - cardinality(removed) + 1", 12)} THEN
          removed := removed[1:(SELECT greatest(count(*) - op.keep, 0) FROM ${of("rows")} r
            WHERE r.store = this_store AND r.key >= op.prefix || ${digits("0", 12)}
            AND r.key <= op.prefix || ${digits("999999999999", 12)})];
        END IF;
        DELETE FROM ${of("rows")} r WHERE r.store = this_store AND r.key = ANY (removed);
      END LOOP;
    END IF;`;
