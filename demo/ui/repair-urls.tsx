import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { hasOwnUrls } from "../api/certificate-urls.ts";
import { patchIssuer, writeUrls } from "../api/endpoints/pki.ts";
import { missingPermission } from "../api/permissions.ts";
import { changes } from "../lib/changes.ts";
import { issuer } from "../api/issuers.ts";
import { address } from "../lib/route.ts";
import { useLoad } from "../lib/use-load.ts";
import { useStore } from "../lib/store.ts";
import { Button, ButtonLink } from "./button.tsx";
import { FillAddresses, LoopbackUrls, useUrlToFill } from "./fill-urls.tsx";
import { SetAddresses } from "./url-settings.tsx";

/** Buttons that set the URLs in certificates issued by the mount. */
export function RepairUrls(): JSX.Element {
  const [editing, edit] = useState(false);
  const url = useUrlToFill();
  return (
    <>
      <LoopbackUrls url={url} />
      <div class="actions from-start">
        <Button tiny lacks={missingPermission(writeUrls)} press={() => edit(true)}>
          Set URLs…
        </Button>
        <FillAddresses url={url} />
      </div>
      {editing && <SetAddresses close={() => edit(false)} />}
    </>
  );
}

/**
 * Buttons that set the URLs in certificates issued by a CA (ID or name of the issuer). They set the
 * URLs of the mount, unless the issuer has its own.
 */
export function RepairUrlsOf({ issuer: ref }: { issuer: string }): JSX.Element | null {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => issuer(ref), [ref, turn]);
  if (!result.value && !result.error) return null;
  // if the issuer cannot be read, assume that it uses the URLs of the mount
  if (!result.value || !hasOwnUrls(result.value)) return <RepairUrls />;
  const { issuer_id: id, issuer_name: name } = result.value;
  return (
    <>
      <p class="small">The issuer {name} has its own URLs, so the mount’s URLs do not apply.</p>
      <div class="actions from-start">
        <ButtonLink
          tiny
          lacks={missingPermission(patchIssuer, { issuer_ref: id })}
          to={address("authorities", id, { action: "edit" })}
        >
          Change the URLs of {name || "the issuer"}…
        </ButtonLink>
      </div>
    </>
  );
}
