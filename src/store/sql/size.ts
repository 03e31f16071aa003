import type { StoreSize } from "../../engine/store.ts";
import { first, type Sql } from "./sql.ts";

/** Number of ranges of row IDs in a sample, and number of IDs in each range. */
const [ranges, width] = [64, 16];

/**
 * Estimates the size of a store from a sample of about a thousand row IDs at equal distances,
 * because deleted rows leave gaps in the IDs. The number of rows is exact while the highest ID is
 * at most the size of the sample.
 */
export function estimateSize(sql: Sql): StoreSize {
  const last = Number(first(sql, "SELECT max(id) FROM rows")?.[0] ?? 0);
  const distance = Math.max(width, last / ranges);
  const sample = { ids: 0, rows: 0, bytes: 0 };
  for (let from = 1; from <= last; from = Math.floor((sample.ids / width) * distance) + 1) {
    const to = from + width - 1;
    const query =
      "SELECT count(*) AS n, total(length(key) + length(value)) AS bytes FROM rows WHERE id BETWEEN ? AND ?";
    const [count, bytes] = first(sql, query, from, to) ?? [];
    sample.ids += width;
    sample.rows += Number(count ?? 0);
    sample.bytes += Number(bytes ?? 0);
  }
  const scale = sample.ids > 0 && distance > width ? last / sample.ids : 1;
  const [further] = first(sql, "SELECT total(length(value)) AS bytes FROM parts") ?? [];
  return {
    rows: Math.round(sample.rows * scale),
    bytes: Math.round(sample.bytes * scale) + Number(further ?? 0),
  };
}
