import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useAct, type Act } from "../../lib/use-action.ts";
import { useInventory, type Inventory } from "./use-inventory.ts";
import { lazy } from "../../ui/lazy.tsx";
import type { SearchResult } from "./certificate-search.ts";
import { changes } from "../../lib/changes.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty, Failure, Head, Ready } from "../../ui/page.tsx";
import { address, refine, route } from "../../lib/route.ts";
import { filtersOf, type Filters } from "../../api/inventory-search.ts";
import { asError, useStore } from "../../lib/store.ts";
import { CertificateFilters } from "./filters.tsx";
import { InventoryList } from "./inventory-list.tsx";
import { saveCsv } from "./save-csv.ts";

const RevokeMatching = lazy(async () => (await import("./revoke-matching.tsx")).RevokeMatching);

/**
 * The view of all certificates in the mount. The server searches them. The filters are in the URL.
 */
export function Certificates(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const filters = filtersOf(useStore(route, (value) => value.query));
  const inventory = useInventory(filters, turn);
  const exporting = useAct();
  const { result, error, again } = inventory;
  const filtered = Object.values({ ...filters, sort: "" }).some(Boolean);
  return (
    <>
      <Head
        title="Certificates"
        about="All certificates issued by this mount. Only its CAs’ private keys are stored, in encrypted form."
        actions={
          <>
            <Export inventory={inventory} act={exporting} />
            <RevokeMatching filters={filters} inventory={inventory} />
          </>
        }
      />
      {exporting.error && <Failure error={exporting.error} />}
      <Ready
        from={{
          busy: false,
          again,
          ...(result ? { value: result } : error && (filtered ? { value: nothing } : { error })),
        }}
      >
        {(value) =>
          value.rows.length === 0 &&
          value.cursor === "" &&
          !filtered &&
          inventory.isCurrent &&
          !error ? (
            <div class="card">
              <Empty text="Issued certificates will appear here.">
                <ButtonLink kind="primary" to={address("issue")}>
                  Issue a certificate
                </ButtonLink>
              </Empty>
            </div>
          ) : (
            <Shown result={value} inventory={inventory} filters={filters} />
          )
        }
      </Ready>
    </>
  );
}

/** The result shown when a search with filters failed. */
const nothing: SearchResult = { rows: [], cursor: "" };

/** The button that saves all matches as CSV, including those that are not shown yet. */
function Export({ inventory, act }: { inventory: Inventory; act: Act }): JSX.Element {
  const { result, busy, all } = inventory;
  const [read, setRead] = useState(0);
  const press = (): void =>
    act.run(async () => {
      setRead(0);
      try {
        const { rows, cursor } = await all(setRead);
        await saveCsv(rows, cursor === "");
      } catch (reason) {
        throw new Error(`Nothing was exported. ${asError(reason).message}`, { cause: reason });
      }
    });
  return (
    <Button
      icon="down"
      busy={act.busy}
      disabled={!act.busy && (busy || (result?.rows ?? []).length === 0)}
      press={press}
    >
      {act.busy ? `Exporting… ${read} certificates read` : "Export CSV"}
    </Button>
  );
}

function Shown({
  result,
  inventory,
  filters,
}: {
  result: SearchResult;
  inventory: Inventory;
  filters: Filters;
}): JSX.Element {
  const { busy, error, more, again } = inventory;
  const { rows, cursor, within, printed, total } = result;
  // If any names begin with the text, names that contain it elsewhere are not in the result.
  const deeper =
    rows.length > 0 &&
    filters.q.trim() !== "" &&
    filters.match === "" &&
    !within &&
    !printed &&
    total === undefined;
  useMoreAtEnd(more, rows.length > 0 && cursor !== "" && !error);
  return (
    <section class="card" aria-label="Inventory">
      <CertificateFilters filters={filters} issuers={inventory.issuers} roles={inventory.roles} />
      {error && rows.length === 0 && (
        <div class="pad">
          <Failure error={error} again={cursor === "" ? again : more}>
            The search failed.
          </Failure>
        </div>
      )}
      <InventoryList result={result} inventory={inventory} filters={filters} />
      {error && rows.length > 0 && (
        <div class="pad">
          <Failure
            error={
              new Error(
                `Rows from ${rows.length + 1} onwards could not be loaded. ${error.message}`,
              )
            }
            again={cursor === "" ? again : more}
          />
        </div>
      )}
      {((cursor !== "" && !error) || deeper) && (
        <footer>
          {cursor !== "" && !error && (
            <Button tiny busy={busy} press={more}>
              {rows.length > 0 ? "Show more" : "Continue searching"}
            </Button>
          )}{" "}
          {deeper && (
            <Button tiny press={() => refine({ ...filters, match: "any" })}>
              Search inside names
            </Button>
          )}
        </footer>
      )}
    </section>
  );
}

/** Loads more rows when the user scrolls near the end. */
function useMoreAtEnd(more: () => void, isEnabled: boolean): void {
  // Use a layout effect. An effect would add the listener after paint, when a user may already be
  // at the end and cause no further scroll event.
  useLayoutEffect(() => {
    if (!isEnabled) return;
    const loadNearEnd = (): void => {
      if (document.documentElement.scrollHeight - scrollY - innerHeight < 1000) more();
    };
    addEventListener("scroll", loadNearEnd, { passive: true });
    return () => removeEventListener("scroll", loadNearEnd);
  }, [more, isEnabled]);
}
