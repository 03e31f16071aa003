import { equalBytes, toHex } from "../src/base/bytes.ts";
import { CaError } from "../src/base/errors.ts";
import { algorithmName, importVerifyKey, isWeakAlgorithm, schemeOf, verifySignature } from "../src/x509/algorithm.ts";
import { findExtension, isCa, parseCertificate, type Certificate } from "../src/x509/certificate.ts";
import { parseCrl } from "../src/x509/crl.ts";
import { readBasicConstraints, readKeyUsage } from "../src/x509/extension-read.ts";
import { type KeyUsage } from "../src/x509/usage.ts";
import { extensionOid } from "../src/x509/oid.ts";
import { parsePublicKey } from "../src/x509/spki.ts";
import type { CertificateView, CrlView } from "./decode.ts";
import { signatureName } from "./words.ts";

/**
 * How far the signatures of a certificate were verified: up to a root that is here (`chain`), by an authority whose own issuer is not here (`signature`),
 * by one that is out of date (`stale`), by its own key (`self`), not at all (`unknown`), or with the outcome that nothing should trust it (`refused`).
 */
export type Standing = "chain" | "signature" | "stale" | "self" | "unknown" | "refused";
/** What the signatures say of a certificate or list: in a few words, and in a sentence. */
export interface Vouched {
  readonly standing: Standing;
  readonly text: string;
  readonly why: string;
}

interface Node {
  readonly view: CertificateView;
  readonly certificate: Certificate;
  /** Those whose key made its signature. */
  signers: readonly Node[];
  vouched: Vouched | undefined;
  /** How many authorities may stand below it in a chain. */
  room: number;
  /** How good what is known is, for comparing. */
  score: number;
}

function nodeOf(view: CertificateView): Node {
  const certificate = parseCertificate(view.der);
  return { view, certificate, signers: [], vouched: undefined, room: roomBelow(certificate), score: -1 };
}

const refused = (text: string, why: string): Vouched => ({ standing: "refused", text, why });
/** What is said of a certificate whose signature could not be verified, where nothing is wrong with its dates. */
export const inDate = "In date";
const unknown = (why: string): Vouched => ({ standing: "unknown", text: inDate, why });

/** More keys than these are not tried for one signature. */
const mostKeys = 8;

/** Verifies every signature among certificates that lie side by side. Names, purposes and revocation are not judged. */
export async function vouch(views: readonly CertificateView[], now: Date): Promise<ReadonlyMap<CertificateView, Vouched>> {
  const nodes = views.map(nodeOf);
  for (const node of nodes) await verify(node, nodes);
  // Every round lets at least one certificate rise, or is the last.
  while (nodes.filter((node) => rise(node, now)).length > 0);
  return new Map(nodes.map(({ view, vouched, signers }) => [view, vouched ?? bySigner(signers[0]?.view.title ?? "")]));
}

const bySigner = (title: string): Vouched => ({
  standing: "signature",
  text: "Signature verified",
  why: `Made by ${title}, above which nothing here leads to a root`,
});

/** Zero and more; none that is no authority has any. */
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
const maySign = (certificate: Certificate, what: KeyUsage): boolean =>
  orElse(false, () => {
    const usage = findExtension(certificate, extensionOid.keyUsage);
    return isCa(certificate) && (!usage || readKeyUsage(usage.value).includes(what));
  });

type Signed = Pick<Certificate, "issuer" | "algorithm" | "tbs" | "signature">;

/** What a signature is worth before any key is tried; undefined where one has to be. */
function beforeKeys(signed: Signed): Vouched | undefined {
  const name = signatureName(algorithmName(signed.algorithm));
  if (isWeakAlgorithm(signed.algorithm)) return refused(`Signed with ${hashOf(name)}`, `A signature ${name} proves nothing: others can be made to fit it`);
  return schemeOf(signed.algorithm) ? undefined : unknown(`Not verified: signatures ${name} are not verified here`);
}
const hashOf = (name: string): string => name.split(" with ").at(-1) ?? name;

