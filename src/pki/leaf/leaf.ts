import { drawSerial, serialKey, uuid } from "../../base/ids.ts";
import { asBytes } from "../../base/bytes.ts";
import { goDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { certIndex, certRow, keys, serialKeyBinding } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { certify, type Authority } from "../issuer/certify.ts";
import type { Breach, Named } from "../issuer/breach.ts";
import { chainBreach, constraintBreach, type Leaf } from "../issuer/constraints.ts";
import { templateName } from "../request/first-name.ts";
import type { Judge } from "../request/judge.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import type { Role } from "./roles.ts";
import { schemeFor } from "../request/scheme.ts";
import type { Template } from "../request/template.ts";
import { urlsFor } from "../issuer/urls.ts";

const macs = new WeakMap<Uint8Array, Promise<CryptoKey>>();
/** The keyed hash of a mount's serial numbers (D 4). */
export function serialMac(ca: Mount, config: Snapshot): (data: Uint8Array) => Promise<Uint8Array> {
  const sealed = config.serialKey;
  if (!sealed) throw new TypeError("the mount has no key for its serial numbers");
  let key = macs.get(sealed);
  if (!key) {
    key = ca.ports.vault
      .unseal(sealed, serialKeyBinding(config.mount.uuid))
      .then((bytes) =>
        crypto.subtle.importKey("raw", asBytes(bytes), { name: "HMAC", hash: "SHA-256" }, false, [
          "sign",
        ]),
      );
    key.catch(() => macs.delete(sealed));
    macs.set(sealed, key);
  }
  const opened = key;
  return async (data) =>
    new Uint8Array(await crypto.subtle.sign("HMAC", await opened, asBytes(data)));
}
/** A new serial number of the mount. */
export const newSerial = (ca: Mount, config: Snapshot): Promise<Uint8Array> =>
  drawSerial(ca.ports.random, serialMac(ca, config));

/** An issuer of the mount as the funnel wants it. */
export const authorityOf = (issuer: SigningIssuer): Authority => ({
  signer: issuer.signer,
  publicKey: issuer.publicKey,
  subject: issuer.certificate.subject,
  keyId: issuer.keyId,
  pathLength: issuer.pathLength,
});

/** A certificate that was signed and is not yet stored. */
export interface Signed {
  readonly der: Uint8Array;
  readonly serial: Uint8Array;
}
/** Draws a serial and signs a template with an issuer. */
export async function signWith(
  ca: Mount,
  config: Snapshot,
  issuer: SigningIssuer,
  template: Template,
  signature: { readonly bits: number; readonly pss: boolean },
): Promise<Signed> {
  const serial = await newSerial(ca, config);
  const scheme = schemeFor(issuer.publicKey, signature.bits, signature.pss);
  const der = await certify({
    template,
    authority: authorityOf(issuer),
    serial,
    scheme,
    urls: urlsFor(config, issuer.row),
  });
  return { der, serial };
}

/**
 * The batch that stores an issued certificate under its serial number, which must be new, and its
 * metadata; undefined when nothing is stored.
 */
export function storeCertificate(
  { der, serial }: Signed,
  issuer: SigningIssuer["row"],
  template: Template,
  role: string,
  noStore: boolean,
  metadata: readonly (readonly [string, unknown])[],
): Batch | undefined {
  if (noStore) return metadata.length ? { put: metadata } : undefined;
  const row = certRow({ der, issuer: issuer.id, crl_set: issuer.crl_set, role });
  const key = keys.cert(serial);
  return {
    expect: [[key, null]],
    put: [
      [key, row, certIndex(template.notAfter, templateName(template), role, issuer.id)],
      ...metadata,
    ],
  };
}

/**
 * Refuses a leaf that the constraints of the issuer's chain forbid, unless the operator switched
 * that off (A 6.10).
 */
export function assertChain(
  ca: Mount,
  config: Snapshot,
  issuer: SigningIssuer["row"],
  leaf: Leaf,
  judge: Judge,
): void {
  if (ca.ports.chainChecks === false) return;
  const breach = chainBreach(config, issuer, leaf);
  const rule = breach?.rule ?? "the chain's constraints (4.2.1.10)";
  judge.demand(rule, issuer.name || issuer.id, breach === undefined, () => refusalOf(breach));
}
/**
 * Refuses a CA with names that the constraints of the issuer's chain forbid, unless the operator
 * switched that off.
 */
export function assertConstraints(
  ca: Mount,
  config: Snapshot,
  issuer: SigningIssuer["row"],
  named: Named,
): void {
  const breach =
    ca.ports.chainChecks === false ? undefined : constraintBreach(config, issuer, named);
  if (breach) throw refusalOf(breach);
}
const refusalOf = (breach: Breach | undefined): CaError =>
  new CaError("constraint", `the certificate would break ${breach?.rule}: ${breach?.why}`);

/**
 * Gives the reply a lease where the role wants one: until the certificate ends, at most the maximum
 * of the mount (A 1.7, D 2, Leases).
 */
export function leaseFor(
  ca: Mount,
  config: Snapshot,
  caller: Caller,
  path: string,
  role: Pick<Role, "generate_lease" | "no_store">,
  notAfter: number,
): void {
  if (!role.generate_lease || role.no_store) return;
  const left = Math.max(0, notAfter - Math.floor(ca.ports.now() / 1000));
  const { max } = effectiveTtls(config.mount);
  if (left > max)
    caller.warn(
      `The lease ends after ${goDuration(max)}, the mount's maximum, before the certificate does.`,
    );
  caller.lease(`${path}/${uuid(ca.ports.random)}`, Math.min(left, max));
}
/** Tells the log which certificate a call was about. */
export const noteSerial = (caller: Caller, serial: Uint8Array): void =>
  caller.note({ serial: serialKey(serial) });
