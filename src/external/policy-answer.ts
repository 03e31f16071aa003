import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";
import { readJson } from "../base/json-members.ts";
import { parseCertificate, type Certificate } from "../x509/certificate.ts";
import type { PolicyAnswer } from "./policy-request.ts";

/** The error for an invalid response. The message quotes nothing from the response. */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

const wrong = (why: string): InvalidAnswer => new InvalidAnswer(`the response ${why}`);

/** Maximum size of a response in bytes. */
export const maxAnswerBytes = 256 * 1024;
const maxCertificateBytes = 64 * 1024;
/** Maximum number of warnings for the caller, and maximum length of a message in characters. */
const [maxWarnings, maxTextLength] = [100, 1000];

const members: readonly string[] = [
  "request_uuid",
  "error",
  "warnings",
  "certificate",
  "issuer_ref",
  "store_certificate",
  "generate_lease",
];

/**
 * Parses the response of a policy service to the request with the given UUID (B 7.4). Returns the
 * template to issue, or the reason for a rejection. Throws `InvalidAnswer` for anything else.
 */
export function parsePolicyAnswer(
  body: Uint8Array,
  request: string,
): PolicyAnswer | { readonly refusal: string } {
  const answer = membersOf(body);
  const unknown = Object.keys(answer).filter((name) => !members.includes(name));
  if (unknown.length > 0) throw wrong("has unknown members");
  if (answer["request_uuid"] !== request) throw wrong("is for a different request");
  const error = oneLine(textOf(answer, "error"));
  const warnings = warningsOf(answer["warnings"]);
  const pem = textOf(answer, "certificate");
  const [store, lease] = [flagOf(answer, "store_certificate"), flagOf(answer, "generate_lease")];
  const issuer_ref = textOf(answer, "issuer_ref");
  if (pem === "") {
    if (error === "") throw wrong("has neither a certificate nor an error");
    return { refusal: error };
  }
  if (issuer_ref === "") throw wrong("has no issuer_ref");
  if (lease && !store) throw wrong("requests a lease for a certificate that is not stored");
  return {
    certificate: certificateOf(pem),
    issuer_ref,
    store,
    lease,
    warnings: error === "" ? warnings : [...warnings, error],
  };
}

function membersOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return readJson(body, null);
  } catch (error) {
    if (error instanceof CaError)
      throw wrong("is not a JSON object, or exceeds the limits on JSON");
    throw error;
  }
}
/**
 * Returns a member that is a string, or "" if it is not set. Services send null for members that
 * are not set.
 */
function textOf(answer: Readonly<Record<string, unknown>>, name: string): string {
  const value = answer[name] ?? "";
  if (typeof value !== "string") throw wrong(`has a member ${name} that is not a string`);
  return value;
}
function flagOf(answer: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = answer[name] ?? false;
  if (typeof value !== "boolean") throw wrong(`has a member ${name} that is not true or false`);
  return value;
}
function warningsOf(value: unknown): readonly string[] {
  const warnings: readonly unknown[] = value === undefined || value === null ? [] : listOf(value);
  if (warnings.length > maxWarnings) throw wrong(`has more than ${maxWarnings} warnings`);
  return warnings.map((one) => {
    if (typeof one !== "string") throw wrong("has a warning that is not a string");
    return oneLine(one);
  });
}
function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong("has a member warnings that is not a list");
  return value;
}

/** Sanitizes text from the service for a response: one line, truncated, no control characters. */
const oneLine = (text: string): string => {
  const clean = text
    .slice(0, maxTextLength + 1)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return clean.length > maxTextLength ? `${clean.slice(0, maxTextLength)}…` : clean;
};

function certificateOf(pem: string): Certificate {
  try {
    const [block, ...more] = decodePem(pem);
    if (block?.label !== "CERTIFICATE" || more.length > 0)
      throw wrong("has a member certificate that is not a single certificate");
    if (block.der.length > maxCertificateBytes)
      throw wrong(`has a certificate of more than ${maxCertificateBytes} bytes`);
    return parseCertificate(block.der);
  } catch (error) {
    if (error instanceof CaError) throw wrong("has a certificate that cannot be parsed");
    throw error;
  }
}
