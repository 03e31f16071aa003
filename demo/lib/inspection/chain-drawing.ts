import type { CertificateView } from "../x509/decode.ts";
import type { Verification } from "./verify-node.ts";

/** The state of the signature of a certificate by the one above it. */
export type LinkState = "verified" | "broken" | "unknown" | "own";
/** One certificate of a chain. */
interface ChainLink {
  readonly view: CertificateView;
  readonly held: LinkState;
  /** In words. */
  readonly why: string;
}

type Verifications = ReadonlyMap<object, Verification>;

/** The certificate that one names as its issuer, among those that are there. */
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

function drawn(
  view: CertificateView,
  above: CertificateView | undefined,
  told: Verifications,
): ChainLink {
  const vouched = told.get(view);
  if (vouched?.by)
    return {
      view,
      held: "verified",
      why: `Signature verified with the key of ${vouched.by.title}`,
    };
  if (view.selfIssued)
    return vouched?.standing === "self"
      ? { view, held: "own", why: "Self-signed; the signature is valid" }
      : { view, held: "broken", why: vouched?.text ?? "Not verified" };
  if (above && vouched?.standing === "refused") return { view, held: "broken", why: vouched.text };
  return {
    view,
    held: "unknown",
    why: "Its issuer is not available, so its signature was not verified",
  };
}

/**
 * A certificate and those above it, from the top down, each with what was verified of its
 * signature. Where that does not hold, the one that it names as its issuer stands above it.
 */
export function chainOf(view: CertificateView, told: Verifications): readonly ChainLink[] {
  // The keys of the map are views of certificates, CRLs and OCSP answers.
  const all = [...told.keys()].filter((one): one is CertificateView => "keyPrint" in one);
  const chain: ChainLink[] = [];
  for (let at: CertificateView | undefined = view; at && chain.length < 32;) {
    const above: CertificateView | undefined = told.get(at)?.by ?? claimed(at, all);
    chain.push(drawn(at, above, told));
    const met = chain.some((one) => one.view === above);
    at = met ? undefined : above;
  }
  return chain.toReversed();
}
