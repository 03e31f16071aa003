import { equalBytes, toHex } from "../src/base/bytes.ts";
import { CaError } from "../src/base/errors.ts";
import {
  algorithmName,
  importVerifyKey,
  isWeakAlgorithm,
  schemeOf,
  verifySignature,
} from "../src/x509/algorithm.ts";
import {
  findExtension,
  isCa,
  parseCertificate,
  type Certificate,
} from "../src/x509/certificate.ts";
import { isUnknown } from "../src/x509/critical.ts";
import { readBasicConstraints, readKeyUsage } from "../src/x509/extension-read.ts";
import { type KeyUsage } from "../src/x509/usage.ts";
import { isSameName } from "../src/x509/name.ts";
import { extensionOid } from "../src/x509/oid.ts";
import { parsePublicKey } from "../src/x509/spki.ts";
import type { CertificateView } from "./decode.ts";
import { signatureName } from "./words.ts";

/**
 * How far the signatures of a certificate were verified: up to a root of the authority that is
 * shown (`chain`), up to one that is only among what was given (`pasted`), by an authority whose
 * own issuer is not here (`signature`), by one that is out of date (`stale`), by its own key
 * (`self`), not at all (`unknown`), or with the outcome that nothing should trust it (`refused`).
 */
export type Standing = "chain" | "pasted" | "signature" | "stale" | "self" | "unknown" | "refused";
/** What the signatures say of a certificate or list: in a few words, and in a sentence. */
export interface Vouched {
  readonly standing: Standing;
  readonly text: string;
  readonly why: string;
}

/** Why the certificates above one, nearest first, refuse its names. */
export type Judge = (node: Node, above: readonly Certificate[]) => Vouched | undefined;

interface At {
  readonly now: Date;
  readonly judge: Judge | undefined;
}

/** What is known beside the certificates that were given. */
export interface Beside {
  /** Marks what was revoked, before anything is said of what stands below. */
  readonly revoke?: (nodes: readonly Node[]) => Promise<void>;
  /** Certificates of the authority that is shown: its roots are trusted. */
  readonly known?: readonly CertificateView[];
  /** Judges names by the constraints above them; without it they are not judged. */
  readonly constraints?: Judge;
}

/** A certificate among others. */
export interface Node {
  readonly view: CertificateView;
  readonly certificate: Certificate;
  /** Whether it is one of the authority that is shown. */
  readonly known: boolean;
  /** The certificates above it, nearest first, as far as `vouched` goes. */
  path: readonly Certificate[];
  /** Those whose key made its signature. */
  signers: readonly Node[];
  vouched: Vouched | undefined;
  /** How many authorities may stand below it in a chain. */
  room: number;
  /** How good what is known is, for comparing. */
  score: number;
}

/** A certificate before anything is said of it. */
export function nodeOf(view: CertificateView, known = false): Node {
  const certificate = parseCertificate(view.der);
  return {
    view,
    certificate,
    known,
    path: [],
    signers: [],
    vouched: undefined,
    room: roomBelow(certificate),
    score: -1,
  };
}

/** Nothing should trust it. */
export const refused = (text: string, why: string): Vouched => ({ standing: "refused", text, why });
const unknown = (why: string): Vouched => ({ standing: "unknown", text: "Not verified", why });

/** More keys than these are not tried for one signature. */
const mostKeys = 8;

/**
 * Verifies every signature among certificates that lie side by side, with the name constraints
 * above them, critical extensions and the CRLs beside. Purposes are not judged.
 */
export async function vouch(
  views: readonly CertificateView[],
  now: Date,
  beside: Beside = {},
): Promise<ReadonlyMap<CertificateView, Vouched>> {
  const own = new Set((beside.known ?? []).map(({ sha256 }) => sha256));
  const given = new Set(views.map(({ sha256 }) => sha256));
  const others = (beside.known ?? []).filter(({ sha256 }) => !given.has(sha256));
  const nodes = [...views, ...others].map((view) => nodeOf(view, own.has(view.sha256)));
  for (const node of nodes) await verify(node, nodes);
  await beside.revoke?.(nodes);
  // Every round lets at least one certificate rise, or is the last.
  const at = { now, judge: beside.constraints };
  while (nodes.filter((node) => rise(node, at)).length > 0);
  // What was found out later of those above can take away what was said before; each round takes it
  // from one at least.
  while (nodes.filter((node) => fall(node, at)).length > 0);
  return new Map(
    nodes.map(({ view, vouched, signers }) => [
      view,
      vouched ?? bySigner(signers[0]?.view.title ?? ""),
    ]),
  );
}

