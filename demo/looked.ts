import type { Given } from "./parts/files.tsx";
import type { CrlView } from "./crlview.ts";
import type { CertificateView } from "./decode.ts";
import { examine, type Finding } from "./examine.ts";
import type { Vouched } from "./vouchnode.ts";
import { vouch } from "./vouch.ts";
import type { OcspView } from "./ocspview.ts";
import { later } from "./later.ts";
import { namesRefused } from "./vouchnames.ts";
import { revokedOn, vouchForCrl } from "./vouchcrl.ts";

/**
 * What was found, and what the signatures of certificates and lists are worth beside each other.
 */
export interface Looked {
  readonly all: readonly Finding[];
  readonly vouched: ReadonlyMap<CertificateView | CrlView | OcspView, Vouched>;
}

export { vouch } from "./vouch.ts";

const ocsp = later(() => import("./ocspparts.ts"));

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
