import type { JSX } from "preact";
import type { Verification } from "../lib/inspection/verify-node.ts";
import { Note } from "./page.tsx";

/** Why a signature is not trusted; empty if it is, or was not verified. */
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