const bySigner = (title: string): Vouched => ({
  standing: "signature",
  text: "Signature verified",
  why: `Made by ${title}, above which nothing here leads to a root`,
});

/**
 * How many CAs may stand below a certificate: its path length, Infinity without one, none below
 * what cannot be read or is missing.
 */
function roomBelow(certificate: Certificate): number {
  const value = findExtension(certificate, extensionOid.basicConstraints)?.value;
  return orElse(0, () => (value ? (readBasicConstraints(value).pathLength ?? Infinity) : Infinity));
}

function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaError) return otherwise;
    throw error;
  }
}

/** Whether a certificate is that of an authority that may sign this. */
export const maySign = (certificate: Certificate, what: KeyUsage): boolean =>
  orElse(false, () => {
    const usage = findExtension(certificate, extensionOid.keyUsage);
    return isCa(certificate) && (!usage || readKeyUsage(usage.value).includes(what));
  });

type Signed = Pick<Certificate, "issuer" | "algorithm" | "tbs" | "signature">;

/** What a signature is worth before any key is tried; undefined where one has to be. */
export function beforeKeys(signed: Signed): Vouched | undefined {
  const name = signatureName(algorithmName(signed.algorithm));
  if (isWeakAlgorithm(signed.algorithm))
    return refused(
      `Signed with ${hashOf(name)}`,
      `A signature ${name} proves nothing: others can be made to fit it`,
    );
  return schemeOf(signed.algorithm)
    ? undefined
    : unknown(`Not verified: signatures ${name} are not verified here`);
}
const hashOf = (name: string): string => name.split(" with ").at(-1) ?? name;

/** Those of some signers whose key made a signature, or what else is to be said of it. */
export async function signersOf(
  signed: Signed,
  named: readonly Node[],
  keyId: string,
): Promise<readonly Node[] | Vouched> {
  const likely = ({ view }: Node): boolean =>
    keyId === "" || view.subjectKeyId === "" || view.subjectKeyId === keyId;
  const ranked = [...named.filter(likely), ...named.filter((node) => !likely(node))];
  const keys = [
    ...new Map(ranked.map(({ certificate: { spki } }) => [toHex(spki), spki])).values(),
  ];
  for (const spki of keys.slice(0, mostKeys))
    if (await verifySignature(spki, signed.algorithm, signed.tbs, signed.signature))
      return named.filter((node) => equalBytes(node.certificate.spki, spki));
  const claimed = named.find(likely);
  if (!claimed || keys.length > mostKeys)
    return unknown("Not verified: its issuer is not among these");
  if (!(await usable(claimed.certificate, signed)))
    return unknown("Not verified: this browser cannot use the key of its issuer");
  return refused(
    "Signature does not verify",
    `The key of ${claimed.view.title}, which it names as its issuer, did not make its signature`,
  );
}

/**
 * Whether the platform can verify with a key at all; of one that it cannot hold nothing is said.
 */
async function usable({ spki }: Certificate, { algorithm }: Signed): Promise<boolean> {
  const scheme = schemeOf(algorithm);
  try {
    if (scheme && parsePublicKey(spki).algorithm.signing.platform)
      await importVerifyKey(spki, scheme);
    return true;
  } catch (error) {
    // A key of another kind cannot have made it; what the platform refuses is another matter.
    return error instanceof CaError;
  }
}

