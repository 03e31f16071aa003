import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CrlConfig } from "../../lib/crl-config.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Button } from "../button.tsx";
import { Digits } from "../digits.tsx";
import { Choice } from "../field.tsx";
import { DropLines } from "../files.tsx";
import { Confirm } from "../form.tsx";
import { Facts, Ready } from "../page.tsx";
import { notify } from "../notify.tsx";
import { readableCrlConfig } from "../../api/crls.ts";
import * as certificateCalls from "../../api/certificates.ts";
import { announceChange } from "../../lib/changes.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { useLoad } from "../../lib/use-load.ts";
import { date, distance, instant } from "../../lib/time-text.ts";
import {
  reasonChoices,
  reasonWords,
  revocationText,
  type Reason,
} from "../../lib/revocation-reasons.ts";
import { route } from "../../lib/route.ts";

/** Returns the revocation reason in the page's URL, if any. */
function requestedReason(): Reason | undefined {
  const wanted = route.get().query.get("reason");
  return reasonChoices.find(([value]) => value === wanted)?.[0];
}

/** Maximum expected difference between the clocks of the browser and the server, milliseconds. */
const maxClockSkew = 300_000;

/**
 * Returns the private key of a PEM text that contains exactly one, such as a file with a key and a
 * certificate chain. The server accepts no other blocks. Returns any other text unchanged.
 */
function onlyKey(text: string): string {
  const [key = text, ...others] =
    text.match(/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^]*?-----END \1-----/g) ?? [];
  return others.length > 0 ? text : key;
}

const inspection = lazyLoad(() => import("../inspection/inspection.ts"));

/** Throws if a private key (PEM) is missing or is not that of the certificate. */
async function checkKey(key: string, { keyPrint }: CertificateView): Promise<void> {
  if (key.trim() === "") throw new Error("Paste the private key of the certificate.");
  const { inspectFiles } = await inspection();
  const { all } = await inspectFiles(
    [{ name: "", bytes: new TextEncoder().encode(key) }],
    [],
    [],
    "",
  );
  const prints = all.flatMap((one) => (one.kind === "key" && one.keyPrint ? [one.keyPrint] : []));
  if (prints.length > 0 && !prints.includes(keyPrint))
    throw new Error("The private key does not match the certificate. It was not sent.");
}

/** Returns sentences that state when and how clients learn of the revocation. */
const consequence = (lists: CrlConfig | null): string =>
  [
    lists?.disable
      ? "CRLs are disabled, so clients cannot learn of the revocation from a CRL."
      : lists === null
        ? "Clients learn of the revocation from the CRL or through OCSP."
        : lists.auto_rebuild
          ? "The CRL will list the certificate after its next rebuild."
          : "The CRL lists the certificate immediately.",
    lists?.ocsp_disable === false && "OCSP reports the revocation immediately.",
    "Clients that cached an older CRL or OCSP response may accept the certificate until the cached copy expires. This cannot be undone.",
  ]
    .filter(Boolean)
    .join(" ");

/**
 * The dialog that revokes a certificate after the user has typed its name. `privateKey` is the
 * private key (PEM), which is sent as proof of possession. If `withKey` is set, the dialog asks for
 * the private key, because the token may not revoke without it. If `isRenewed` is set, a later
 * certificate replaces this one, and the default reason is `superseded`.
 */
export function Revoke({
  view,
  privateKey = "",
  withKey = privateKey !== "",
  isRenewed = false,
  close,
}: {
  view: CertificateView;
  withKey?: boolean;
  privateKey?: string;
  isRenewed?: boolean;
  close: () => void;
}): JSX.Element {
  const { serial, title: name } = view;
  const config = useLoad(readableCrlConfig, []);
  const [opened] = useState(Date.now);
  const [chosen, setReason] = useState<Reason | undefined>(requestedReason);
  const reason = chosen ?? (isRenewed ? "superseded" : "");
  const [key, setKey] = useState(privateKey);
  const revoke = async (): Promise<void> => {
    if (withKey) await checkKey(onlyKey(key), view);
    const lists = config.value === undefined ? readableCrlConfig() : config.value;
    const { data, warnings } = await (withKey
      ? certificateCalls.revokeWithKey(serial, onlyKey(key), reason)
      : certificateCalls.revoke(serial, reason));
    if (!data) throw new Error(warnings.join(" ") || "Not revoked.");
    const known = await lists;
    announceChange();
    close();
    const since = (data.revocation_time ?? Infinity) * 1000;
    if (since < opened - maxClockSkew)
      return notify(
        `Was already revoked on ${instant(new Date(since))}. Nothing changed.`,
        warnings,
      );
    const result = `Revoked${reason && `: ${reasonWords(reason)}`}`;
    notify(revocationText(result, known), warnings);
  };
  const openCertificate = (): void => {
    close();
    announceChange();
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
      <div class="card">
        <Facts
          rows={[
            ["Serial number", <Digits of={serial} />, true],
            ["Issuer", view.issuerTitle],
            ["Expires", `${date(view.ends)}, ${distance(view.ends, new Date())}`],
          ]}
        />
      </div>
      {view.authority && (
        <p>Clients that check revocation then reject every certificate below this CA.</p>
      )}
      <Ready from={config}>{(lists) => <p>{consequence(lists)}</p>}</Ready>
      {privateKey !== "" && (
        <p>
          The private key on this page is sent as proof of possession. The server does not store it.
        </p>
      )}
      {withKey && privateKey === "" && (
        <DropLines
          label="Private key of the certificate"
          value={key}
          rows={4}
          placeholder="-----BEGIN PRIVATE KEY-----"
          change={setKey}
          onFiles={([file]) => file && setKey(new TextDecoder().decode(file.bytes))}
          hint="Unencrypted PEM, which may also contain certificates. The key proves that the certificate is yours. The server does not store the key."
          mono
        />
      )}
      <Choice label="Reason" value={reason} change={setReason} options={reasonChoices} />
    </Confirm>
  );
}
