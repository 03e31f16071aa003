import { equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { rejectUnknownOptions } from "../base/reject-unknown-options.ts";
import { tryRead } from "../base/try-read.ts";
import { parseCertificate as parseDer } from "../x509/certificate.ts";
import { signedAnswers } from "../x509/ocsp-response.ts";
import {
  certificateInput,
  crlInput,
  derOf,
  ocspInput,
  type DerInput,
  type InputKind,
} from "./input.ts";
import {
  bestPath,
  newestFirst,
  refusedPath,
  type PathResult,
  type PathSources,
} from "./best-path.ts";
import { loadCrl } from "./loaded-crl.ts";
import { readableCertificate, type ParsedCertificate } from "./parsed-certificate.ts";
import { certificatePool, extendPool } from "./path-building.ts";
import { pathCertificate, type PathCertificate } from "./path-certificate.ts";
import type { PolicyOptions } from "./policy-graph.ts";
import { requiredPurpose, type Purpose } from "./purpose.ts";
import type { Reason } from "./reasons.ts";
import { revocationModes, type RevocationMode } from "./revocation.ts";

/** Options of `verify`. */
export interface VerifyOptions {
  /** Trust anchors, usually root certificates. A PEM string may contain several. */
  readonly anchors: readonly DerInput[] | DerInput;
  /** Additional certificates for building paths, in any order, such as those sent by the peer. */
  readonly intermediates?: readonly DerInput[] | DerInput;
  /** Complete, delta and indirect CRLs, in any order. */
  readonly crls?: readonly DerInput[] | DerInput;
  /** OCSP responses. */
  readonly ocsp?: readonly DerInput[] | DerInput;
  /**
   * The purpose of the certificate; by default, `serverAuth` if there is a `name`, and `any`
   * otherwise.
   */
  readonly purpose?: Purpose;
  /** The host name, IP address, email address or URI for which the certificate must be valid. */
  readonly name?: string;
  /** The time of verification; by default, the current time. */
  readonly at?: Date;
  /**
   * The certificates whose revocation status must be known; by default, `chain` if `crls` or `ocsp`
   * is set, and `available` otherwise.
   */
  readonly revocation?: RevocationMode;
  /** Inputs of policy processing; by default, any policy is acceptable and none is required. */
  readonly policies?: PolicyOptions;
}

/** The result of a verification. */
export interface VerifyResult {
  /** Whether the certificate is valid. */
  readonly ok: boolean;
  /**
   * The path from the certificate to the anchor. If `ok` is false, it is the path that came
   * closest, which may be incomplete. It is empty if the certificate cannot be parsed.
   */
  readonly chain: readonly ParsedCertificate[];
  /** The reasons why the certificate does not verify, or none if it does. */
  readonly reasons: readonly Reason[];
  /** Object identifiers of the certificate policies for which the path is valid. */
  readonly policies: readonly string[];
}

// members of an object, so that the compiler reports a missing option
const optionNames: { readonly [K in keyof VerifyOptions]-?: 0 } = {
  anchors: 0,
  intermediates: 0,
  crls: 0,
  ocsp: 0,
  purpose: 0,
  name: 0,
  at: 0,
  revocation: 0,
  policies: 0,
};

const policyOptionNames: { readonly [K in keyof PolicyOptions]-?: 0 } = {
  accepted: 0,
  requireExplicit: 0,
  inhibitMapping: 0,
  inhibitAny: 0,
};

/** Throws `TypeError` for invalid options, which would otherwise silently have no effect. */
function checkOptions({ at, revocation, policies }: VerifyOptions): void {
  if (at !== undefined) secondsOf(at);
  if (policies) rejectUnknownOptions("policies", policies, policyOptionNames);
  if (revocation !== undefined && !revocationModes.includes(revocation))
    throw new TypeError(
      `revocation: expected ${revocationModes.join(", ")}, got ${JSON.stringify(revocation)}`,
    );
}

/** Maximum size of a certificate in bytes. */
const maxCertificate = 128 * 1024;

/**
 * Verifies a certificate (RFC 5280 section 6): builds paths to the anchors and validates
 * signatures, validity, CA and name constraints, policies, purpose, name (RFC 9525) and revocation
 * (CRLs and OCSP, RFC 6960). If PEM contains several certificates, verifies the first and uses the
 * others as intermediates. Fetches nothing, and ignores malformed intermediates, CRLs and OCSP
 * responses.
 *
 * If the certificate does not verify, for any reason, the result contains the reasons. Rejects with
 * `TypeError` for invalid options, and with `CaError` `malformed` if the input is not a certificate
 * or no anchor can be parsed.
 */
export const verify = async (input: DerInput, options: VerifyOptions): Promise<VerifyResult> =>
  verifier(options)(input);

/**
 * Parses anchors, intermediates, CRLs and OCSP responses once, and returns a function that verifies
 * certificates with them. It is faster than `verify` for many certificates. Without `at`, each
 * certificate is verified as of the time of the call. Throws the errors with which `verify`
 * rejects.
 */
export function verifier(options: VerifyOptions): (input: DerInput) => Promise<VerifyResult> {
  rejectUnknownOptions("verify", options, optionNames);
  checkOptions(options);
  const anchors = certificatesIn(listOf(options.anchors));
  if (anchors.length === 0)
    throw new CaError("malformed", "anchors: expected at least one certificate that can be parsed");
  const { name, purpose = name === undefined ? "any" : "serverAuth" } = options;
  const required = { purpose: requiredPurpose(purpose), name, policies: options.policies ?? {} };
  const sources = sourcesOf(anchors, options);
  return async (input) => {
    const [der = new Uint8Array(0), ...rest] = derOf(input, certificateInput);
    const certificate = tryRead(() => parseDer(der));
    if (!certificate) return unreadable(der);
    const leaf =
      anchors.find((anchor) => equalBytes(anchor.certificate.der, der)) ??
      pathCertificate(certificate);
    if (der.length > maxCertificate)
      return resultOf(
        refusedPath(
          leaf,
          "too_complex",
          `the certificate has ${der.length} bytes, more than ${maxCertificate}`,
        ),
      );
    const at = secondsOf(options.at ?? new Date());
    return resultOf(await bestPath(leaf, { ...required, at }, withIntermediates(sources, rest)));
  };
}

function secondsOf(at: Date): number {
  if (!(at instanceof Date && Number.isFinite(at.getTime())))
    throw new TypeError("at: expected a valid Date");
  return Math.floor(at.getTime() / 1000);
}

const listOf = (input: readonly DerInput[] | DerInput | undefined): readonly DerInput[] =>
  input === undefined ? [] : isList(input) ? input : [input];
const isList = (input: readonly DerInput[] | DerInput): input is readonly DerInput[] =>
  Array.isArray(input);

/** Parses a list of inputs, dropping those that cannot be parsed. */
const readable = <T>(
  inputs: readonly DerInput[],
  kind: InputKind,
  read: (der: Uint8Array) => T,
): readonly T[] =>
  inputs
    .flatMap((input) => tryRead(() => derOf(input, kind)) ?? [])
    .flatMap((der) => tryRead(() => read(der)) ?? []);

const certificatesIn = (inputs: readonly DerInput[]): readonly PathCertificate[] =>
  readable(inputs, certificateInput, (der) => pathCertificate(parseDer(der)));

const intermediatesIn = (inputs: readonly DerInput[]): readonly PathCertificate[] =>
  certificatesIn(inputs).filter(({ certificate }) => certificate.der.length <= maxCertificate);

function sourcesOf(anchors: readonly PathCertificate[], options: VerifyOptions): PathSources {
  const hasEvidence = options.crls !== undefined || options.ocsp !== undefined;
  return {
    crls: newestFirst(readable(listOf(options.crls), crlInput, loadCrl)),
    ocsp: readable(listOf(options.ocsp), ocspInput, signedAnswers),
    mode: options.revocation ?? (hasEvidence ? "chain" : "available"),
    pool: certificatePool(anchors, intermediatesIn(listOf(options.intermediates))),
  };
}

/** Adds the certificates that follow the leaf in a bundle, which are never trusted as anchors. */
function withIntermediates(sources: PathSources, bundle: readonly Uint8Array[]): PathSources {
  if (bundle.length === 0) return sources;
  return { ...sources, pool: extendPool(sources.pool, intermediatesIn(bundle)) };
}

function unreadable(der: Uint8Array): VerifyResult {
  let message = "the certificate cannot be parsed";
  try {
    parseDer(der);
  } catch (error) {
    if (error instanceof CaError) message = error.message;
  }
  const reason: Reason = { code: "malformed", message, certificate: undefined };
  return { ok: false, chain: [], reasons: [reason], policies: [] };
}

function resultOf({ path, reasons, policies }: PathResult): VerifyResult {
  const parsed = new Map<PathCertificate, ParsedCertificate>();
  for (const one of path) {
    const certificate = readableCertificate(one.certificate);
    if (certificate) parsed.set(one, certificate);
  }
  return {
    ok: reasons.length === 0,
    chain: [...parsed.values()],
    reasons: reasons.map(({ code, message, at }) => ({
      code,
      message,
      certificate: parsed.get(at),
    })),
    policies: reasons.length === 0 ? policies : [],
  };
}
