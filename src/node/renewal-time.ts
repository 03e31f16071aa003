import { toBase64Url } from "../base/bytes.ts";
import { decodePem } from "../base/pem.ts";
import { withTimeout } from "../base/with-timeout.ts";
import { findExtension, parseCertificate } from "../x509/certificate.ts";
import { readAuthorityKeyIdentifier } from "../x509/key-identifiers.ts";
import { extensionOid } from "../x509/oid.ts";

/** Function that fetches renewal information; the signal aborts the request. */
export type FetchRenewalInfo = (
  path: string,
  signal: AbortSignal,
) => Promise<{
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}>;

/** The times at which to renew a certificate and to query the server again, in Unix ms. */
export interface RenewalTime {
  readonly renewAt: number;
  /** Time of the next query, or infinity if the server offers no renewal information. */
  readonly askAt: number;
}

/** A certificate's validity period in Unix ms. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Returns the validity period of a PEM certificate. */
export function validityOf(certificate: string): Validity {
  const { notBefore, notAfter } = parseCertificate(derOf(certificate));
  return { notBefore: notBefore * 1000, notAfter: notAfter * 1000 };
}

const derOf = (pem: string): Uint8Array => decodePem(pem)[0]?.der ?? new Uint8Array();

/** Fraction of the lifetime after which a certificate is renewed. */
const renewalShare = 2 / 3;
/** Maximum fraction of the lifetime over which renewals are spread. */
const spreadShare = 1 / 20;

/**
 * Returns the time at which to renew a certificate (Unix ms), which is after two thirds of its
 * lifetime. The lifetime starts at `issuedAt` if `notBefore` is earlier, because `notBefore` may be
 * backdated by more than the lifetime of a short-lived certificate. `random` delays the renewal by
 * up to a twentieth of the lifetime, so that certificates that were issued together are not renewed
 * together.
 */
export function renewalTime(
  { notBefore, notAfter, issuedAt = notBefore }: Validity & { readonly issuedAt?: number },
  random: () => number = () => 0,
): number {
  const start = Math.max(notBefore, issuedAt);
  return start + (notAfter - start) * (renewalShare + spreadShare * random());
}

/**
 * Returns the unique identifier of a certificate for renewal information (RFC 9773 section 4.1).
 * Returns undefined if the certificate has no authority key identifier.
 */
function certificateId(certificate: string): string | undefined {
  const parsed = parseCertificate(derOf(certificate));
  const extension = findExtension(parsed, extensionOid.authorityKeyIdentifier);
  const identifier = extension && readAuthorityKeyIdentifier(extension.value);
  return identifier && `${toBase64Url(identifier)}.${toBase64Url(parsed.serial)}`;
}

/** Minimum and maximum polling interval in ms, which RFC 9773 section 4.3 requires for clients. */
const [minAsk, maxAsk] = [60_000, 86_400_000];
/** Timeout of a request for renewal information in ms. */
const maxReplyTime = 60_000;

/**
 * Asks a server when to renew a certificate (RFC 9773 section 4.2). Resolves with a random time in
 * the suggested window, or with undefined if the server suggests no window. Rejects if the request
 * fails, or if the server does not respond within a minute.
 */
export async function suggestedTime(
  certificate: string,
  fetchInfo: FetchRenewalInfo,
  { now, random }: { readonly now: number; readonly random: () => number },
): Promise<RenewalTime | undefined> {
  const id = certificateId(certificate);
  if (id === undefined) return undefined;
  const stop = new AbortController();
  const info = await withTimeout(
    readInfo(id, fetchInfo, stop.signal),
    maxReplyTime,
    () => "late" as const,
  );
  if (info === "late") {
    stop.abort();
    throw new Error(`the server sent no renewal information within ${maxReplyTime / 1000} seconds`);
  }
  if (!info) return undefined;
  const { window, retryAfter } = info;
  const seconds = Number(retryAfter ?? NaN);
  const pause = Number.isNaN(seconds) ? maxAsk / 4 : seconds * 1000;
  return {
    renewAt: window.start + (window.end - window.start) * random(),
    askAt: now + Math.min(Math.max(pause, minAsk), maxAsk),
  };
}

/**
 * Fetches the suggested renewal window. Resolves with undefined if the server suggests no window.
 */
async function readInfo(id: string, fetchInfo: FetchRenewalInfo, signal: AbortSignal) {
  const response = await fetchInfo(id, signal);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`the server returned status ${response.status}`);
  const window = windowIn(await response.json());
  return window && { window, retryAfter: response.headers.get("retry-after") };
}

function windowIn(document: unknown): { start: number; end: number } | undefined {
  const { suggestedWindow } = document as {
    readonly suggestedWindow?: { readonly start?: unknown; readonly end?: unknown };
  };
  const [start, end] = [suggestedWindow?.start, suggestedWindow?.end].map((time) =>
    typeof time === "string" ? Date.parse(time) : NaN,
  );
  if (start === undefined || end === undefined) return undefined;
  return start < end ? { start, end } : undefined;
}
