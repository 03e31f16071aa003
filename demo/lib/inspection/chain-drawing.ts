import type { CertificateView } from "../x509/decode.ts";
import type { Verification } from "./verify-node.ts";

/**
 * The state of a certificate's signature, which should verify with the key of the certificate above
 * it.
 */
export type LinkState = "verified" | "broken" | "unknown" | "own";
/** A certificate in a chain. */
interface ChainLink {
  readonly view: CertificateView;
  readonly state: LinkState;
  /** A sentence that explains the state. */
  readonly why: string;
}

type Verifications = ReadonlyMap<object, Verification>;

/** Finds the certificate that a certificate names as its issuer. */
const claimed = (view: CertificateView, all: readonly CertificateView[]) =>
  view.selfIssued
    ? undefined
    : all.find(
        (other) =>
          other.subject === view.issuer &&
          (view.authorityKeyId === "" ||
            other.subjectKeyId === "" ||
            other.subjectKeyId === view.authorityKeyId),
      );

function linkOf(
  view: CertificateView,
  above: CertificateView | undefined,
  verifications: Verifications,
): ChainLink {
  const verification = verifications.get(view);
  if (verification?.by)
    return {
      view,
      state: "verified",
      why: `Signature verified with the key of ${verification.by.title}`,
    };
  if (view.selfIssued)
    return verification?.standing === "self"
      ? { view, state: "own", why: "Self-signed; the signature is valid" }
      : { view, state: "broken", why: verification?.text ?? "Not verified" };
  if (above && verification?.standing === "refused")
    return { view, state: "broken", why: verification.text };
  return {
    view,
    state: "unknown",
    why: "The issuer is not available, so the signature was not verified",
  };
}

/**
 * Returns the chain of a certificate from the root down, with the verification of each signature.
 * If a signature does not verify, the chain continues with the certificate that has the issuer's
 * name.
 */
export function chainOf(view: CertificateView, verifications: Verifications): readonly ChainLink[] {
  // the keys of the map are views of certificates, CRLs and OCSP responses
  const all = [...verifications.keys()].filter((one): one is CertificateView => "keyPrint" in one);
  const chain: ChainLink[] = [];
  for (let at: CertificateView | undefined = view; at && chain.length < 32;) {
    const above: CertificateView | undefined = verifications.get(at)?.by ?? claimed(at, all);
    chain.push(linkOf(at, above, verifications));
    const met = chain.some((one) => one.view === above);
    at = met ? undefined : above;
  }
  return chain.toReversed();
}

/** The order of certificates that form a single chain. */
interface ChainOrder {
  readonly count: number;
  readonly leaf: string;
  /**
   * Whether each certificate is directly after the one that it signed, as a TLS server must send
   * them.
   */
  readonly isServable: boolean;
  /** Whether the chain ends with a root, which a server should not send. */
  readonly hasRoot: boolean;
}

/** Returns the order of certificates that form a single chain, or undefined if they form none. */
export function chainOrder(
  given: readonly CertificateView[],
  verifications: Verifications,
): ChainOrder | undefined {
  if (given.length < 2) return undefined;
  const served = given
    .map((view) =>
      chainOf(view, verifications)
        .map((link) => link.view)
        .filter((view) => given.includes(view))
        .toReversed(),
    )
    .find((chain) => chain.length === given.length);
  const leaf = served?.[0];
  if (!served || !leaf) return undefined;
  return {
    count: given.length,
    leaf: leaf.title,
    isServable: served.every((view, i) => view === given[i]),
    hasRoot: served.at(-1)?.selfIssued === true,
  };
}
