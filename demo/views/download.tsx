import type { JSX } from "preact";
import type { CertificateView } from "../decode.ts";
import { Button, save } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { toast } from "../parts/toast.tsx";
import { fileName } from "../words.ts";

const pemType = "application/pem-certificate-chain";

/** Certificate and issuers as the files that servers and people want. */
export function Download({ view, issuers, close }: { view: CertificateView; issuers: readonly CertificateView[]; close: () => void }): JSX.Element {
  const file = fileName(view.title);
  const chain = [view, ...issuers.filter((one) => !one.selfIssued)].map(({ pem }) => `${pem}\n`).join("");
  const root = issuers.find((one) => one.selfIssued);
  const give = (name: string, type: string, content: BlobPart): void => {
    save(name, type, content);
    toast(`Saved ${name}`);
  };
  return (
    <Dialog title="Download" close={close}>
      <ul class="list">
        <li>
          <div>
            <b>Certificate and issuer</b>
            <p class="small muted">PEM, what nginx, HAProxy and most servers want</p>
          </div>
          <Button tiny label="Certificate and issuer as .chain.pem" press={() => give(`${file}.chain.pem`, pemType, chain)}>
            .chain.pem
          </Button>
        </li>
        <li>
          <div>
            <b>Certificate only</b>
            <p class="small muted">PEM</p>
          </div>
          <Button tiny label="Certificate only as .pem" press={() => give(`${file}.pem`, pemType, `${view.pem}\n`)}>
            .pem
          </Button>
        </li>
        <li>
          <div>
            <b>Certificate only</b>
            <p class="small muted">DER, for Windows and Java</p>
          </div>
          <Button tiny label="Certificate only as .cer" press={() => give(`${file}.cer`, "application/pkix-cert", view.der)}>
            .cer
          </Button>
        </li>
        {root && (
          <li>
            <div>
              <b>Root</b>
              <p class="small muted">PEM, for whoever shall trust it</p>
            </div>
            <Button tiny label="Root as .pem" press={() => give(`${fileName(root.title)}.pem`, pemType, `${root.pem}\n`)}>
              .pem
            </Button>
          </li>
        )}
      </ul>
      <p class="small muted">The private key is not here: only whoever made or saved it has it.</p>
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}
