import type { SelectedFile } from "../files.tsx";
import type { CrlView } from "../../lib/x509/crl-view.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { examine, type Finding } from "../../lib/inspection/examine.ts";
import type { Verification } from "../../lib/inspection/verify-node.ts";
import { verifyCertificates } from "../../lib/inspection/verify-certificate.ts";
import type { OcspView } from "../../lib/x509/ocsp-view.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { verifyCrl } from "../../lib/inspection/verify-crl.ts";

/** The findings in the input, with the verifications of certificates, CRLs and OCSP responses. */
export interface Inspection {
  readonly all: readonly Finding[];
  readonly verifications: ReadonlyMap<CertificateView | CrlView | OcspView, Verification>;
}

export { verifyCertificates } from "../../lib/inspection/verify-certificate.ts";

const ocsp = lazyLoad(() => import("../../lib/inspection/ocsp-parts.ts"));

export async function inspectFiles(
  files: readonly SelectedFile[],
  serverCertificates: readonly CertificateView[],
  passwords: readonly string[],
  uncompared: string,
): Promise<Inspection> {
  const all = (
    await Promise.all(files.map(({ name, bytes }) => examine(name, bytes, passwords)))
  ).flat();
  const certificates = all.flatMap((one) => (one.kind === "certificate" ? [one.view] : []));
  const crls = all.flatMap((one) => (one.kind === "crl" ? [one.view] : []));
  const verifications = new Map<CertificateView | CrlView | OcspView, Verification>(
    await verifyCertificates(certificates, new Date(), {
      certificates: serverCertificates,
      uncompared,
      crls: crls.map(({ der }) => der),
    }),
  );
  for (const crl of crls)
    verifications.set(crl, await verifyCrl(crl, [...certificates, ...serverCertificates]));
  for (const one of all)
    if (one.kind === "ocsp") {
      const { verifyOcsp } = await ocsp();
      verifications.set(one.view, await verifyOcsp(one.view, serverCertificates, certificates));
    }
  return { all, verifications };
}
