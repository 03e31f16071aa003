import { algorithmFor } from "../../algorithms/table.ts";
import type { KeyPair } from "../../algorithms/algorithm.ts";
import { uuid } from "../../base/ids.ts";
import { nullValue } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { rfc3339 } from "../../base/duration.ts";
import { jobRow } from "../../engine/jobs.ts";
import { sealedKey } from "../rows/key-row.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import {
  certEntry,
  keys,
  type KeyId,
  type KeyRow,
  type ResponderRow,
  type IssuerRow,
} from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { generateKey } from "../../keys/generate.ts";
import { type Rdn, nameValues, parseName } from "../../x509/name.ts";
import { extensionOid, nameOid } from "../../x509/oid.ts";
import { noNames } from "../../x509/san.ts";
import { extKeyUsageOrder } from "../../x509/usage.ts";
import { certify, planOf } from "../issuer/certify.ts";
import { requireValidChain } from "../issuer/constraints.ts";
import {
  getIssuer,
  maySignCertificates,
  signingIssuer,
  type SigningIssuer,
  certificateOf,
} from "../issuer/issuer.ts";
import { newSerial } from "../issuer/serial.ts";
import { templateName, type Template } from "../request/template.ts";
import { failFast } from "../request/rule-checker.ts";
import { schemeFor } from "../request/scheme.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";

/** Lifetime and backdating of a responder certificate (seconds). */
const [life, backdated] = [30 * 86_400, 30];

/** A new key for a responder, which is not yet stored. */
export interface NewResponderKey extends KeyPair, Pick<KeyRow, "type" | "bits"> {}

/** Generates a key for a responder. Throws as `algorithmFor` and `generateKey` do. */
export async function newResponderKey(
  mount: Mount,
  type: string,
  bits: number,
): Promise<NewResponderKey> {
  const { algorithm, bits: size } = algorithmFor(type, bits);
  const pair = await generateKey(type, size, mount.ports);
  return { ...pair, type: algorithm.type, bits: size };
}

/**
 * Opens the issuer for the given reference, so that it can sign the certificate of a responder.
 * Throws:
 *
 * - `unknown_issuer` if there is no such issuer,
 * - `unusable_issuer` if the issuer is revoked, lacks its key or the `ocsp-signing` usage, or may
 *   not sign certificates,
 * - `validity` if the issuer has expired.
 */
export async function delegatingIssuer(
  mount: Mount,
  config: Snapshot,
  reference: string,
): Promise<SigningIssuer> {
  const { id, revoked } = getIssuer(config, reference);
  if (revoked !== undefined)
    throw new CaError("unusable_issuer", `issuer ${id} is revoked and cannot delegate OCSP`);
  const issuer = await signingIssuer(mount, config, id, "ocsp-signing");
  const { certificate } = issuer;
  if (!maySignCertificates(certificate))
    throw new CaError(
      "unusable_issuer",
      `issuer ${id} cannot sign a responder certificate: the key usage of the issuer's certificate lacks keyCertSign (RFC 5280 section 4.2.1.3)`,
    );
  if (certificate.notAfter <= Math.floor(mount.ports.now() / 1000))
    throw new CaError("validity", `issuer ${id} expired at ${rfc3339(certificate.notAfter)}`);
  return issuer;
}

/** A new responder, and the change that stores it. */
interface Delegation {
  readonly row: ResponderRow;
  readonly serial: Uint8Array;
  readonly batch: Batch;
  readonly done: () => void;
}
/**
 * Creates a responder for an issuer. Returns the responder, and the batch that stores it in place
 * of the previous one.
 */
