import type { JSX } from "preact";
import type { Verification } from "../lib/inspection/verify-node.ts";
import { Note } from "./page.tsx";

/**
 * A note that states why a signature is not trusted. Renders nothing if the signature is trusted or
 * was not verified.
 */
export const SignatureRefused = ({
  verification,
}: {
  verification: Verification | undefined;
}): JSX.Element | null =>
  verification?.standing === "refused" ? (
    <div class="pad">
      <Note tone="danger" icon="x">
        <b>{verification.text}</b>
        <p>{verification.why}.</p>
      </Note>
    </div>
  ) : null;