/** Those of some signers whose key made a signature, or what else is to be said of it. */
async function signersOf(signed: Signed, named: readonly Node[], keyId: string): Promise<readonly Node[] | Vouched> {
  const likely = ({ view }: Node): boolean => keyId === "" || view.subjectKeyId === "" || view.subjectKeyId === keyId;
  const ranked = [...named.filter(likely), ...named.filter((node) => !likely(node))];
  const keys = [...new Map(ranked.map(({ certificate: { spki } }) => [toHex(spki), spki])).values()];
  for (const spki of keys.slice(0, mostKeys))
    if (await verifySignature(spki, signed.algorithm, signed.tbs, signed.signature)) return named.filter((node) => equalBytes(node.certificate.spki, spki));
  const claimed = named.find(likely);
  if (!claimed || keys.length > mostKeys) return unknown("Not verified: its issuer is not among these");
  if (!(await usable(claimed.certificate, signed))) return unknown("Not verified: this browser cannot use the key of its issuer");
  return refused("Signature does not verify", `The key of ${claimed.view.title}, which it names as its issuer, did not make its signature`);
}

/** Whether the platform can verify with a key at all; of one that it cannot hold nothing is said. */
async function usable({ spki }: Certificate, { algorithm }: Signed): Promise<boolean> {
  const scheme = schemeOf(algorithm);
  try {
    if (scheme && parsePublicKey(spki).curve !== "P-224") await importVerifyKey(spki, scheme);
    return true;
  } catch (error) {
    // A key of another kind cannot have made it; what the platform refuses is another matter.
    return error instanceof CaError;
  }
}

/** Finds who signed a certificate, as far as that can be said without looking further up. */
async function verify(node: Node, all: readonly Node[]): Promise<void> {
  const { certificate, view } = node;
  const early = beforeKeys(certificate);
  if (early) {
    node.vouched = early.standing === "refused" && view.selfIssued ? { ...early, standing: "unknown", text: `Self-signed, ${hashOf(view.signature)}` } : early;
    return;
  }
  const named = all.filter((other) => equalBytes(other.certificate.subject, certificate.issuer));
  const found = await signersOf(certificate, named, view.authorityKeyId);
  if (!("length" in found)) node.vouched = found;
  else if (found.some((signer) => equalBytes(signer.certificate.der, certificate.der)))
    node.vouched = { standing: "self", text: "Self-signed", why: "Made by its own key: nobody else vouches for it" };
  else node.signers = found;
}

const ranks: readonly Standing[] = ["refused", "stale", "signature", "chain"];

/** Takes over what is known of its signers, the best of it; tells whether that is better than before. */
function rise(node: Node, now: Date): boolean {
  const before = node.score;
  for (const signer of node.signers) {
    const vouched = below(node, signer, now);
    if (!vouched) continue;
    const room = Math.min(roomBelow(node.certificate), signer.room - (node.view.selfIssued ? 0 : 1));
    const score = ranks.indexOf(vouched.standing) + Math.min(room, 99) / 100;
    if (score > node.score) Object.assign(node, { vouched, room, score });
  }
  return node.score > before;
}

/** What a certificate is worth with this signer above it; undefined while nothing is known of that. */
function below({ view, certificate }: Node, signer: Node, now: Date): Vouched | undefined {
  const { vouched: above, view: by } = signer;
  if (!above) return undefined;
  if (!maySign(signer.certificate, "CertSign")) return refused("Its issuer is no authority", `${by.title} made its signature and may sign no certificates`);
  if (above.standing === "refused") return refused("Chain does not verify", `Made by ${by.title}, of which this is to be said: ${above.why}`);
  if (isAuthority(certificate) && !view.selfIssued && signer.room < 1)
    return refused("Chain is too long", `Made by ${by.title}, which may have no authority below it`);
  if (by.ends < now || by.begins > now || above.standing === "stale")
    return { standing: "stale", text: "Chain is out of date", why: `Made by ${by.title}: it, or what stands above it, is not in date` };
  if (above.standing === "unknown" || above.standing === "signature") return bySigner(by.title);
  return { standing: "chain", text: "Chain verified", why: `Made by ${by.title}; every signature up to the root holds. Revocation is not looked up` };
}
const isAuthority = (certificate: Certificate): boolean => orElse(false, () => isCa(certificate));

/** Verifies the signature of a revocation list against the certificates beside it. */
export async function vouchForCrl(view: CrlView, among: readonly CertificateView[]): Promise<Vouched> {
  const crl = parseCrl(view.der);
  const early = beforeKeys(crl);
  if (early) return early;
  const named = among.map(nodeOf).filter((node) => equalBytes(node.certificate.subject, crl.issuer));
  const found = await signersOf(crl, named, "");
  if (!("length" in found)) return found;
  const title = found[0]?.view.title ?? "";
  if (!found.some(({ certificate }) => maySign(certificate, "CRLSign")))
    return refused("Its issuer signs no CRLs", `${title} made its signature and may sign no CRLs`);
  return { standing: "signature", text: "Signature verified", why: `Made by ${title}` };
}
