import { readableRows } from "../../api/inventory.ts";
import { instant } from "../../lib/time-text.ts";
import type { SelectedFile } from "../files.tsx";
import type { CrlView } from "../../lib/x509/crl-view.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { chainOf } from "../../lib/inspection/chain-drawing.ts";
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

/**
 * Returns the verifications of certificates below a root of the server, with the revocation status
 * on this server added. Reads each of these certificates once from the server.
 */
async function withRevocations(
  verifications: ReadonlyMap<CertificateView, Verification>,
): Promise<readonly (readonly [CertificateView, Verification])[]> {
  const chained = [...verifications].filter(([, { standing }]) => standing === "chain");
  const serials = new Set(chained.map(([{ serial }]) => serial));
  const stored = new Map(
    (await readableRows([...serials], new Date())).map((row) => [row.view.sha256, row]),
  );
  const revocationOf = (view: CertificateView): Date | undefined =>
    stored.get(view.sha256)?.revoked;
  return chained.map(([view, verification]) => {
    const by = chainOf(view, verifications).findLast((link) => revocationOf(link.view))?.view;
    const revoked = by && revocationOf(by);
    if (!by || !revoked) {
      const text = stored.has(view.sha256) ? "Not revoked" : "Revocation was not checked";
      return [view, { ...verification, why: `${verification.why}. ${text}` }];
    }
    const isRevoked = by === view;
    return [
      view,
      {
        ...verification,
        standing: "refused",
        text: isRevoked ? "Revoked" : "CA revoked",
        why: `This server revoked ${isRevoked ? "it" : by.title} on ${instant(revoked)}`,
        isRevoked,
      },
    ];
  });
}

/**
 * Decodes and verifies files. `uncompared` states why the certificates of the server are not known;
 * empty if they are.
 */
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
  const verified = await verifyCertificates(certificates, new Date(), {
    certificates: serverCertificates,
    uncompared,
    crls: crls.map(({ der }) => der),
  });
  const verifications = new Map<CertificateView | CrlView | OcspView, Verification>([
    ...verified,
    ...(await withRevocations(verified)),
  ]);
  for (const crl of crls)
    verifications.set(crl, await verifyCrl(crl, [...certificates, ...serverCertificates]));
  for (const one of all)
    if (one.kind === "ocsp") {
      const { verifyOcsp } = await ocsp();
      verifications.set(one.view, await verifyOcsp(one.view, serverCertificates, certificates));
    }
  return { all, verifications };
}
