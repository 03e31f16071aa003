import { issuersConfig } from "../rows/settings.ts";
import {
  issuersById,
  keysById,
  type IssuerId,
  type IssuerRow,
  type KeyRow,
  type Usage,
} from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import {
  signed,
  signingLog,
  type KeyUse,
  type LoggedSigner,
  type Signed,
} from "../../log/rows/signed.ts";
import { signerOf } from "../../managed/signer-of.ts";
import type { Signer, Scheme } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import {
  findExtension,
  parseCertificate,
  type Certificate,
  assembleSigned,
} from "../../x509/certificate.ts";
import { readBasicConstraints } from "../../x509/basic-constraints.ts";
import { readKeyUsage } from "../../x509/usage.ts";
import {
  keyIdentifier,
  parsePublicKey,
  type PublicKey,
  supportsScheme,
  schemeFromName,
  algorithmIdentifier,
  verifySignature,
} from "../../x509/public-key.ts";
import { readSubjectKeyIdentifier } from "../../x509/key-identifiers.ts";
import { extensionOid } from "../../x509/oid.ts";
import { type IssuanceContext, checkRule } from "../request/rule-checker.ts";
import { schemeFor } from "../request/scheme.ts";

/** An issuer whose key is open, so that it can sign. */
export interface SigningIssuer extends LoggedSigner {
  readonly row: IssuerRow;
  readonly certificate: Certificate;
  /** DER of the issuer's subject, which is the issuer name in the certificates that it issues. */
  readonly subject: Uint8Array;
  readonly publicKey: PublicKey;
  /**
   * Subject key identifier of the issuer, which is the authority key identifier in the certificates
   * that it issues.
   */
  readonly keyId: Uint8Array;
  /** Path length constraint of the issuer, or undefined for no limit. */
  readonly pathLength: number | undefined;
}

/** Finds the issuer for the given reference: `default`, an ID or a name (A 2). */
export function findIssuer(config: Snapshot, reference: string): IssuerRow | undefined {
  const ref = reference.trim();
  const all = config.get(issuersById);
  if (ref.toLowerCase() === "default") return all.get(config.get(issuersConfig).default);
  const byId = all.get(ref.toLowerCase());
  if (byId) return byId;
  for (const issuer of all.values()) if (issuer.name !== "" && issuer.name === ref) return issuer;
  return undefined;
}
const missing = (config: Snapshot, reference: string): string =>
  reference.trim().toLowerCase() === "default" && config.get(issuersConfig).default === ""
    ? "no default issuer currently configured"
    : `unable to find PKI issuer for reference: ${truncateForMessage(reference)}`;

/** Returns the issuer for the given reference. Throws `unknown_issuer` if there is none. */
export function getIssuer(config: Snapshot, reference: string): IssuerRow {
  const issuer = findIssuer(config, reference);
  if (!issuer) throw new CaError("unknown_issuer", missing(config, reference));
  return issuer;
}

/**
 * Opens the issuer for the given reference, so that it can sign. Throws as `requireSigning` does (A
 * 1.3).
 */
export async function signingIssuer(
  mount: Mount,
  config: Snapshot,
  reference: string,
  usage: Usage = "issuing-certificates",
): Promise<SigningIssuer> {
  const { row, key } = requireSigning(config, reference, usage);
  return openIssuer(row, mount, config, key);
}
/**
 * Opens the issuer for the given reference, so that it can sign a leaf certificate. Reports the
 * check as the `issuer_ref` rule.
 */
export async function issuerFor(
  { mount, config, checker }: Pick<IssuanceContext<unknown>, "mount" | "config" | "checker">,
  reference: string,
): Promise<SigningIssuer> {
  const question = { rule: "issuer_ref", input: reference };
  const { row, key } = checkRule(checker, question, () =>
    requireSigning(config, reference, "issuing-certificates"),
  );
  return openIssuer(row, mount, config, key);
}
/**
 * Returns the issuer for the given reference, and its key (A 1.3). Throws `unknown_issuer` if there
 * is no such issuer. Throws `unusable_issuer` if the mount does not have the issuer's key, or if
 * the issuer lacks the usage or, for issuing certificates, keyCertSign.
 */
