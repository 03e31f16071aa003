import { issuersById, keys, storedPki } from "../../pki/rows/records.ts";
import { equalBytes, colonHex, toHex } from "../../base/bytes.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { Mount } from "../../engine/mount.ts";
import {
  parseCertificate,
  type Certificate,
  certificateNames,
  findExtension,
} from "../../x509/certificate.ts";
import { CaError, malformed } from "../../base/errors.ts";
import type { Method } from "../rows/methods.ts";
import { findPath } from "../../net/tls-path.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../x509/key-identifiers.ts";
import { extensionOid } from "../../x509/oid.ts";
import type { Login } from "../method/login.ts";
import { findRole, type StoredRole } from "../method/roles.ts";
import { meetsConstraints } from "./constraints.ts";
import { certificateRoles, trustedBy, type CertificateRole } from "./entry.ts";
import { queryOcsp } from "./ocsp.ts";

/**
 * Reports whether a PKI mount has revoked a certificate in the path. Rejects if a mount cannot be
 * read, because the revocation status is then unknown.
 */
async function isRevokedHere(
  deployment: Deployment,
  path: readonly Certificate[],
): Promise<boolean> {
  const results = await Promise.all(
    [...(await deployment.mounts()).values()].map(
      async ({ type, uuid }) => type === "pki" && isRevokedIn(deployment.mount(uuid), path),
    ),
  );
  return results.includes(true);
}

async function isRevokedIn(mount: Mount, path: readonly Certificate[]): Promise<boolean> {
  const issuers = [...(await mount.config()).get(issuersById).values()];
  // the key of a longer serial number may be too long
  const serials = path.map(({ serial }) => serial.subarray(0, 64));
  const rows = await mount.store.get([...serials.map(keys.revoked), ...serials.map(keys.cert)]);
  return path.some((own, at) => {
    if (issuers.some(({ der, revoked }) => revoked !== undefined && equalBytes(der, own.der)))
      return true;
    if (!rows[at]) return false;
    // the issuer may have been deleted, but the certificate stays stored
    const stored = storedPki.cert(rows[at + path.length]?.value);
    return (
      equalBytes(stored.der, own.der) ||
      issuers.some(({ der }) => equalBytes(parseCertificate(der).subject, own.issuer))
    );
  });
}

const noCertificate = "invalid certificate or no client certificate supplied";
const noChain = "no chain matching all constraints could be found for this login certificate";
/** Maximum number of roles to try for a login without a role name. */
const maxRoles = 1000;

/**
 * Returns the login for the certificate chain of a connection, which begins with the client
 * certificate. An empty `roleName` selects the first matching role. Throws `malformed` if no role
 * accepts the client.
 */
export async function loginByChain(
  method: Method,
  roleName: string,
  chain: readonly Uint8Array[],
): Promise<Login> {
  if (chain.length === 0) throw malformed(noCertificate);
  const { name, role, path, key, rev } = await findAcceptingRole(method, roleName, chain);
  const [own] = path;
  if (!own || (await isRevokedHere(method.deployment, path))) throw malformed(noCertificate);
  if (role.ocsp_enabled) await requireGood(method, role, path);
  const { common, uri, dns, email } = certificateNames(own);
  const [who] = [...common, ...uri, ...dns, ...email];
  if (who === undefined)
    throw malformed("the client certificate has no name by which to identify the client");
  const metadata = { cert_name: name, ...metadataOf(own, common[0] ?? "") };
  return {
    alias: { name: who, metadata },
    metadata,
    display_name: role.display_name || name,
    role: name,
    source: key,
    token: role,
    more: { expect: [[key, rev]] },
  };
}

/** Requires that OCSP reports the client certificate as good. */
async function requireGood(
  { sys }: Method,
  role: CertificateRole,
  path: readonly Certificate[],
): Promise<void> {
  const response = await queryOcsp(sys, role, path);
  if (response === "nothing")
    throw new CaError(
      "busy",
      "no OCSP responder answered; the revocation status of the client certificate is unknown",
    );
  if (response !== "good") throw malformed(noCertificate);
}

interface RoleMatch extends StoredRole<CertificateRole> {
  /** The certification path, beginning with the client certificate. */
  readonly path: readonly Certificate[];
}
/**
 * Returns the named role if it accepts the client, or if `roleName` is empty, the first role that
 * accepts the client. Throws `malformed` if there is none.
 */
async function findAcceptingRole(
  method: Method,
  roleName: string,
  chain: readonly Uint8Array[],
): Promise<RoleMatch> {
  const now = Math.floor(method.sys.ports.now() / 1000);
  const paths = new Map<string, readonly Certificate[] | undefined>();
  let isTrusted = false;
  for (const candidate of await candidates(method, roleName)) {
    const { role } = candidate;
    const { certificate } = role;
    if (!paths.has(certificate)) {
      const outcome = await findPath(chain, trustedBy(role), { now, as: "client" });
      paths.set(certificate, outcome.fault ? undefined : outcome.path);
    }
    const path = paths.get(certificate);
    if (!path?.[0]) continue;
    isTrusted = true;
    if (meetsConstraints(role, path[0])) return { ...candidate, path };
  }
  throw malformed(isTrusted ? noChain : noCertificate);
}

async function candidates(
  method: Method,
  roleName: string,
): Promise<readonly StoredRole<CertificateRole>[]> {
  if (roleName !== "") {
    const stored = await findRole(method, certificateRoles, roleName);
    return stored ? [stored] : [];
  }
  const prefix = method.key(certificateRoles.below);
  const rows = await method.sys.store.list(prefix, { limit: maxRoles });
  return rows.map(([key, { value, rev }]) => ({
    name: key.slice(prefix.length),
    key,
    rev,
    role: certificateRoles.read(value),
  }));
}

/** Returns the metadata of a client's tokens, taken from its certificate (P 9.7). */
function metadataOf(own: Certificate, common: string): Readonly<Record<string, string>> {
  const subject = findExtension(own, extensionOid.subjectKeyIdentifier);
  const authority = findExtension(own, extensionOid.authorityKeyIdentifier);
  const issuer = authority && readAuthorityKeyIdentifier(authority.value);
  return {
    common_name: common,
    serial_number: BigInt(`0x${toHex(own.serial)}`).toString(),
    subject_key_id: subject ? colonHex(readSubjectKeyIdentifier(subject.value)) : "",
    authority_key_id: issuer ? colonHex(issuer) : "",
  };
}
