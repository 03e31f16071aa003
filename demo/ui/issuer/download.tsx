import type { JSX } from "preact";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { save } from "../save.ts";
import { isForServer } from "../../lib/serving-host.ts";
import { fileName } from "../../lib/file-name.ts";

const pemType = "application/pem-certificate-chain";
const pemOf = (views: readonly CertificateView[]): string =>
  views.map(({ pem }) => `${pem}\n`).join("");

type Offer = readonly [title: string, about: string, ending: string, give: () => void];

/** Returns the downloads for a certificate: PEM, DER, the chain for a TLS server, and the root. */
function offers(
  view: CertificateView,
  issuers: readonly CertificateView[],
  file: string,
): readonly Offer[] {
  const chain = [view, ...issuers.filter((one) => !one.selfIssued)];
  const served: Offer = [
    "Certificate and issuer",
    isForServer(view)
      ? "PEM, for nginx, HAProxy and most servers"
      : "PEM, for clients that verify the chain",
    ".chain.pem",
    () => save(`${file}.chain.pem`, pemType, pemOf(chain)),
  ];
  const alone = view.authority ? "Certificate" : "Certificate only";
  return [
    ...(view.authority ? [] : [served]),
    [alone, "PEM", ".pem", () => save(`${file}.pem`, pemType, pemOf([view]))],
    [
      alone,
      "DER, for Windows and Java",
      ".cer",
      () => save(`${file}.cer`, "application/pkix-cert", view.der),
    ],
    ...(issuers.length > 0 ? [together(view, issuers, file)] : []),
    ...issuers
      .filter((one) => one.selfIssued)
      .map((root): Offer => [
        "Root",
        "PEM, for trust stores",
        ".pem",
        () => save(`${fileName(root.title)}.pem`, pemType, pemOf([root])),
      ]),
  ];
}

const together = (...[view, issuers, file]: Parameters<typeof offers>): Offer => [
  "Certificate and all issuers",
  "PKCS#7, for Windows",
  ".p7b",
  () => void certsOnly([view, ...issuers], file),
];

async function certsOnly(views: readonly CertificateView[], file: string): Promise<void> {
  const { makeArchive } = await import("../../lib/x509/archives.ts");
  const parts = { certificates: views.map(({ pem }) => pem), key: "" };
  save(`${file}.p7b`, "application/pkcs7-mime", await makeArchive("pkcs7", parts, ""));
}

/**
 * The dialog with downloads of a certificate and its issuers, in the formats that servers and users
 * need.
 */
export function Download({
  view,
  issuers,
  file = fileName(view.title),
  close,
}: {
  view: CertificateView;
  issuers: readonly CertificateView[];
  /** The name of the files of the certificate, without an extension. */
  file?: string;
  close: () => void;
}): JSX.Element {
  return (
    <Dialog title="Download" close={close}>
      <ul class="list">
        {offers(view, issuers, file).map(([title, about, ending, save]) => (
          <li key={title + ending}>
            <div>
              <b>{title}</b>
              <p class="small muted">{about}</p>
            </div>
            <Button tiny label={`${title} as ${ending}`} press={save}>
              {ending}
            </Button>
          </li>
        ))}
      </ul>
      {!view.authority && <p class="small muted">The private key is not stored here.</p>}
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
