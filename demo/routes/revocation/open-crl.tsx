import type { JSX } from "preact";
import { crlPem, type CrlView } from "../../lib/x509/crl-view.ts";
import { titlesOf } from "../../api/entry-names.ts";
import { kindLabel } from "../../lib/crl-kinds.ts";
import type { IssuerCrl } from "./issuer-crls.ts";
import { Button } from "../../ui/button.tsx";
import { CrlEntries } from "../../ui/crl-details.tsx";
import { Moment } from "../../ui/life-state.tsx";
import { Card, Facts } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { save } from "../../ui/save.ts";
import { distance } from "../../lib/time-text.ts";
import { fileName } from "../../lib/file-name.ts";
import { sizeText } from "../../lib/size-text.ts";
import { titleOf } from "./crl-table.tsx";

interface OpenCrlProps {
  /** The issuer and the kind of the CRL. */
  of: Pick<IssuerCrl, "one" | "kind">;
  crl: CrlView;
}

/** The view of a CRL: its fields, its entries, and a download. */
export function OpenCrl({ of, crl }: OpenCrlProps): JSX.Element {
  return (
    <Card
      title={`CRL of ${of.one.name}${kindLabel(of.kind).replace(/^ /, ": ")}`}
      end={<Downloads of={of} crl={crl} />}
    >
      <Facts
        rows={[
          ["Number", crl.number],
          crl.base !== "" && ["Builds on", `CRL ${crl.base}`],
          ["Signed", <When at={crl.thisUpdate} />],
          ["Next update", crl.nextUpdate ? <When at={crl.nextUpdate} /> : "Not set"],
          ["Entries", numeral(crl.entries.count)],
          ["Size", sizeText(crl.der.length)],
          ["Signature", crl.signature],
        ]}
      />
      <CrlEntries view={crl} titles={titlesOf} />
    </Card>
  );
}

const When = ({ at }: { at: Date }): JSX.Element => (
  <>
    <Moment at={at} />, {distance(at, new Date())}
  </>
);

function Downloads({ of, crl }: OpenCrlProps): JSX.Element {
  const file = fileName(titleOf(of));
  return (
    <>
      <Button
        tiny
        label="Download the CRL as DER"
        icon="down"
        press={() => save(`${file}.crl`, "application/pkix-crl", crl.der)}
      >
        .crl
      </Button>
      <Button
        tiny
        label="Download the CRL as PEM"
        icon="down"
        press={() => save(`${file}.crl.pem`, "application/x-pem-file", `${crlPem(crl)}\n`)}
      >
        .pem
      </Button>
    </>
  );
}
