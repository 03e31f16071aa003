import type { Bytes } from "../../../src/base/bytes.ts";
import { tryRead } from "../../../src/base/try-read.ts";
import { bestPath, newestFirst, type PathResult } from "../../../src/verify/best-path.ts";
import { loadCrl } from "../../../src/verify/loaded-crl.ts";
import { certificatePool } from "../../../src/verify/path-building.ts";
import { pathCertificate, type PathCertificate } from "../../../src/verify/path-certificate.ts";
import { requiredPurpose } from "../../../src/verify/purpose.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import type { CertificateView } from "../x509/decode.ts";
import { isOwnTime, verificationOf, type Result } from "./verification-of.ts";
import { ownSignature } from "./verify-signature.ts";
import type { Verification } from "./verify-node.ts";

/** Data for a verification in addition to the given certificates. */
interface VerificationContext {
  /** Certificates from the current server. The roots among them are trusted. */
  readonly certificates?: readonly CertificateView[];
  /** Why the certificates of the server are not known; empty if they are. */
  readonly uncompared?: string;
  /** DER-encoded CRLs with which revocation is checked. */
  readonly crls?: readonly Bytes[];
}

/** A certificate that can be part of a certification path. */
interface Member {
  readonly view: CertificateView;
  readonly certificate: PathCertificate;
  readonly own: Result["own"];
  readonly isKnown: boolean;
}

/**
 * Parses each certificate once. A given certificate takes precedence over the same certificate from
 * the server.
 */
async function membersOf(
  presented: readonly CertificateView[],
  others: readonly CertificateView[],
): Promise<readonly Member[]> {
  const views = new Map([...others, ...presented].map((view) => [view.sha256, view]));
  const own = new Set(others.map(({ sha256 }) => sha256));
  return Promise.all(
    [...views.values()].map(async (view) => ({
      view,
      certificate: pathCertificate(parseCertificate(view.der)),
      own: await ownSignature(view),
      isKnown: own.has(view.sha256),
    })),
  );
}

/**
 * Verifies the given certificates together, using CRLs and the server's certificates. Also returns
 * the verifications of the server's certificates in their chains. Does not check extended key
 * usages.
 */
export async function verifyCertificates(
  views: readonly CertificateView[],
  now: Date,
  { certificates: others = [], uncompared = "", crls = [] }: VerificationContext = {},
): Promise<ReadonlyMap<CertificateView, Verification>> {
  const members = await membersOf(views, others);
  const byCertificate = new Map(members.map((member) => [member.certificate, member]));
  const certificates = [...byCertificate.keys()];
  const evidence = {
    crls: newestFirst(crls.flatMap((der) => tryRead(() => loadCrl(der)) ?? [])),
    ocsp: [],
    mode: "available",
  } as const;
  const required = {
    at: Math.floor(now.getTime() / 1000),
    purpose: requiredPurpose("any"),
    name: undefined,
    policies: {},
  };
  const verifierTo = (roots: readonly Member[]) => {
    const anchors = roots.map(({ certificate }) => certificate);
    const sources = { ...evidence, pool: certificatePool(anchors, certificates) };
    return (leaf: PathCertificate) => bestPath(leaf, required, sources);
  };
  const roots = members.filter(({ own }) => own === "valid" || own === "unverifiable");
  const serverRoots = roots.filter(({ isKnown }) => isKnown);
  const toServer = serverRoots.length > 0 ? verifierTo(serverRoots) : undefined;
  const toAny = verifierTo(roots);
  const verifications = new Map<CertificateView, Verification>();
  const isPresented = new Set(views.map(({ sha256 }) => sha256));
  // the loop also adds the certificates above the given ones, and verifies each once
  const pending = members.filter(({ view }) => isPresented.has(view.sha256));
  for (const member of pending) {
    if (verifications.has(member.view)) continue;
    const trusted = await toServer?.(member.certificate);
    const isTrusted = trusted?.reasons.every((reason) => isOwnTime(reason, trusted)) ?? false;
    const result = isTrusted && trusted ? trusted : await toAny(member.certificate);
    const above = result.path.slice(1).flatMap((one) => byCertificate.get(one) ?? []);
    pending.push(...above);
    const [by] = above;
    verifications.set(member.view, {
      ...verificationOf(resultOf(member, result, above), isTrusted, uncompared),
      ...(by && { by: by.view }),
    });
  }
  shareAmongCopies(views, verifications);
  return verifications;
}

/**
 * Copies verifications to further views of the same certificate, which may be given several times.
 */
function shareAmongCopies(
  views: readonly CertificateView[],
  verifications: Map<CertificateView, Verification>,
): void {
  const bySha256 = new Map(
    [...verifications].map(([view, verification]) => [view.sha256, verification]),
  );
  for (const view of views) {
    const verification = bySha256.get(view.sha256);
    if (verification) verifications.set(view, verification);
  }
}

const resultOf = ({ view, own }: Member, result: PathResult, above: readonly Member[]): Result => ({
  view,
  own,
  result,
  above: above.map((one) => one.view),
  isTopForged: above.at(-1)?.own === "invalid",
});
