import { crlConfig } from "../rows/settings.ts";
import { CaError } from "../../base/errors.ts";
import { lowerCaseForm, serialForm } from "../../base/forms.ts";
import { serialText } from "../../base/ids.ts";
import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import { withEvents } from "../../events/raise.ts";
import { provePossession, readPossessedKey } from "../../keys/possession.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { withNormalForm, instant, text, secret } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { affectedCrls } from "../crl/active-crls.ts";
import { tooLargeWarnings } from "../crl/crl-overdue.ts";
import { deltaJobs, buildJob, rebuildNow } from "../crl/crl-schedule.ts";
import { crlWarnings } from "../crl/crl-set.ts";
import { revokedEvents } from "../issuer/certificate-events.ts";
import { noteSerial } from "../request/format.ts";
import {
  confirmRequest,
  isTooOldToRevoke,
  readReason,
  reasonNames,
  revocationOutput,
  revokedRow,
  revokeChange,
  revokeMissing,
  storeChange,
} from "./revocation.ts";
import { refuseIssuer, findSubject, type RevocationSubject } from "./revoke-subject.ts";

const revokeReply = {
  revocation_time: instant.optional("Time of revocation, Unix seconds; absent while pending."),
  revocation_time_rfc3339: text.optional("Time of revocation, RFC 3339; absent while pending."),
  state: text.required(
    "`revoked`, or `pending` if the certificate is not stored here and cross_cluster_revocation is enabled.",
    ["revoked", "pending"],
  ),
} as const;

/** Declarations that the endpoints for revoking a certificate share. */
const revokeShape = {
  access: "token",
  style: envelope,
  body: {
    serial_number: withNormalForm(text, serialForm).optional(
      "Serial number of the certificate: hexadecimal octets, separated by colons or hyphens.",
    ),
    certificate: text.optional(
      "The certificate itself, PEM. It must be signed by an issuer of this mount.",
    ),
    reason: withNormalForm(text, lowerCaseForm).optional(
      "Reason for the revocation: the name of a CRLReason (RFC 5280 section 5.3.1), such as keyCompromise.",
      reasonNames,
    ),
  },
  rules: [
    {
      exactlyOne: ["serial_number", "certificate"],
      none: "The serial number or certificate to revoke must be provided.",
      many: "Must provide either the certificate or the serial to revoke; not both.",
    },
  ],
  reply: revokeReply,
  nullable: true,
  refuses: [
    "invalid_field",
    "malformed",
    "unknown_certificate",
    "is_issuer",
    "bad_certificate",
    "damaged",
  ],
} as const;

export const revoke = endpoint({
  ...revokeShape,
  id: "revoke",
  at: ["POST /revoke"],
  doc: "Revokes a certificate, given its serial number or the certificate itself. If it is already revoked, returns the original time of revocation. If it is not stored here and cross_cluster_revocation is enabled in config/crl, queues the revocation.",
  audits: { plain: ["serial_number"], always: true },
  refuses: [...revokeShape.refuses, "too_many_requests"],
  run: (mount, input, caller) => revokeRequested(mount, input, caller),
});

/**
 * Revokes the certificate in a request, and builds its CRLs. `admit` throws if the caller may not
 * revoke the certificate. It runs before anything about the certificate is revealed.
 */
async function revokeRequested(
  mount: Mount,
  input: Input<typeof revokeShape.body, "POST /revoke">,
  caller: Caller,
  admit?: (certificate: Certificate) => Promise<void>,
) {
  const reason = readReason(input.reason);
  const deciding = mount.decideFor(caller, async (config, caller) => {
    const subject = await findSubject(mount, config, input);
    if (!("certificate" in subject)) {
      const request = { ...subject, reason, byKey: admit !== undefined };
      const { reply, ...change } = await revokeMissing(mount, config, request, caller);
      return { reply: { reply }, ...change };
    }
    await admit?.(subject.certificate);
    return revocationChange(mount, config, { ...subject, reason }, caller);
  });
  const { reply, rebuild = [] } = await deciding.catch(ofRemovedMount);
  await rebuildNow(mount, caller, rebuild);
  return reply;
}

/**
 * Returns an empty response if the mount was removed concurrently (B 1.1 rule 6), and rethrows any
 * other error.
 */
function ofRemovedMount(error: unknown): RevocationResult {
  if (error instanceof CaError && error.code === "no_route") return { reply: undefined };
  throw error;
}

