import { missingPermission } from "../api/permissions.ts";
import { writeUrls } from "../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { useAct } from "../lib/use-action.ts";
import { fillable, fillAddresses } from "../api/certificate-urls.ts";
import { Button } from "./button.tsx";
import { Failure } from "./page.tsx";
import { notify } from "./notify.tsx";
import { announceChange } from "../api/pki.ts";
import { useLoad } from "../lib/store.ts";

/**
 * A button that sets the URLs in certificates to those of this mount; absent if that is impossible.
 */
export function FillAddresses(): JSX.Element | null {
  const act = useAct();
  const offered = useLoad(fillable, []);
  const fill = async (): Promise<void> => {
    const { warnings } = await fillAddresses();
    announceChange();
    notify("URLs filled in. New certificates will include them", warnings);
  };
  if (offered.value !== true) return null;
  return (
    <>
      {act.error && <Failure error={act.error} />}
      <Button tiny lacks={missingPermission(writeUrls)} busy={act.busy} press={() => act.run(fill)}>
        Fill in this mount’s URLs
      </Button>
    </>
  );
}
