import { equalBytes } from "../../base/bytes.ts";
import { rfc3339nano } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { parseSerial, serialText } from "../../base/ids.ts";
import { decodePem } from "../../base/pem.ts";
import type { Decision, Mount } from "../../engine/mount.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Row } from "../../engine/ports.ts";
import {
  certIndex,
  certRow,
  isIntact,
  keys,
  type CertRow,
  type RevokedRow,
} from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { stored } from "../../engine/stored.ts";
import { verifySignature } from "../../x509/algorithm.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { encodeRevokedEntry, revocationReasons } from "../../x509/crl.ts";
import { instant, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { decideFor } from "../request/attempt.ts";
import { heldWarnings } from "./crl-notice.ts";
import { rebuildNow } from "./crl-rebuild.ts";
import { crlWarnings } from "./crl-set.ts";
import { firstName } from "../request/first-name.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { storedRow } from "../issuer/stored-certificate.ts";

const revokeReply = {
  revocation_time: instant.required("When it was revoked, Unix seconds."),
  revocation_time_rfc3339: text.required("The same as text."),
  state: text.required("`revoked`."),
} as const;

export const revoke = endpoint({
  id: "revoke",
  at: ["POST /revoke"],
  access: "token",
  style: envelope,
  doc: "Revokes a certificate by serial number or by certificate. Revoking again answers the first time.",
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
  run: async (ca, input, caller) => {
    const reason = readReason(input.reason);
    const { reply, rebuild } = await decideFor(ca, caller, async (config, caller) => {
      const subject =
        input.certificate === undefined
          ? await bySerial(ca, input.serial_number ?? "")
          : await byCertificate(ca, config, input.certificate);
      return revocation(ca, config, subject, reason, caller);
    });
    if (rebuild !== undefined) await rebuildNow(ca, caller, [rebuild]);
    return reply;
  },
});

/**
 * The certificate to revoke. `row`: as stored; absent when it was presented and is not stored yet.
 * `isNew`: to be stored, in the place of damaged bytes too.
 */
interface Subject {
  readonly certificate: Certificate;
  readonly cert: CertRow;
  readonly row: Row<CertRow> | undefined;
  readonly isNew?: true;
}
interface Revocation {
  readonly reply:
    | {
        readonly revocation_time: number;
        readonly revocation_time_rfc3339: string;
        readonly state: string;
      }
    | undefined;
  /** The set whose list is to be built now. */
  readonly rebuild: string | undefined;
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

async function bySerial(ca: Mount, text: string): Promise<Subject> {
  if (text === "") throw new CaError("malformed", "The serial number must be provided");
  const serial = parseSerial(text);
  const row = serial ? await storedRow(ca, serial) : undefined;
  if (serial && row && !isIntact(row.value))
    throw new CaError(
      "damaged",
      `the stored certificate ${serialText(serial)} was altered in the storage; revoke it by presenting the certificate`,
    );
  if (!row)
    throw new CaError(
      "unknown_certificate",
      `certificate with serial ${serial ? serialText(serial) : text.slice(0, 128)} not found.`,
    );
  return { certificate: parseCertificate(row.value.der), cert: row.value, row };
}
/**
 * A certificate that is presented: the stored one, or one that an issuer of the mount signed (B
 * 1.1).
 */
async function byCertificate(ca: Mount, config: Snapshot, pem: string): Promise<Subject> {
  if (pem.length < 75)
    throw new CaError(
      "bad_certificate",
      "provided certificate data was too short; perhaps a path was passed to the API rather than the contents of a PEM file?",
    );
  const certificate = readPresented(pem);
  const row = await storedRow(ca, certificate.serial);
  if (row && isIntact(row.value)) {
    if (equalBytes(row.value.der, certificate.der)) return { certificate, cert: row.value, row };
    throw new CaError(
      "bad_certificate",
      "certificate with same serial but unequal value already present in this cluster's storage; refusing to revoke",
    );
  }
  for (const issuer of config.issuers.values()) {
    const parent = certificateOf(issuer);
    if (!equalBytes(parent.subject, certificate.issuer)) continue;
    if (
      await verifySignature(
        parent.spki,
        certificate.algorithm,
        certificate.tbs,
        certificate.signature,
      )
    )
      return {
        certificate,
        cert: certRow({
          der: certificate.der,
          issuer: issuer.id,
          crl_set: issuer.crl_set,
          role: row?.value.role ?? "",
        }),
        row,
        isNew: true,
      };
  }
  throw new CaError(
    "bad_certificate",
    "unable to verify signature on presented cert from any present issuer in this mount; certificates from previous CAs will need to have their issuing CA and key re-imported if revocation is necessary",
  );
}
function readPresented(pem: string): Certificate {
  let block;
  try {
    [block] = decodePem(pem);
  } catch {
    block = undefined;
  }
  if (!block) throw new CaError("bad_certificate", "certificate contains no PEM data");
  try {
    return parseCertificate(block.der);
  } catch (error) {
    throw new CaError(
      "bad_certificate",
      `certificate could not be parsed: ${error instanceof Error ? error.message : ""}`,
    );
  }
}

async function revocation(
  ca: Mount,
  config: Snapshot,
  { certificate, cert, row, isNew }: Subject,
  reason: number | undefined,
  caller: Caller,
): Promise<Decision<Revocation>> {
  const { serial } = certificate;
  for (const issuer of config.issuers.values())
    if (equalBytes(certificateOf(issuer).serial, serial))
      throw new CaError(
        "is_issuer",
        `adding issuer (id: ${issuer.id}) to its own CRL is not allowed`,
      );
  const [held] = await ca.store.get([keys.revoked(serial)]);
  // rows below revoked/ are written only here
  if (held) return { reply: { reply: replyOf(stored.revoked(held.value)), rebuild: undefined } };
  const now = ca.ports.now();
  if (
    certificate.notAfter < Math.floor(now / 1000) + 2 &&
    !config.crl.allow_expired_cert_revocation
  ) {
    caller.warn(
      `certificate with serial ${serialText(serial)} already expired; refusing to add to CRL. If this certificate should be revoked, set allow_expired_cert_revocation on /config/crl.`,
    );
    return { reply: { reply: undefined, rebuild: undefined } };
  }
  const entry: RevokedRow = {
    at: now,
    issuer: cert.issuer,
    crl_set: cert.crl_set,
    ...(reason === undefined ? {} : { reason }),
  };
  const list = config.crl.disable ? undefined : listOf(config, cert.crl_set);
  // in case the build below never ends: revocations of ten seconds share one job
  const due = Math.ceil((now + 5000) / 10_000) * 10_000;
  const builds = list !== undefined && !config.crl.auto_rebuild;
  const hindrances = builds
    ? crlWarnings(config, [list])
    : list === undefined
      ? []
      : await heldWarnings(ca, config, list);
  for (const warning of hindrances) caller.warn(warning);
  caller.note({ serial: serialText(serial).replaceAll(":", "") });
  return {
    reply: { reply: replyOf(entry), rebuild: builds ? list : undefined },
    batch: {
      expect: [
        [keys.cert(serial), row?.rev ?? null],
        [keys.revoked(serial), null],
      ],
      put: [
        [keys.revoked(serial), entry, { not_after: certificate.notAfter, issuer: cert.issuer }],
        ...(!isNew
          ? []
          : [
              [
                keys.cert(serial),
                cert,
                certIndex(certificate.notAfter, firstName(certificate), cert.role, cert.issuer),
              ] as const,
            ]),
        ...(builds ? [jobRow({ due, now }, "crl", list)] : []),
      ],
      append: [
        [
          keys.crlPages(cert.crl_set),
          encodeRevokedEntry({
            serial,
            revokedAt: Math.floor(now / 1000),
            ...(reason === undefined ? {} : { reason }),
          }),
        ],
      ],
    },
  };
}
/**
 * The set whose list names a revoked certificate: its own, or the default issuer's when nobody of
 * its own is left.
 */
function listOf(config: Snapshot, set: string): string | undefined {
  for (const issuer of config.issuers.values())
    if (issuer.crl_set === set && issuer.key_id !== "") return set;
  return config.issuers.get(config.issuersConfig.default)?.crl_set;
}
const replyOf = ({ at }: RevokedRow) => ({
  revocation_time: Math.floor(at / 1000),
  revocation_time_rfc3339: rfc3339nano(at),
  state: "revoked",
});
