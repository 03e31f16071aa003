import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Reason } from "../../api/pki.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Button } from "../button.tsx";
import { Digits } from "../digits.tsx";
import { Choice } from "../field.tsx";
import { Confirm } from "../form.tsx";
import { Facts, Ready } from "../page.tsx";
import { notify } from "../notify.tsx";
import * as pki from "../../api/pki.ts";
import { useLoad } from "../../lib/store.ts";
import { date, distance } from "../../lib/format.ts";
import { reasonChoices, publicationText } from "../../lib/revocation-reasons.ts";

/**
 * Shows the certificate and the consequences of its revocation; typing the name enables the button.
 */
export function Revoke({ view, close }: { view: CertificateView; close: () => void }): JSX.Element {
  const { serial, title: name } = view;
  const config = useLoad(pki.crlConfig, []);
  const [reason, setReason] = useState<Reason>("");
  const revoke = async (): Promise<void> => {
    const { data, warnings } = await pki.revoke(serial, reason);
    if (!data) throw new Error(warnings.join(" ") || "Not revoked.");
    pki.announceChange();
    close();
    notify(`Revoked${reason && `: ${reason}`}. ${publicationText(config.value)}`, warnings);
  };
  const openCertificate = (): void => {
    close();
    pki.announceChange();
  };
  return (
    <Confirm
      title="Revoke this certificate?"
      close={close}
      name={name}
      action="Revoke"
      look={<Button press={openCertificate}>Open the certificate</Button>}
      work={revoke}
    >
      <Facts
        rows={[
          ["Serial number", <Digits of={serial} />, true],
          ["Issuer", view.issuerTitle],
          ["Expires", `${date(view.ends)}, ${distance(view.ends, new Date())}`],
        ]}
      />
      {view.authority && (
        <p>Clients that check its revocation then reject every certificate below this CA.</p>
      )}
      <Ready from={config}>
        {(lists) => (
          <p>
            {lists.disable
              ? "CRLs are disabled, so clients cannot learn of it from a CRL."
              : lists.auto_rebuild
                ? "The CRL will include it after the next rebuild."
                : "The CRL includes it at once."}{" "}
            {lists.ocsp_disable === false && "OCSP reports it at once. "}
            Clients that cached an older CRL or OCSP response may accept the certificate until that
            expires. This cannot be undone.
          </p>
        )}
      </Ready>
      <Choice label="Reason" value={reason} change={setReason} options={reasonChoices} />
    </Confirm>
  );
}
