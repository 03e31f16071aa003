import { toHex, type Bytes } from "../../../src/base/bytes.ts";
import { readDer } from "../../../src/base/der.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { algorithmName } from "../../../src/x509/public-key.ts";
import { parseCrl, type Crl } from "../../../src/x509/crl.ts";
import type { Extension } from "../../../src/x509/extension.ts";
import { nameText } from "../../../src/x509/name.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readEntries, type CrlEntries } from "./crl-entries.ts";
import { bytesOf, moment, orElse } from "./decode.ts";
import { signatureName } from "./signature-name.ts";
import { visible } from "../visible-text.ts";

/** A CRL for display. */
export interface CrlView {
  readonly der: Bytes;
  readonly issuer: string;
  readonly number: string;
  /** Number of the base CRL of a delta CRL; empty for other CRLs. */
  readonly base: string;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | undefined;
  readonly entries: CrlEntries;
  readonly signature: string;
  readonly extensions: readonly Extension[];
}

/** Encodes a CRL as PEM. */
export const crlPem = ({ der }: CrlView): string => encodePem("X509 CRL", der);

/** Returns the number in an extension, or `none` if the extension is absent. */
function numberIn({ extensions }: Crl, oid: string, none: string): string {
  const extension = extensions.find((one) => one.oid === oid);
  if (!extension) return none;
  return orElse("unreadable", () =>
    BigInt(
      `0x${toHex(readDer(extension.value, "CRL number").unsigned("the number")) || "0"}`,
    ).toString(),
  );
}

/** Parses a CRL from PEM text or DER. */
export async function readCrl(input: string | Uint8Array): Promise<CrlView> {
  const der = bytesOf(input, ["X509 CRL", "CRL"]);
  const crl = parseCrl(der);
  return {
    der,
    issuer: visible(nameText(crl.issuer)),
    number: numberIn(crl, extensionOid.crlNumber, "None"),
    base: numberIn(crl, extensionOid.deltaCrlIndicator, ""),
    thisUpdate: moment(crl.thisUpdate),
    nextUpdate: crl.nextUpdate === undefined ? undefined : moment(crl.nextUpdate),
    entries: await readEntries(crl),
    signature: signatureName(algorithmName(crl.algorithm)),
    extensions: crl.extensions.filter(({ oid }) => oid !== extensionOid.crlNumber),
  };
}
