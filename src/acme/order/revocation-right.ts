import { CaError } from "../../base/errors.ts";
import { lowerAscii } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Expect } from "../../engine/ports.ts";
import type { RevocationSubject } from "../../pki/revoke/revoke-subject.ts";
import { certificateNames, type Certificate } from "../../x509/certificate.ts";
import { isSameKey, parsePublicKey } from "../../x509/public-key.ts";
import type { Account, NewKey } from "../protocol/signed.ts";
import { acmeKeys, type AuthzRow, storedAcme } from "../rows/records.ts";
import { orderPages } from "./account-orders.ts";
import { addressOf } from "./csr.ts";

/** The signer of a revocation request: an account, or the holder of a key (`jwk`). */
interface RevocationSigner {
  readonly mount: Mount;
  readonly account: Account | undefined;
  readonly jwk: NewKey | undefined;
  /** Time of the request, Unix seconds. */
  readonly now: number;
}
const denied = (why: string): CaError => new CaError("acme_forbidden", why);

/**
 * Throws `acme_forbidden` if the signer may not revoke a certificate (RFC 8555 section 7.6, B
 * 5.11). Allowed signers are the certificate's own key, the account that obtained the certificate,
 * and accounts with valid authorizations for all its names. Returns the preconditions for the
 * revocation's batch.
 */
export async function requireRevocationRight(
  { mount, account, jwk, now }: RevocationSigner,
  { certificate, cert }: RevocationSubject,
): Promise<readonly Expect[]> {
  if (jwk && !isSameKey(parsePublicKey(certificate.spki), jwk.key))
    throw denied("the request is not signed with the certificate's key");
  if (!account || cert.acme?.account === account.id) return [];
  // proving control of its names does not suffice to revoke a certificate that was issued without
  // ACME
  if (!cert.acme) throw denied("the certificate was not issued with ACME");
  const proofs = await proofsOf(mount, { account: account.id, names: namesIn(certificate), now });
  if (proofs) return proofs;
  throw denied(
    "the certificate was not issued to this account, which does not have valid authorizations for all its names",
  );
}

/** Normalizes a name to compare certificates with authorizations. */
const nameOf = (type: string, value: string): string => {
  if (type === "ip") return `ip ${addressOf(value) ?? value}`;
  return type === "dns" ? `dns ${lowerAscii(value)}` : `${type} ${value}`;
};
const provenBy = ({ identifier: { type, value }, wildcard }: AuthzRow): string =>
  nameOf(type, wildcard ? `*.${value}` : value);

/** Returns all names of a certificate, or an empty set if one of them cannot be authorized. */
function namesIn(certificate: Certificate): ReadonlySet<string> {
  const { dns, ip, common, email, uri, other, directory, unreadable } =
    certificateNamesOf(certificate);
  if ([email, uri, other, directory, unreadable].some(({ length }) => length > 0)) return new Set();
  const typed = (value: string) => nameOf(addressOf(value) === undefined ? "dns" : "ip", value);
  return new Set([
    ...dns.map((value) => nameOf("dns", value)),
    ...ip.map((value) => nameOf("ip", value)),
    ...common.map(typed),
  ]);
}
function certificateNamesOf(certificate: Certificate): ReturnType<typeof certificateNames> {
  try {
    return certificateNames(certificate);
  } catch (error) {
    if (error instanceof CaError) throw denied("the names of the certificate cannot be parsed");
    throw error;
  }
}

interface ProofQuery {
  readonly account: string;
  readonly names: ReadonlySet<string>;
  readonly now: number;
}
/**
 * Returns an account's valid authorizations for the given names, or undefined if a name has none.
 * Ignores preauthorized authorizations, because they do not prove control of a name.
 */
async function proofsOf(
  { store }: Mount,
  { account, names, now }: ProofQuery,
): Promise<readonly Expect[] | undefined> {
  if (names.size === 0) return undefined;
  const missing = new Set(names);
  const proofs: Expect[] = [];
  for await (const page of orderPages(store, account)) {
    const ids = page.flatMap(([, { value }]) => {
      const { identifiers, authorizations } = storedAcme.order(value);
      return authorizations.filter((_, at) => {
        const { type = "", value: name = "" } = identifiers[at] ?? {};
        return missing.has(nameOf(type, name));
      });
    });
    const rows = await store.get(ids.map(acmeKeys.authz));
    for (const [at, row] of rows.entries()) {
      const authz = row && storedAcme.authz(row.value);
      if (authz?.account !== account || authz.status !== "valid" || authz.expires <= now) continue;
      if (authz.preauthorized) continue;
      if (missing.delete(provenBy(authz)))
        proofs.push([acmeKeys.authz(ids[at] ?? ""), row?.rev ?? null]);
    }
    if (missing.size === 0) return proofs;
  }
  return undefined;
}
