import {
  respondersById,
  rowPrefixes,
  keys,
  type IssuerRow,
  type ResponderRow,
} from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { serialKey } from "../../base/ids.ts";
import { sha1 } from "../../base/hashes.ts";
import { kindOf } from "../../engine/store-context.ts";
import { signerOf } from "../../managed/signer-of.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Scheme, Signer } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { parsePublicKey, type PublicKey } from "../../x509/public-key.ts";
import { certificateOf, type SigningIssuer, revocationScheme } from "../issuer/issuer.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";
import { isSignatureValid } from "../issuer/signed-by.ts";
import { schemeFor } from "../request/scheme.ts";
import { ownResponder, responderScheme, type Responder } from "./ocsp-sign.ts";

/**
 * Returns the current signer of an issuer's OCSP responses: its delegated responder, or the issuer
 * itself if there is no usable responder.
 */
export async function signingResponder(
  mount: Mount,
  config: Snapshot,
  issuer: SigningIssuer,
): Promise<Responder> {
  const delegate = await delegateOf(mount, config, issuer.row);
  if (!delegate) return ownResponder(issuer);
  const { signer, publicKey, certificate } = delegate;
  return {
    signer,
    scheme: schemeOf(issuer, publicKey),
    id: { keyHash: sha1(publicKey.keyBits) },
    certificates: [certificate.der],
    ends: certificate.notAfter,
  };
}

/**
 * Returns the signature scheme of a responder: the one that the issuer is configured with, if both
 * keys have the same type (B 2), or else the default for the responder's key.
 */
const schemeOf = ({ row, publicKey: own }: SigningIssuer, publicKey: PublicKey): Scheme =>
  own.algorithm === publicKey.algorithm
    ? responderScheme(revocationScheme({ row, publicKey }))
    : schemeFor(publicKey, 0, false);

/** A delegated responder whose key is open. */
interface Delegate {
  readonly certificate: Certificate;
  readonly publicKey: PublicKey;
  readonly signer: Signer;
}
/**
 * Returns the responder of an issuer if it may currently sign, that is, if its certificate is
 * valid, intact and not revoked, and the issuer is not revoked.
 */
export async function delegateOf(
  mount: Mount,
  config: Snapshot,
  issuer: IssuerRow,
): Promise<Delegate | undefined> {
  const row = config.get(respondersById).get(issuer.id);
  if (!row || issuer.revoked !== undefined) return undefined;
  const delegate = await opener(row, mount, config, issuer);
  if (!delegate) return undefined;
  const { notBefore, notAfter, serial } = delegate.certificate;
  const now = mount.ports.now() / 1000;
  if (now < notBefore || now >= notAfter || (await isRevoked(mount, serial))) return undefined;
  return delegate;
}

const revocations = kindOf<{ readonly revoked: boolean }>(1000, [rowPrefixes.revoked]);
/** Reports whether a certificate is revoked, as of at most a second ago (D 4). */
export async function isRevoked(mount: Mount, serial: Uint8Array): Promise<boolean> {
  const { revoked } = await mount.storeContext.cache.recent(
    revocations,
    serialKey(serial),
    async () => ({
      revoked: (await mount.store.get([keys.revoked(serial)]))[0] !== undefined,
    }),
  );
  return revoked;
}

/** The result of opening a responder row. It is empty if the row is damaged. */
interface OpenedResponder {
  readonly delegate?: Delegate;
}
const openedResponders = new WeakMap<ResponderRow, OpenedResponder>();
/**
 * Opens the responder of a row, once for each loaded row. Returns undefined if it cannot be opened.
 */
async function opener(
  row: ResponderRow,
  mount: Mount,
  config: Snapshot,
  issuer: IssuerRow,
): Promise<Delegate | undefined> {
  // caches the result and not the promise, because on Workers promises of cancelled requests never
  // settle
  const opened = openedResponders.get(row) ?? (await opening(row, mount, config, issuer));
  if (opened) openedResponders.set(row, opened);
  return opened?.delegate;
}
/**
 * Opens the responder of a row. Returns undefined if the key cannot be decrypted. This result is
 * not cached, because it may change later.
 */
async function opening(
  row: ResponderRow,
  mount: Mount,
  config: Snapshot,
  issuer: IssuerRow,
): Promise<OpenedResponder | undefined> {
  const whole = await wholeOf(row, certificateOf(issuer));
  if (!whole) return {};
  try {
    const signer = await signerOf(mount, row.key);
    return { delegate: { ...whole, signer } };
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

/** Returns the certificate of a responder, if the issuer signed it for the key in the row. */
async function wholeOf(
  row: ResponderRow,
  issuer: Certificate,
): Promise<Omit<Delegate, "signer"> | undefined> {
  const certificate = responderCertificate(row);
  if (!certificate) return undefined;
  try {
    const publicKey = parsePublicKey(row.key.spki);
    const isConsistent =
      equalBytes(certificate.spki, row.key.spki) &&
      equalBytes(certificate.issuer, issuer.subject) &&
      (await isSignatureValid(certificate, issuer.spki));
    return isConsistent ? { certificate, publicKey } : undefined;
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