/**
 * The result of a revocation. `reply` is undefined if the certificate has expired and is not
 * revoked, or if the mount was deleted.
 */
interface RevocationResult {
  readonly reply: { readonly state: string } | undefined;
  /** IDs of the CRLs to build now. */
  readonly rebuild?: readonly string[];
}

/** The certificate to revoke, and the reason. */
interface RevocationRequest extends RevocationSubject {
  readonly reason: number | undefined;
}
/**
 * Returns the change that revokes a certificate, unless it is already revoked or has expired.
 * Throws `is_issuer` for a certificate of one of the mount's issuers.
 */
export async function revocationChange(
  mount: Mount,
  config: Snapshot,
  request: RevocationRequest,
  caller: Caller,
): Promise<Decision<RevocationResult>> {
  const { certificate, cert, revoked, reason } = request;
  const serial = serialText(certificate.serial);
  refuseIssuer(config, certificate.serial);
  if (revoked) return { reply: { reply: revocationOutput(revoked) } };
  const now = mount.ports.now();
  if (isTooOldToRevoke(config, certificate.notAfter, now)) {
    caller.reply.warn(
      `certificate with serial ${serial} already expired; refusing to add to CRL. If this certificate should be revoked, set allow_expired_cert_revocation on /config/crl.`,
    );
    return {
      reply: { reply: undefined },
      ...(request.isNew ? { batch: await storeChange(mount, request) } : {}),
    };
  }
  const row = revokedRow(cert, now, reason);
  const { disable, auto_rebuild } = config.get(crlConfig);
  const crlIds = disable ? [] : await affectedCrls(mount, config, cert);
  for (const warning of await affectedCrlWarnings(mount, config, crlIds))
    caller.reply.warn(warning);
  noteSerial(caller, serial);
  const { put, ...change } = mergeBatches(
    await storeChange(mount, request),
    await revokeChange(mount, config, certificate, row),
    confirmRequest(request, now),
  );
  const jobs = auto_rebuild
    ? deltaJobs(config, crlIds, now)
    : crlIds.map((crlId) => buildJob(crlId, now));
  const revocation = {
    reply: { reply: revocationOutput(row), rebuild: auto_rebuild ? [] : crlIds },
    batch: { ...change, put: [...put, ...jobs] },
    done: () => mount.ports.meter?.count("revoked", [mount.name]),
  };
  return withEvents(
    revocation,
    await revokedEvents(mount, config, [
      { cert: { ...cert, der: certificate.der }, at: now, reason },
    ]),
  );
}

/** Returns warnings about affected CRLs that currently cannot be rebuilt. */
async function affectedCrlWarnings(
  mount: Mount,
  config: Snapshot,
  crlIds: readonly string[],
): Promise<readonly string[]> {
  if (!config.get(crlConfig).auto_rebuild) return crlWarnings(config, crlIds);
  const warnings = await Promise.all(crlIds.map((crlId) => tooLargeWarnings(mount, config, crlId)));
  return [...new Set(warnings.flat())];
}

export const revokeWithKey = endpoint({
  ...revokeShape,
  id: "revokeWithKey",
  at: ["POST /revoke-with-key"],
  doc: "Revokes a certificate, given its serial number or the certificate itself, if the caller proves possession of the private key. The key is not stored.",
  body: {
    ...revokeShape.body,
    private_key: {
      ...secret.optional(
        "Private key of the certificate, unencrypted PEM: PKCS#8, PKCS#1 or SEC1.",
      ),
      // the handler reports a missing and an empty key with different errors
      required: true,
    },
  },
  audits: { plain: ["serial_number"], always: true },
  refuses: [...revokeShape.refuses, "bad_key"],
  run: (mount, { private_key: pem, ...input }, caller) => {
    if (pem === undefined)
      throw new CaError(
        "malformed",
        "Must have private key to revoke via the /revoke-with-key path.",
      );
    if (pem.length < 64)
      throw new CaError(
        "bad_key",
        "Provided data for private_key was too short; perhaps a path was passed to the API rather than the contents of a PEM file?",
      );
    // the key is parsed once for all attempts, and only if the certificate exists (B 1.1)
    let reading: ReturnType<typeof readPossessedKey> | undefined;
    return revokeRequested(mount, input, caller, async ({ spki }) =>
      provePossession(await (reading ??= readPossessedKey(pem)), spki),
    );
  },
});
