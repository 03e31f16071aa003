import { equalBytes } from "../../base/bytes.ts";
import { rfc3339nano } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Decision } from "../../engine/unit.ts";
import type { Batch } from "../../engine/ports.ts";
import { certIndex, keys, type CertRow, type RevokedRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Certificate } from "../../x509/certificate.ts";
import { revocationReasons } from "../../x509/crl.ts";
import { instant, text } from "../../wire/field.ts";
import { endpoint, type Caller, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { firstName } from "../request/first-name.ts";
import { heldWarnings } from "./crl-notice.ts";
import { buildLater, rebuildNow } from "./crl-rebuild.ts";
import { encodedEntry } from "./crl-revocations.ts";
import { crlWarnings, listOf } from "./crl-set.ts";
import { subjectOf, type Subject } from "./revoke-subject.ts";
import { noteSerial } from "../request/serial-note.ts";

const revokeReply = {
  revocation_time: instant.required("When it was revoked, Unix seconds."),
  revocation_time_rfc3339: text.required("The same time in RFC 3339 form."),
  state: text.required("`revoked`."),
} as const;

/** What every way of revoking a certificate has in common. */
export const revoking = {
  access: "token",
  style: envelope,
  body: {
    serial_number: text.optional("Serial number: hexadecimal, colons or hyphens between octets."),
    certificate: text.optional("Certificate that an issuer of this mount signed, PEM."),
    reason: text.optional(
      "Reason code of the CRL entry by its name in RFC 5280 section 5.3.1, such as keyCompromise.",
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
  ...revoking,
  id: "revoke",
  at: ["POST /revoke"],
  doc: "Revokes a certificate by serial number or by certificate. If it is revoked already, the time of that revocation is returned.",
  run: (ca, input, caller) => revokeAsked(ca, input, caller),
});

/**
 * Revokes the certificate that a request names, and builds its list. `admit`: refuses what the
 * request may not revoke, by throwing, before anything is told of the revocation.
 */
export async function revokeAsked(
  ca: Mount,
  input: Input<typeof revoking.body, "POST /revoke">,
  caller: Caller,
  admit: (certificate: Certificate) => Promise<void> = async () => undefined,
) {
  const reason = readReason(input.reason);
  const { reply, rebuild } = await ca.decideFor(caller, async (config, caller) => {
    const subject = await subjectOf(ca, config, input);
    await admit(subject.certificate);
    return revocation(ca, config, { ...subject, reason }, caller);
  });
  if (rebuild !== undefined) await rebuildNow(ca, caller, [rebuild]);
  return reply;
}

interface Revocation {
  readonly reply: ReturnType<typeof replyOf> | undefined;
  /** The set whose list is to be built now. */
  readonly rebuild?: string | undefined;
}

function readReason(name: string | undefined): number | undefined {
  if (name === undefined || name === "") return undefined;
  const known = Object.entries(revocationReasons).filter(
    ([reason]) => reason !== "removeFromCRL" && reason !== "certificateHold",
  );
  const found = known.find(([reason]) => reason.toLowerCase() === name.toLowerCase());
  if (!found)
    throw new CaError(
      "malformed",
      `unknown revocation reason ${name.slice(0, 64)}: use one of ${known.map(([reason]) => reason).join(", ")}`,
    );
  return found[1] === 0 ? undefined : found[1];
}

/** What a request revokes, and why. */
interface Asked extends Subject {
  readonly reason: number | undefined;
}
async function revocation(
  ca: Mount,
  config: Snapshot,
  asked: Asked,
  caller: Caller,
): Promise<Decision<Revocation>> {
  const { certificate, cert, revoked, reason } = asked;
  const serial = serialText(certificate.serial);
  refuseIssuer(config, certificate.serial);
  if (revoked) return { reply: { reply: replyOf(revoked) } };
  const now = ca.ports.now();
  const ended = certificate.notAfter < Math.floor(now / 1000) + 2;
  if (ended && !config.crl.allow_expired_cert_revocation) {
    caller.warn(
      `certificate with serial ${serial} already expired; refusing to add to CRL. If this certificate should be revoked, set allow_expired_cert_revocation on /config/crl.`,
    );
    return { reply: { reply: undefined } };
  }
  const entry: RevokedRow = {
    at: now,
    issuer: cert.issuer,
    crl_set: cert.crl_set,
    ...(reason === undefined ? {} : { reason }),
  };
  const list = config.crl.disable ? undefined : listOf(config, cert.crl_set);
  const rebuild = config.crl.auto_rebuild ? undefined : list;
  if (list !== undefined)
    for (const warning of rebuild === undefined
      ? await heldWarnings(ca, config, list)
      : crlWarnings(config, [list]))
      caller.warn(warning);
  noteSerial(caller, serial);
  return { reply: { reply: replyOf(entry), rebuild }, batch: batchOf(asked, entry, rebuild) };
}

function refuseIssuer(config: Snapshot, serial: Uint8Array): void {
  for (const issuer of config.issuers.values())
    if (equalBytes(certificateOf(issuer).serial, serial))
      throw new CaError(
        "is_issuer",
        `adding issuer (id: ${issuer.id}) to its own CRL is not allowed`,
      );
}

/** The row of a certificate that was presented. */
const presented = (certificate: Certificate, cert: CertRow) =>
  [
    keys.cert(certificate.serial),
    cert,
    certIndex(certificate.notAfter, firstName(certificate), cert.role, cert.issuer),
  ] as const;

/** The change that revokes: the row, the entry of the list, and a job for that list. */
function batchOf(
  { certificate, cert, row, isNew }: Subject,
  entry: RevokedRow,
  rebuild: string | undefined,
): Batch {
  const { serial, notAfter } = certificate;
  const { at: now, issuer } = entry;
  return {
    expect: [
      [keys.cert(serial), row?.rev ?? null],
      [keys.revoked(serial), null],
    ],
    put: [
      [keys.revoked(serial), entry, { not_after: notAfter, issuer }],
      ...(isNew ? [presented(certificate, cert)] : []),
      ...(rebuild === undefined ? [] : [buildLater(rebuild, now)]),
    ],
    append: [[keys.crlPages(entry.crl_set), encodedEntry(serial, entry)]],
  };
}
const replyOf = ({ at }: RevokedRow) => ({
  revocation_time: Math.floor(at / 1000),
  revocation_time_rfc3339: rfc3339nano(at),
  state: "revoked",
});
