import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Button } from "../../ui/button.tsx";
import { Failure } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { saveCsv } from "./save-csv.ts";

const many = (): Promise<typeof import("./bulk-actions.ts")> => import("./bulk-actions.ts");
const RevokeChosen = lazy(async () => (await many()).RevokeChosen);
const RenewChosen = lazy(async () => (await many()).RenewChosen);

/** The actions on the selected rows. */
export function SelectionActions({
  rows,
  clear,
}: {
  rows: readonly InventoryRow[];
  clear: () => void;
}): JSX.Element {
  const [dialog, open] = useState<"" | "revoke" | "renew">("");
  const act = useAct();
  const close = (): void => open("");
  return (
    <div class="chosen" role="region" aria-label="Selected certificates">
      {act.error && <Failure error={act.error} />}
      <div class="actions from-start">
        <b role="status">{numeral(rows.length)} selected</b>
        <Button tiny icon="cycle" press={() => open("renew")}>
          Renew…
        </Button>
        <Button
          tiny
          icon="down"
          busy={act.busy}
          label="Export selected as CSV"
          press={() => act.run(() => saveCsv(rows, true))}
        >
          CSV
        </Button>
        <Button tiny kind="danger" press={() => open("revoke")}>
          Revoke…
        </Button>
        <Button tiny kind="plain" press={clear}>
          Clear
        </Button>
      </div>
      {dialog === "revoke" && <RevokeChosen rows={rows} close={close} done={clear} />}
      {dialog === "renew" && <RenewChosen rows={rows} close={close} done={clear} />}
    </div>
  );
}
