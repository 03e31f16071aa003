import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { maxRead, type Inventory } from "./use-inventory.ts";
import { lazy } from "../../ui/lazy.tsx";
import type { SearchResult } from "./certificate-search.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty, Note } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { address, refine } from "../../lib/route.ts";
import type { Filters, InventoryRow } from "../../api/inventory-search.ts";
import { newest, sorted, sortingOf, sortingText, type Sorting } from "./sorting.ts";
import { successors } from "../../lib/successors.ts";
import { CertificateTable } from "./certificate-table.tsx";

const Chosen = lazy(async () => (await import("./selection.tsx")).SelectionActions);

interface Props {
  result: SearchResult;
  inventory: Inventory;
  filters: Filters;
}

/**
 * The list of matching rows, with the number of rows in each state and the actions on selected
 * rows.
 */
export function InventoryList({ result, inventory, filters }: Props): JSX.Element {
  const { rows, cursor } = result;
  const { busy, error, reading, rest } = inventory;
  const complete = cursor === "";
  const requested = sortingOf(filters.sort);
  const isNewest = result.isNewestFirst === true && sortingText(requested) === sortingText(newest);
  const sorting = complete || rows.length >= maxRead || isNewest ? requested : undefined;
  const ordered = useMemo(
    () => (sorting ? sorted(rows, sorting) : rows),
    [rows, sorting?.by, sorting?.down],
  );
  const renewed = useMemo(() => successors(rows), [rows]);
  const [selected, hold] = useState<ReadonlySet<string>>(new Set());
  const chosen = ordered.filter(({ serial }) => selected.has(serial));
  const choose = (serials: readonly string[], on: boolean): void =>
    hold((before) => {
      const next = new Set(before);
      for (const serial of serials)
        if (on) next.add(serial);
        else next.delete(serial);
      return next;
    });
  const sort = (to: Sorting): void => {
    refine({ ...filters, sort: sortingText(to) });
    // Sorting only some rows would be misleading, so load the rest.
    if (!complete && sortingText(to) !== "") rest();
  };
  return (
    <>
      <p class="totals">
        <span role="status">
          {busy || (error && rows.length === 0) ? "" : status(result, filters.q)}
        </span>
        {!busy && complete && <Tally rows={rows} />}
        {reading > 0 && <span role="status">Reading, {numeral(reading)} so far</span>}
      </p>
      {!complete && rows.length < maxRead && !busy && rows.length > 0 && (
        <Partly result={result} filters={filters} rest={rest} />
      )}
      <div class={busy ? "stale" : ""} aria-busy={busy}>
        {rows.length > 0 && (
          <CertificateTable
            rows={ordered}
            complete={complete}
            chosen={selected}
            choose={choose}
            renewed={renewed}
            sorting={sorting}
            sort={sort}
          />
        )}
        {rows.length === 0 && !error && (
          <Empty text={complete ? "No certificate matches." : "No matches so far."}>
            <Button press={() => refine({})}>Clear the filters</Button>
            {filters.q !== "" && (
              <>
                <ButtonLink to={address("system", "mounts")}>Search another mount</ButtonLink>
                <ButtonLink to={address("inspect")}>Inspect a file</ButtonLink>
              </>
            )}
          </Empty>
        )}
      </div>
      {chosen.length > 0 && <Chosen rows={chosen} clear={() => hold(new Set())} />}
    </>
  );
}

/** A note that says which rows are loaded, if not all matches are. */
function Partly({
  result: { rows, isNewestFirst = false },
  filters: { q, role, issuer },
  rest,
}: {
  result: SearchResult;
  filters: Filters;
  rest: () => void;
}): JSX.Element {
  const count = numeral(rows.length);
  const isExpiryOrder = [q, role, issuer].every((text) => text === "");
  const shown = isNewestFirst
    ? `the newest ${count} certificates`
    : `${count} matches, ${isExpiryOrder ? "those that expire first" : "in no particular order"}`;
  return (
    <div class="pad">
      <Note>
        Showing {shown}. Load all to{" "}
        {isNewestFirst ? "count them and sort by name or expiry" : "sort and count"}.{" "}
        <Button tiny press={rest}>
          Load all
        </Button>
      </Note>
    </div>
  );
}

const stateWords = [
  ["valid", "valid"],
  ["soon", "expiring soon"],
  ["future", "not yet valid"],
  ["revoked", "revoked"],
  ["distrusted", "below a revoked CA"],
  ["expired", "expired"],
] as const;

/** The number of certificates in each state, if there are several states. */
function Tally({ rows }: { rows: readonly InventoryRow[] }): JSX.Element | null {
  const counts = stateWords
    .map(([state, words]) => [rows.filter((row) => row.state === state).length, words] as const)
    .filter(([count]) => count > 0);
  if (counts.length < 2) return null;
  return <span>{counts.map(([count, words]) => `${numeral(count)} ${words}`).join(", ")}</span>;
}

function status({ rows, cursor, total, read, within, printed }: SearchResult, q: string): string {
  const shown = `${numeral(rows.length)} shown`;
  if (printed)
    return `${shown}. The text is treated as a fingerprint${cursor === "" ? "" : "; not all certificates were compared"}`;
  if (total === undefined) {
    const why =
      within && rows.length > 0 ? `. No name begins with “${q.trim()}”; these contain it.` : "";
    return `${shown}${cursor === "" ? "" : "; there are more"}${why}`;
  }
  if (read !== undefined && read < total)
    return `${shown}. The filters apply only to the ${read} of ${total} rows read so far`;
  return rows.length < total ? `${shown} of ${total}` : shown;
}
