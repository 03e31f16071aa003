import type { JSX } from "preact";
import { maySignAuthorities } from "../../api/path-length.ts";
import { generateIntermediate, signIntermediate } from "../../api/endpoints/pki.ts";
import type { Authority } from "../../api/issuer.ts";
import { useMissingPermission } from "../../api/permissions.ts";
import { Button } from "../button.tsx";
import { Note } from "../page.tsx";

/** Reports whether all CAs of the mount are roots and at least one may sign other CAs. */
const lacksIssuingCa = (all: readonly Authority[]): boolean =>
  all.some(maySignAuthorities) && all.every(({ view }) => view.selfIssued);

/** The step after the first root: creating a CA below it. */
export function CreateIssuingCa({
  all,
  create,
}: {
  all: readonly Authority[];
  create: () => void;
}): JSX.Element | null {
  const lacksSign = useMissingPermission(signIntermediate, { issuer_ref: "any-issuer" });
  const lacksGenerate = useMissingPermission(generateIntermediate, { exported: "internal" });
  if (lacksSign || lacksGenerate || !lacksIssuingCa(all)) return null;
  return (
    <Note>
      <b>Next: an issuing CA below the root</b>
      <p class="small">
        The issuing CA signs certificates, so the key of the root is rarely used and can be kept
        offline. A lost or stolen key of the issuing CA can be replaced without a new root in the
        clients.
      </p>
      <div class="actions from-start">
        <Button tiny press={create}>
          Create an issuing CA…
        </Button>
      </div>
    </Note>
  );
}
