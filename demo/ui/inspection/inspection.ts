import type { Given } from "../files.tsx";
import type { CrlView } from "../../lib/x509/crl-view.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { examine, type Finding } from "../../lib/inspection/examine.ts";
import type { Vouched } from "../../lib/inspection/verify-node.ts";
import { vouch } from "../../lib/inspection/verify-certificate.ts";
import type { OcspView } from "../../lib/x509/ocsp-view.ts";
import { later } from "../../lib/lazy-load.ts";
import { namesRefused } from "../../lib/inspection/verify-names.ts";
import { revokedOn, vouchForCrl } from "../../lib/inspection/verify-crl.ts";

/**
 * What was found, and what the signatures of certificates and lists are worth beside each other.
 */
export interface Looked {
  readonly all: readonly Finding[];
  readonly vouched: ReadonlyMap<CertificateView | CrlView | OcspView, Vouched>;
}

export { vouch } from "../../lib/inspection/verify-certificate.ts";

const ocsp = later(() => import("../../lib/inspection/ocsp-parts.ts"));

export const nothing: Looked = { all: [], vouched: new Map() };

export async function lookAt(
  given: readonly Given[],
  known: readonly CertificateView[],
): Promise<Looked> {
  const all = (await Promise.all(given.map(({ name, bytes }) => examine(name, bytes)))).flat();
  const certificates = all.flatMap((one) => (one.kind === "certificate" ? [one.view] : []));
  const crls = all.flatMap((one) => (one.kind === "crl" ? [one.view] : []));
  const vouched = new Map<CertificateView | CrlView | OcspView, Vouched>(
    await vouch(certificates, new Date(), {
      revoke: revokedOn(crls),
      known,
      constraints: namesRefused,
    }),
  );
  for (const crl of crls) vouched.set(crl, await vouchForCrl(crl, [...certificates, ...known]));
  for (const one of all)
    if (one.kind === "ocsp") {
      const { vouchForOcsp } = await ocsp();
      vouched.set(one.view, await vouchForOcsp(one.view, known, certificates));
    }
  return { all, vouched };
}