/** Finds who signed a certificate, as far as that can be said without looking further up. */
async function verify(node: Node, all: readonly Node[]): Promise<void> {
  const { certificate, view } = node;
  const stray = certificate.extensions.find(isUnknown);
  if (stray) {
    node.vouched = refused(
      "Unknown critical extension",
      `Its critical extension ${stray.oid} is not known here`,
    );
    return;
  }
  const early = beforeKeys(certificate);
  if (early) {
    node.vouched =
      early.standing === "refused" && view.selfIssued
        ? { ...early, standing: "unknown", text: `Self-signed, ${hashOf(view.signature)}` }
        : early;
    return;
  }
  const named = all.filter((other) => sameName(other.certificate.subject, certificate.issuer));
  const found = await signersOf(certificate, named, view.authorityKeyId);
  if (!("length" in found)) node.vouched = found;
  else if (found.some((signer) => equalBytes(signer.certificate.der, certificate.der)))
    node.vouched = {
      standing: "self",
      text: "Self-signed",
      why: "Made by its own key: nobody else vouches for it",
    };
  else node.signers = found;
}

/** Names that cannot be taken apart are the same only where their bytes are. */
export const sameName = (a: Uint8Array, b: Uint8Array): boolean =>
  orElse(equalBytes(a, b), () => isSameName(a, b));

const ranks: readonly Standing[] = ["refused", "stale", "signature", "pasted", "chain"];

/**
 * Takes over what is known of its signers, the best of it; tells whether that is better than
 * before.
 */
function rise(node: Node, at: At): boolean {
  const before = node.score;
  for (const signer of node.signers) {
    const vouched = below(node, signer, at);
    if (!vouched) continue;
    const room = Math.min(
      roomBelow(node.certificate),
      signer.room - (node.view.selfIssued ? 0 : 1),
    );
    const score = ranks.indexOf(vouched.standing) + Math.min(room, 99) / 100;
    if (score > node.score)
      Object.assign(node, { vouched, room, score, path: [signer.certificate, ...signer.path] });
  }
  return node.score > before;
}

/** Refuses what no way up vouches for any more; tells whether it did. */
function fall(node: Node, at: At): boolean {
  const all = node.signers.flatMap((signer) => below(node, signer, at) ?? []);
  const [first] = all;
  if (
    node.vouched?.standing === "refused" ||
    !first ||
    all.some(({ standing }) => standing !== "refused")
  )
    return false;
  node.vouched = first;
  return true;
}

/**
 * What a certificate is worth with this signer above it; undefined while nothing is known of that.
 */
function below(node: Node, signer: Node, { now, judge }: At): Vouched | undefined {
  const { view, certificate } = node;
  const { vouched: above, view: by } = signer;
  if (!above) return undefined;
  if (!maySign(signer.certificate, "CertSign"))
    return refused(
      "Its issuer is no authority",
      `${by.title} made its signature and may sign no certificates`,
    );
  if (above.standing === "refused")
    return refused(
      "Chain does not verify",
      `Made by ${by.title}, of which this is to be said: ${above.why}`,
    );
  if (isAuthority(certificate) && !view.selfIssued && signer.room < 1)
    return refused(
      "Chain is too long",
      `Made by ${by.title}, which may have no authority below it`,
    );
  const path = [signer.certificate, ...signer.path];
  const forbidden = judge?.(node, path);
  if (forbidden) return forbidden;
  if (by.ends < now || by.begins > now || above.standing === "stale")
    return {
      standing: "stale",
      text: "Chain is out of date",
      why: `Made by ${by.title}: it, or what stands above it, is not in date`,
    };
  if (above.standing === "unknown" || above.standing === "signature") return bySigner(by.title);
  const made = `Made by ${by.title}; every signature up to the root holds`;
  if (above.standing === "self" ? signer.known : above.standing === "chain")
    return {
      standing: "chain",
      text: "Chain verified",
      why: `${made}, which is one of this authority. Revocation is not looked up`,
    };
  return {
    standing: "pasted",
    text: "Up to a root that is only pasted here",
    why: `${made}, but that root is none of this authority`,
  };
}
const isAuthority = (certificate: Certificate): boolean => orElse(false, () => isCa(certificate));
