import { parseCrl } from "../../../src/x509/crl.ts";
import type { CrlView } from "../x509/crl-view.ts";
import type { CertificateView } from "../x509/decode.ts";
import { beforeKeys, sameName, signersOf } from "./verify-signature.ts";
import { maySign } from "./verify-chain.ts";
import { nodeOf, refusedVerification, type Node, type Verification } from "./verify-node.ts";
import { date } from "../format.ts";

/** Returns the certificates whose key verifies the signature of a CRL and that may sign it. */
async function crlSigners(view: CrlView, nodes: readonly Node[]): Promise<readonly Node[]> {
  const crl = parseCrl(view.der);
  if (beforeKeys(crl)) return [];
  const named = nodes.filter((node) => sameName(node.certificate.subject, crl.issuer));
  const found = await signersOf(crl, named, "");
  return "length" in found
    ? found.filter(({ certificate }) => maySign(certificate, "CRLSign"))
    : [];
}

/**
 * Marks the certificates in a CRL as revoked, if the CA whose key verifies the CRL also signed
 * them. An outdated CRL still proves its revocations.
 */
async function revokeBy(view: CrlView, nodes: readonly Node[]): Promise<void> {
  const signers = await crlSigners(view, nodes);
  if (signers.length === 0) return;
  const keys = new Set(signers.map((signer) => signer.view.keyPrint));
  for (const node of nodes) {
    const entry = view.entries.find(node.view.serial);
    const makers = node.vouched?.standing === "self" ? [node] : node.signers;
    if (
      !entry ||
      entry.reason === "removeFromCRL" ||
      !makers.some((maker) => keys.has(maker.view.keyPrint))
    )
      continue;
    const why = `The CRL of ${signers[0]?.view.title ?? ""} lists it since ${date(entry.time)}${entry.reason && `: ${entry.reason}`}`;
    Object.assign(node, { signers: [], vouched: refusedVerification("Revoked", why) });
  }
}

/** Returns a function that marks certificates as revoked by the CRLs verified with them. */
export const revokedOn =
  (crls: readonly CrlView[]) =>
  async (nodes: readonly Node[]): Promise<void> => {
    for (const crl of crls) await revokeBy(crl, nodes);
  };

/** Verifies the signature of a CRL against the given certificates. */
export async function verifyCrl(
  view: CrlView,
  among: readonly CertificateView[],
): Promise<Verification> {
  const crl = parseCrl(view.der);
  const early = beforeKeys(crl);
  if (early) return early;
  const named = among
    .map((one) => nodeOf(one))
    .filter((node) => sameName(node.certificate.subject, crl.issuer));
  const found = await signersOf(crl, named, "");
  if (!("length" in found)) return found;
  const title = found[0]?.view.title ?? "";
  if (!found.some(({ certificate }) => maySign(certificate, "CRLSign")))
    return refusedVerification(
      "Its issuer may not sign CRLs",
      `${title} signed it but may not sign CRLs`,
    );
  return { standing: "signature", text: "Signature verified", why: `Made by ${title}` };
}
