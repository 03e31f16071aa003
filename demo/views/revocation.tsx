import type { JSX } from "preact";
import { Head } from "../parts/page.tsx";
import { Lists } from "./lists.tsx";

/** The lists of every issuer, and how revocation is told. */
export function Revocation(): JSX.Element {
  return (
    <>
      <Head
        title="Revocation"
        about="A CRL lists what an issuer has revoked. Clients trust it until its next update."
      />
      <div class="stack">
        <Lists />
      </div>
    </>
  );
}