export function requireSigning(
  config: Snapshot,
  reference: string,
  usage: Usage,
): { readonly row: IssuerRow; readonly key: KeyRow } {
  const row = findIssuer(config, reference);
  if (!row)
    throw new CaError(
      "unknown_issuer",
      `could not fetch the CA certificate (was one set?): ${missing(config, reference)}`,
    );
  if (!row.usage.includes(usage))
    throw new CaError(
      "unusable_issuer",
      `error fetching CA certificate: error while attempting to use issuer ${row.id}: requested usage ${usage} for issuer [id:${row.id} / name:${row.name}] but only had usage ${[...row.usage].sort().join(",")}`,
    );
  if (usage === "issuing-certificates" && !maySignCertificates(certificateOf(row)))
    throw new CaError(
      "unusable_issuer",
      `issuer ${row.id} cannot sign certificates: the key usage of its certificate lacks keyCertSign (RFC 5280 section 4.2.1.3)`,
    );
  const key = row.key_id === "" ? undefined : config.get(keysById).get(row.key_id);
  if (!key)
    throw new CaError(
      "unusable_issuer",
      `could not fetch the CA certificate (was one set?): unable to fetch corresponding key for issuer ${row.id}; unable to use this issuer for signing`,
    );
  return { row, key };
}

/**
 * Reports whether a CA certificate permits signing certificates, that is, has the key usage
 * keyCertSign or no key usage extension (RFC 5280 section 4.2.1.3).
 */
export const maySignCertificates = memoize((certificate: Certificate): boolean => {
  const usage = findExtension(certificate, extensionOid.keyUsage);
  return !usage || readKeyUsage(usage.value).includes("CertSign");
});

/** Parses an issuer's certificate and opens its key, once for each loaded row. */
export const openIssuer = memoize(open);
async function open(
  row: IssuerRow,
  mount: Mount,
  config: Snapshot,
  key: KeyRow,
): Promise<SigningIssuer> {
  const certificate = certificateOf(row);
  const signer = await signerOf(mount, key);
  const named = findExtension(certificate, extensionOid.subjectKeyIdentifier);
  const constraints = findExtension(certificate, extensionOid.basicConstraints);
  return {
    row,
    certificate,
    subject: certificate.subject,
    publicKey: parsePublicKey(certificate.spki),
    signer,
    log: signingLog(mount, config),
    keyId: named ? readSubjectKeyIdentifier(named.value) : await keyIdentifier(certificate.spki),
    pathLength: constraints ? readBasicConstraints(constraints.value).pathLength : undefined,
  };
}

/** Parses the certificate of an issuer, once for each loaded row. */
export const certificateOf = memoize(({ der }: IssuerRow): Certificate => parseCertificate(der));

/** Returns the issuers in the chain of an issuer, starting with the issuer itself. */
export const chainRows = (config: Snapshot, issuer: IssuerRow): readonly IssuerRow[] =>
  issuer.chain.flatMap((id: IssuerId) => {
    const row = config.get(issuersById).get(id);
    return row ? [row] : [];
  });

/** Returns the CRL sets of issuers, omitting issuers without a key, which cannot sign a CRL. */
export function crlSetsOf(rows: Iterable<IssuerRow | undefined>): readonly string[] {
  const sets = new Set<string>();
  for (const row of rows) if (row && row.key_id !== "") sets.add(row.crl_set);
  return [...sets];
}

/**
 * Returns the scheme with which an issuer signs CRLs, and from which the scheme for OCSP responses
 * is derived. It is the configured scheme if that can be used with the key, or else the key's
 * default.
 */
export function revocationScheme({
  row,
  publicKey,
}: Pick<SigningIssuer, "row" | "publicKey">): Scheme {
  const named = schemeFromName(row.revocation_signature_algorithm);
  return named && supportsScheme(named, publicKey) ? named : schemeFor(publicKey, 0, false);
}

/**
 * Signs a certificate, CRL or CSR with a key of the mount. The result is only available within a
 * change that logs this use of the key.
 */
export const signLogged = async (
  by: LoggedSigner,
  scheme: Scheme,
  use: KeyUse,
  tbs: Uint8Array,
): Promise<Signed> => signed(by, use, await signDer(by.signer, scheme, tbs));

/**
 * Signs DER without logging the use of the key, as for OCSP responses and for the CSR of a new leaf
 * key. `after` is data that follows the signature. Verifies a signature that the platform did not
 * create, and throws `unusable_issuer` if it is invalid.
 */
export async function signDer(
  signer: Signer,
  scheme: Scheme,
  tbs: Uint8Array,
  after?: Uint8Array,
): Promise<Uint8Array> {
  const algorithm = algorithmIdentifier(scheme);
  const signature = await signer.sign(scheme, tbs);
  if (!signer.platform && !(await verifySignature(signer.spki, algorithm, tbs, signature)))
    throw new CaError("unusable_issuer", "the signature that the issuer's key created is invalid");
  return assembleSigned(tbs, algorithm, signature, after);
}
