import { equalBytes } from "../../base/bytes.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { areTogether, isAtHome } from "../../engine/placement.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { rebuildNow } from "../../pki/crl/crl-schedule.ts";
import { isTooOldToRevoke } from "../../pki/revoke/revocation.ts";
import { findSubject, type RevocationSubject } from "../../pki/revoke/revoke-subject.ts";
import { revocationChange } from "../../pki/revoke/revoke.ts";
import { keys } from "../../pki/rows/records.ts";
import type { AuditShare } from "../../wire/audits.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { shareOf, signerOf } from "../protocol/signed.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { anyJson, exactText } from "../protocol/fields.ts";
import { hashSite } from "../protocol/network.ts";
import type { AcmeRequest, Payload } from "../protocol/declaration.ts";
import { acmePaths } from "../protocol/paths.ts";
import { acmeKeys, storedAcme } from "../rows/records.ts";
import { derOf } from "./csr.ts";
import { requireRevocationRight } from "./revocation-right.ts";

export const acmeRevoke = acmeEndpoint({
  id: "acmeRevoke",
  audits: { always: true },
  at: acmePaths("POST /revoke-cert"),
  doc: "Revokes a certificate. The request must be signed by the account to which the certificate was issued, by an account with authorizations for all its names, or with the certificate's own key.",
  key: "either",
  payload: {
    certificate: exactText.optional("The certificate: base64url-encoded DER."),
    reason: anyJson.optional("Reason code (RFC 5280 section 5.3.1): 0, 1, 3, 4 or 5."),
  },
  reply: {},
  refuses: ["already_revoked", "bad_revocation_reason", "is_issuer", "damaged"],
  run: async ({ mount, config, caller, account, jwk, payload, now }) => {
    const reason = reasonOf(payload.reason);
    const subject = await presented(mount, config, payload.certificate);
    const proofs = await requireRevocationRight({ mount, account, jwk, now }, subject);
    const { certificate, cert, revoked } = subject;
    if (!account || account.id !== cert.acme?.account) {
      const id = account
        ? `acme account ${account.id}`
        : `certificate ${serialText(certificate.serial)}`;
      caller.audit.setIdentity(signerOf(id), await ownersShare({ mount, config, caller }, cert));
    }
    if (revoked)
      throw new CaError("already_revoked", `the certificate was revoked at ${timeOf(revoked.at)}`);
    if (isTooOldToRevoke(config, certificate.notAfter, mount.ports.now()))
      throw new CaError("malformed", "the certificate has expired");
    // the nonce and the authorizations are in the account's partition or the mount's own store
    const key = keys.revoked(certificate.serial);
    const isBeside = account
      ? areTogether(mount.store, key, acmeKeys.account(account.id))
      : isAtHome(mount.store, key);
    if (!isBeside) return { after: () => revokeElsewhere({ mount, caller }, subject, reason) };
    const { reply, batch, done } = await revocationChange(
      mount,
      config,
      { ...subject, reason },
      caller,
    );
    return {
      ...(batch ? { batch: { ...batch, expect: [...(batch.expect ?? []), ...proofs] } } : {}),
      ...(done ? { done } : {}),
      after: () => rebuildNow(mount, caller, reply.rebuild ?? []),
    };
  },
});

/**
 * Revokes a certificate in another partition, after the nonce was spent and the right to revoke was
 * checked.
 */
async function revokeElsewhere(
  { mount, caller }: Pick<AcmeRequest<string, Payload, "either">, "mount" | "caller">,
  { certificate }: RevocationSubject,
  reason: number | undefined,
): Promise<void> {
  const { rebuild = [] } = await mount.decideFor(caller, async (config, caller) => {
    const subject = await findSubject(mount, config, {
      serial_number: serialText(certificate.serial),
    });
    if (!("certificate" in subject)) throw new CaError("malformed", "the certificate was removed");
    return revocationChange(mount, config, { ...subject, reason }, caller);
  });
  await rebuildNow(mount, caller, rebuild);
}

/**
 * Returns the audit quota of a revocation that the certificate's owner did not sign. It is the
 * owner's quota, so that no other caller can use it up. A certificate issued without ACME has no
 * owner, so its revocation counts towards the quota of the caller's network.
 */
async function ownersShare(
  {
    mount,
    config,
    caller,
  }: { readonly mount: Mount; readonly config: Snapshot; readonly caller: Caller },
  { acme }: RevocationSubject["cert"],
): Promise<AuditShare> {
  if (!acme)
    return { log: "acme", name: `network ${await hashSite(mount, config, caller.address)}` };
  const [row] = await mount.store.get([acmeKeys.account(acme.account)]);
  return shareOf(acme.account, storedAcme.account(row?.value));
}

/** Reason codes allowed in a request; `unspecified` is not stored (D 4). */
const reasons: readonly unknown[] = [1, 3, 4, 5];
function reasonOf(sent: unknown): number | undefined {
  if (sent === undefined || sent === 0) return undefined;
  if (typeof sent === "number" && reasons.includes(sent)) return sent;
  throw new CaError(
    "bad_revocation_reason",
    "use 0 (unspecified), 1 (keyCompromise), 3 (affiliationChanged), 4 (superseded) or 5 (cessationOfOperation)",
  );
}

/**
 * Finds the stored certificate that is equal to the one in a request. Throws `malformed` if there
 * is none.
 */
async function presented(
  mount: Mount,
  config: Snapshot,
  sent: string | undefined,
): Promise<RevocationSubject> {
  const message = "certificate must be the certificate to be revoked, as base64url-encoded DER";
  const der = derOf(sent, message);
  const { serial } = parseCertificate(der);
  const absent = new CaError("malformed", "the certificate was not issued by this mount");
  // longer than any serial number issued by this CA
  if (serial.length > 21) throw absent;
  const subject = await findSubject(mount, config, { serial_number: serialText(serial) });
  if (!("certificate" in subject)) throw absent;
  if (!equalBytes(subject.cert.der, der))
    throw new CaError(
      "malformed",
      "this mount issued a different certificate with this serial number",
    );
  return subject;
}

const timeOf = (milliseconds: number): string => rfc3339(Math.floor(milliseconds / 1000));
