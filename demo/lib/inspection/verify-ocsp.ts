import { equalBytes } from "../../../src/base/bytes.ts";
import { findExtension } from "../../../src/x509/certificate.ts";
import { issuerHashes } from "../../../src/x509/ocsp-request.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { extKeyUsageName, readExtKeyUsage } from "../../../src/x509/usage.ts";
import type { CertificateView } from "../x509/decode.ts";
import { namesIssuer, type OcspView } from "../x509/ocsp-view.ts";
import {
  nodeOf,
  orElse,
  refusedVerification,
  unknownVerification,
  type Node,
  type Verification,
} from "./verify-node.ts";
import { beforeKeys, sameName, signersOf } from "./verify-signature.ts";

/**
 * Reports whether the name or the key of a certificate matches the ResponderID of a response (RFC
 * 6960).
 */
async function isResponder({ certificate }: Node, { signed }: OcspView): Promise<boolean> {
  const { responder } = signed;
  if ("name" in responder) return sameName(certificate.subject, responder.name);
  const { keyHash } = await issuerHashes("SHA-1", certificate);
  return equalBytes(keyHash, responder.keyHash);
}

/** Returns the given CAs that the CertIDs in a response name as the issuer. */
async function queriedIssuers(view: OcspView, nodes: readonly Node[]): Promise<readonly Node[]> {
  const named = await Promise.all(
    nodes.map(async (node) =>
      (
        await Promise.all(
          view.answers.map(({ certId }) =>
            namesIssuer(certId, node.certificate).catch(() => false),
          ),
        )
      ).every(Boolean),
    ),
  );
  return nodes.filter((_, i) => named[i]);
}

const maySignAnswers = ({ certificate }: Node): boolean =>
  orElse(false, () => {
    const usage = findExtension(certificate, extensionOid.extKeyUsage);
    return (
      usage !== undefined &&
      readExtKeyUsage(usage.value).some((oid) => extKeyUsageName(oid) === "OCSPSigning")
    );
  });

const inDate = ({ view }: Node, at: Date): boolean => view.begins <= at && view.ends >= at;

/**
 * Returns the verification of a response that was signed by a delegated responder. The response
 * contains the responder's certificate.
 */
async function byDelegate(
  view: OcspView,
  signer: Node,
  issuers: readonly Node[],
): Promise<Verification> {
  const { title } = signer.view;
  if (issuers.length === 0 && (await queriedIssuers(view, [signer])).length > 0)
    return unknownVerification(
      `Not verified: ${title}, the certificate’s issuer, was sent with the response and is not known here`,
    );
  if (!maySignAnswers(signer))
    return refusedVerification(
      "Signer is not an authorized responder",
      `${title} is not an OCSP responder`,
    );
  const above = await signersOf(
    signer.certificate,
    issuers.filter((one) => sameName(one.certificate.subject, signer.certificate.issuer)),
    signer.view.authorityKeyId,
  );
  if (!("length" in above)) return { ...above, why: `Responder ${title}: ${above.why}` };
  if (!inDate(signer, view.producedAt))
    return refusedVerification(
      "The responder’s certificate had expired or was not yet valid",
      `${title} was not valid when it signed`,
    );
  return {
    standing: above.some(({ isFromServer }) => isFromServer) ? "chain" : "signature",
    text: "Signature verified",
    why: `Signed by ${title}, a responder authorized by ${above[0]?.view.title ?? ""}`,
  };
}

/** Verifies the signature of an OCSP response with known CAs and the certificates in the input. */
export async function verifyOcsp(
  view: OcspView,
  certificates: readonly CertificateView[],
  others: readonly CertificateView[] = [],
): Promise<Verification> {
  const { signed } = view;
  const early = beforeKeys({ ...signed, issuer: signed.tbs });
  if (early) return early;
  const nodes = [
    ...certificates.map((one) => nodeOf(one, true)),
    ...others.map((one) => nodeOf(one)),
  ];
  const issuers = await queriedIssuers(view, nodes);
  const included = view.certificates.map((one) => nodeOf(one));
  const responders = await Promise.all(
    [...nodes, ...included].map((node) => isResponder(node, view)),
  );
  const named = [...nodes, ...included].filter((_, i) => responders[i]);
  if (named.length === 0)
    return unknownVerification("Not verified: no certificate of the responder was found");
  const signers = await signersOf({ ...signed, issuer: signed.tbs }, named, "");
  if (!("length" in signers))
    return signers.standing === "refused"
      ? {
          ...signers,
          why: `The signature does not verify with the key of ${named[0]?.view.title ?? ""}`,
        }
      : signers;
  const own = signers.find((one) => issuers.includes(one));
  if (own)
    return {
      standing: signers.some((one) => one.isFromServer && issuers.includes(one))
        ? "chain"
        : "signature",
      text: "Signature verified",
      why: `Signed by ${own.view.title}, the issuer itself`,
    };
  const other = signers.find((one) => nodes.includes(one));
  const delegate = signers.find((one) => included.includes(one));
  if (delegate && !other) return byDelegate(view, delegate, issuers);
  return {
    standing: "signature",
    text: "Signature verified",
    why: `Signed by ${other?.view.title ?? ""}, which is not the issuer in the request`,
  };
}
