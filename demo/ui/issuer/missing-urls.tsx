import type { JSX } from "preact";
import { mountUrl, urlKinds, urls } from "../../api/certificate-urls.ts";
import { writeUrls } from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { changes } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { Button } from "../button.tsx";
import { FillAddresses, LoopbackUrls, useUrlToFill } from "../fill-urls.tsx";
import { Note } from "../page.tsx";

/**
 * The note that the mount has no URLs for certificates, shown before a CA is created, with buttons
 * that set the URLs.
 */
export function MissingUrls({ set }: { set: () => void }): JSX.Element | null {
  const turn = useStore(changes, (value) => value.turn);
  const held = useLoad(urls, [turn]).value;
  const url = useUrlToFill();
  // clients cannot reach a CA in a browser
  if (!held || mountUrl() === "") return null;
  if (urlKinds.some(([name]) => (held[name] ?? []).length > 0)) return null;
  return (
    <Note tone="warn" icon="warn">
      <b>This mount has no CRL, OCSP or issuer URL</b>
      <p class="small">
        Clients cannot look up whether certificates are revoked. URLs that you set later are
        included only in certificates issued after that, so not in this CA’s certificate.
      </p>
      <LoopbackUrls url={url} />
      <div class="actions from-start">
        <Button tiny lacks={missingPermission(writeUrls)} press={set}>
          Set URLs…
        </Button>
        <FillAddresses url={url} />
      </div>
    </Note>
  );
}
