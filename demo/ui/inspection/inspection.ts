import { row, type Row } from "../../api/inventory.ts";
import { instant } from "../../lib/time-text.ts";
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

/**
 * Adds to the verifications whether this server has revoked the certificates. Asks only about
 * certificates below a root of the server.
 */
async function addRevocations(verifications: Map<object, Verification>): Promise<void> {
  const chained = [...verifications].flatMap(([view, one]) =>
    one.standing === "chain" && "sha256" in view ? [[view as CertificateView, one] as const] : [],
  );
  const stored = new Map<string, Row | undefined>(
    await Promise.all(
      chained.map(async ([view]) => {
        const found = await row(view.serial, new Date()).catch(() => undefined);
        return [view.sha256, found?.view.sha256 === view.sha256 ? found : undefined] as const;
      }),
    ),
  );
  for (const [view, verification] of chained) {
    const own = stored.get(view.sha256);
    let by = own?.revoked ? view : verification.by;
    while (by && !stored.get(by.sha256)?.revoked) by = verifications.get(by)?.by;
    const revoked = by && stored.get(by.sha256)?.revoked;
    verifications.set(
      view,
      by && revoked
        ? {
            ...verification,
            standing: "refused",
            text: by === view ? "Revoked" : "CA revoked",
            why: `This server revoked ${by === view ? "it" : by.title} on ${instant(revoked)}`,
            isRevoked: by === view,
          }
        : { ...verification, why: `${verification.why}. ${own ? "Not revoked" : unchecked}` },
    );
  }
}
const unchecked = "Revocation was not checked";

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
  const verifications = new Map<CertificateView | CrlView | OcspView, Verification>(
    await verifyCertificates(certificates, new Date(), {
      certificates: serverCertificates,
      uncompared,
      crls: crls.map(({ der }) => der),
    }),
  );
  await addRevocations(verifications);
  for (const crl of crls)
    verifications.set(crl, await verifyCrl(crl, [...certificates, ...serverCertificates]));
  for (const one of all)
    if (one.kind === "ocsp") {
      const { verifyOcsp } = await ocsp();
      verifications.set(one.view, await verifyOcsp(one.view, serverCertificates, certificates));
    }
  return { all, verifications };
}
