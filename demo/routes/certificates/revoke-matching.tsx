import { missingPermission } from "../../api/permissions.ts";
import { revoke, revokeFound } from "../../api/endpoints/pki.ts";
import { can } from "../../api/openapi.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { digitsIn } from "./serial-prefix.ts";
import { bulkQuery, type BulkQuery } from "./bulk-calls.ts";
import type { Inventory } from "./use-inventory.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Button } from "../../ui/button.tsx";
import { queryOf, type Filters } from "../../api/inventory-search.ts";
import { useLoad } from "../../lib/use-load.ts";
import { date } from "../../lib/time-text.ts";

const BulkRevoke = lazy(async () => (await import("./bulk-revoke.tsx")).BulkRevoke);

type CriterionTexts = readonly (readonly [name: string, value: string])[];

/** Returns the names and values of the filters in words. */
function criterionTexts(
  query: BulkQuery,
  filters: Filters,
  issuers: Inventory["issuers"],
): CriterionTexts {
  const { issuer, role, from, to, since, until } = filters;
  const words = [
    ["Name begins with", query.name],
    ["A name contains", query.san],
    ["Issuer", issuer && (issuers.find(([id]) => id === issuer)?.[1] ?? issuer)],
    ["Role", role],
    ["Expires on or after", from],
    ["Expires on or before", to],
    ["Issued on or after", since && date(new Date(Number(query.not_before_from) * 1000))],
    ["Issued on or before", until],
  ] as const;
  return words.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

/**
 * The button that revokes all matches. Renders nothing if the API cannot revoke by these filters.
 */
export function RevokeMatching({
  filters,
  inventory,
}: {
  filters: Filters;
  inventory: Inventory;
}): JSX.Element | null {
  const [asking, setAsking] = useState(false);
  const offered = useLoad(() => can(revokeFound), []).value === true;
  const { result, busy, issuers } = inventory;
  const query =
    result &&
    bulkQuery(queryOf(filters, new Date()), filters, {
      within: result.within === true,
      digits: digitsIn(filters.q) !== "" || result.total !== undefined,
    });
  if (!offered || !query || (result.rows.length === 0 && !asking)) return null;
  return (
    <>
      <Button
        lacks={missingPermission(revoke)}
        disabled={busy && !asking}
        press={() => setAsking(true)}
      >
        Revoke all matches…
      </Button>
      {asking && (
        <BulkRevoke
          query={query}
          filters={criterionTexts(query, filters, issuers)}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