export async function newResponder(
  mount: Mount,
  config: Snapshot,
  issuer: SigningIssuer,
  key: NewResponderKey,
): Promise<Delegation> {
  const { id: issuerId, crl_set } = issuer.row;
  const now = mount.ports.now();
  const template = templateOf(issuer, key.spki, Math.floor(now / 1000));
  requireValidChain({ mount, config, checker: failFast }, issuer.row, template);
  const serial = await newSerial(mount, config);
  const plan = planOf(template, {
    authority: issuer,
    scheme: schemeFor(issuer.publicKey, 0, false),
    urls: noUrls,
  });
  const signed = await certify(plan, template, serial);
  const ownKey = await sealedRow(mount, config, key);
  const { notBefore, notAfter } = template;
  return signed.inChange((der) => {
    const row = { issuer: issuerId, key: ownKey, der };
    const stored = { der, issuer: issuerId, crl_set, role: "" };
    const due = renewalAt(issuer.row, row);
    return {
      row,
      serial,
      batch: {
        expect: [[keys.cert(serial), null]],
        put: [
          certEntry(serial, stored, { notBefore, notAfter, name: templateName(template) }),
          [keys.responder(issuerId), row],
          ...(due === undefined ? [] : [jobRow({ due, now }, responderJob, issuerId)]),
        ],
      },
      done: () => mount.ports.meter?.count("issued", [mount.name]),
    };
  });
}

async function sealedRow(mount: Mount, config: Snapshot, key: NewResponderKey): Promise<KeyRow> {
  const id: KeyId = uuid(mount.ports.random);
  const { type, bits, spki, pkcs8 } = key;
  const sealed = await sealedKey(mount.ports.vault, mount.name, id, pkcs8);
  return { id, name: "", type, bits, spki, sealed };
}

/**
 * The URLs in a responder certificate. There are none, because clients do not check its revocation
 * status.
 */
const noUrls = {
  issuing_certificates: [],
  crl_distribution_points: [],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
} as const;

/**
 * Returns the template of a responder certificate, which may only sign OCSP responses (RFC 6960
 * section 4.2.2.2).
 */
function templateOf({ certificate }: SigningIssuer, spki: Uint8Array, now: number): Template {
  return {
    kind: "leaf",
    subject: subjectBelow(certificate.subject),
    names: noNames,
    notBefore: Math.max(now - backdated, certificate.notBefore),
    notAfter: Math.min(now + life, certificate.notAfter),
    spki,
    keyUsage: ["DigitalSignature"],
    extKeyUsage: extKeyUsageOrder(["OCSPSigning"]),
    extra: [{ oid: extensionOid.ocspNoCheck, critical: false, value: nullValue }],
  };
}

/** Maximum length of a common name in characters (RFC 5280 appendix A.1). */
const maxNameLength = 64;
/**
 * Returns the subject of a responder: the issuer's name, with a suffix appended to the common name.
 */
function subjectBelow(issuer: Uint8Array): readonly Rdn[] {
  const suffix = " OCSP responder";
  const [common = ""] = nameValues(issuer, nameOid.commonName);
  const named = [...common]
    .slice(0, maxNameLength - suffix.length)
    .join("")
    .trim();
  const around = parseName(issuer).filter((rdn) =>
    rdn.every(({ oid, opaque }) => oid !== nameOid.commonName && !opaque),
  );
  return [...around, [{ oid: nameOid.commonName, value: `${named}${suffix}`.trim() }]];
}

/** Kind of the job that renews a responder. The ID of the job is the issuer's ID. */
export const responderJob = "ocsp-responder";

/**
 * Returns the time at which to renew a responder (Unix ms), which is when a third of its lifetime
 * is left. Returns 0 if the responder is damaged, and undefined if a new responder would not be
 * valid for longer, because both expire with the issuer.
 */
export function renewalAt(issuer: IssuerRow, row: ResponderRow): number | undefined {
  const certificate = responderCertificate(row);
  if (!certificate) return 0;
  const { notBefore, notAfter } = certificate;
  if (notAfter >= certificateOf(issuer).notAfter) return undefined;
  return Math.floor(notAfter - (notAfter - notBefore) / 3) * 1000;
}
