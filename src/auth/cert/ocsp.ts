import { equalBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { fetchSigned } from "../../net/guarded-fetch.ts";
import { NetError } from "../../net/failure.ts";
import { outgoingScope } from "../../net/outgoing-scope.ts";
import { urlFault } from "../../net/url-fault.ts";
import { verifySignature } from "../../x509/public-key.ts";
import { findExtension, parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { readAuthorityInfoAccess } from "../../x509/distribution-points.ts";
import { encodeCertId, encodeOcspRequest, issuerHashes } from "../../x509/ocsp-request.ts";
import { isUnknown } from "../../x509/critical.ts";
import { signedAnswers, type OcspAnswer, type SignedAnswers } from "../../x509/ocsp-response.ts";
import { extensionOid, hashOid } from "../../x509/oid.ts";
import { extKeyUsageName, readExtKeyUsage } from "../../x509/usage.ts";
import { respondersIn, type OcspSettings } from "./ocsp-settings.ts";

/** Maximum number of responders to query, and of certificates in a response to try. */
const [maxServers, maxDelegates] = [8, 8];
/**
 * Maximum size of a response in bytes, timeout of a request in ms, and time in ms after which no
 * further responder is queried.
 */
const [maxResponseBytes, answerLimit, limit] = [64 * 1024, 4000, 10_000];
/** Allowed clock skew, and validity of a response without nextUpdate, both in seconds. */
const [skew, endless] = [300, 3600];

/** The certificate status that a response proves, or `nothing` if it proves no status. */
type OcspOutcome = "good" | "revoked" | "unknown" | "nothing";
/** A client certificate and the certificate of its issuer. */
interface Pair {
  readonly own: Certificate;
  readonly issuer: Certificate;
}

/**
 * Queries OCSP responders for the status of the client certificate, the first certificate in the
 * path (RFC 6960). Also returns `good` for a directly trusted certificate, which no issuer can
 * revoke, and if the role accepts clients whose status is unavailable.
 */
export async function queryOcsp(
  sys: StoreContext,
  role: OcspSettings,
  [own, issuer]: readonly Certificate[],
): Promise<OcspOutcome> {
  if (!own || !issuer) return "good";
  const { ports } = sys;
  const begun = ports.now();
  const all: OcspOutcome[] = [];
  for (const url of serversOf(role, own)) {
    let status: OcspOutcome = "nothing";
    for (let i = 0; i <= role.ocsp_max_retries && status === "nothing"; i++) {
      if (Math.abs(ports.now() - begun) > limit) break;
      status = await queryResponder(sys, role, url, { own, issuer });
    }
    if (status === "revoked") return status;
    if (status === "good" && !role.ocsp_query_all_servers) return status;
    all.push(status);
  }
  if (role.ocsp_fail_open || (all.length > 0 && all.every((status) => status === "good")))
    return "good";
  return all.includes("unknown") ? "unknown" : "nothing";
}

function serversOf(role: OcspSettings, own: Certificate): readonly string[] {
  const access = findExtension(own, extensionOid.authorityInfoAccess);
  const declared = access ? readAuthorityInfoAccess(access.value).ocsp : [];
  const urls = role.ocsp_servers_override.length > 0 ? role.ocsp_servers_override : declared;
  return urls.filter((url) => urlFault(url, true) === undefined).slice(0, maxServers);
}

async function queryResponder(
  sys: StoreContext,
  role: OcspSettings,
  url: string,
  pair: Pair,
): Promise<OcspOutcome> {
  const { ports } = sys;
  const certId = await encodeCertId("SHA-1", pair.issuer, pair.own.serial);
  try {
    const { body } = await fetchSigned(ports, {
      url,
      scope: outgoingScope(sys, []),
      maxBytes: maxResponseBytes,
      limit: answerLimit,
      headers: { "Content-Type": "application/ocsp-request", Accept: "application/ocsp-response" },
      sent: encodeOcspRequest([certId]),
      checkStatus: (status) => {
        if (status !== 200) throw new NetError("response", `status ${status}`);
      },
    });
    return await outcomeOf(signedAnswers(body), role, pair, Math.floor(ports.now() / 1000));
  } catch (error) {
    // treats an invalid response as no response
    if (error instanceof NetError || error instanceof CaError) return "nothing";
    throw error;
  }
}

async function outcomeOf(
  signed: SignedAnswers,
  role: OcspSettings,
  pair: Pair,
  now: number,
): Promise<OcspOutcome> {
  const { nameHash, keyHash } = await issuerHashes("SHA-1", pair.issuer);
  const answer = signed.answers.find(
    ({ certId }) =>
      certId.hash === hashOid["SHA-1"] &&
      equalBytes(certId.nameHash, nameHash) &&
      equalBytes(certId.keyHash, keyHash) &&
      equalBytes(unsigned(certId.serial), unsigned(pair.own.serial)),
  );
  if (!answer || !isCurrent(answer, role, now)) return "nothing";
  if (!(await isSigned(signed, role, pair.issuer, now))) return "nothing";
  return typeof answer.status === "string" ? answer.status : "revoked";
}
function isCurrent(
  { thisUpdate, nextUpdate = thisUpdate + endless }: OcspAnswer,
  { ocsp_this_update_max_age: oldest }: OcspSettings,
  now: number,
): boolean {
  const isOld = oldest > 0 && now - thisUpdate > oldest;
  return thisUpdate <= now + skew && now <= nextUpdate + skew && !isOld;
}
function unsigned(serial: Uint8Array): Uint8Array {
  const first = serial.findIndex((byte) => byte !== 0);
  return first < 0 ? new Uint8Array() : serial.subarray(first);
}

/**
 * Reports whether a response is signed by the certificate's issuer, by a responder that the issuer
 * authorized, or by a responder that the role trusts.
 */
async function isSigned(
  { algorithm, tbs, signature, certificates }: SignedAnswers,
  role: OcspSettings,
  issuer: Certificate,
  now: number,
): Promise<boolean> {
  const by = ({ spki }: Certificate) => verifySignature(spki, algorithm, tbs, signature);
  for (const one of [issuer, ...respondersIn(role.ocsp_ca_certificates)])
    if (await by(one)) return true;
  for (const der of certificates.slice(0, maxDelegates)) {
    const delegate = parseCertificate(der);
    if ((await isDelegate(delegate, issuer, now)) && (await by(delegate))) return true;
  }
  return false;
}
/** Reports whether an issuer authorized a responder (RFC 6960 section 4.2.2.2). */
async function isDelegate(
  one: Certificate,
  { subject, spki }: Certificate,
  now: number,
): Promise<boolean> {
  const usage = findExtension(one, extensionOid.extKeyUsage);
  return (
    equalBytes(one.issuer, subject) &&
    one.notBefore <= now &&
    now <= one.notAfter &&
    !one.extensions.some(isUnknown) &&
    usage !== undefined &&
    readExtKeyUsage(usage.value).some((oid) => extKeyUsageName(oid) === "OCSPSigning") &&
    (await verifySignature(spki, one.algorithm, one.tbs, one.signature))
  );
}
