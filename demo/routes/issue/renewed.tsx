import type { JSX } from "preact";
import { row } from "../../api/inventory.ts";
import { date } from "../../lib/time-text.ts";
import { groups } from "../../lib/hex-text.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Note } from "../../ui/page.tsx";

/** The notice that the form renews a certificate, and that the old certificate stays valid. */
export function Renewed({
  serial,
  maySign,
}: {
  serial: string;
  /** Whether the token may sign CSRs. With a CSR, the renewal can keep the key. */
  maySign: boolean;
}): JSX.Element {
  const old = useLoad(() => row(serial, new Date()), [serial]).value;
  return (
    <div class="before-form">
      <Note>
        This renews the certificate{" "}
        <a href={address("certificates", serial)}>{groups(serial.slice(0, 16))}…</a>
        {old && `, which expires ${date(old.view.ends)}`}. The old certificate stays valid until it
        expires or is revoked. The new certificate has a new key
        {maySign && "; start from a CSR to keep the key"}.
      </Note>
    </div>
  );
}
