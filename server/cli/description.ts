import { X509Certificate } from "node:crypto";
import { describeCrl, describeCsr } from "../../src/describe/describe-others.ts";
import { describeCertificate } from "../../src/describe/describe.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { formatColumns, formatDistance, formatTime, printable } from "./output.ts";

/** A description of a certificate, CSR or CRL, printed as text or as JSON. */
export interface DocumentDescription {
  readonly kind: "certificate" | "csr" | "crl";
  readonly [member: string]: unknown;
}

interface DescribedExtension {
  readonly name: string;
  readonly critical: boolean;
  readonly value: readonly string[];
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

const describers = {
  certificate(input: string | Uint8Array): DocumentDescription {
    const { notBefore, notAfter, ...rest } = describeCertificate(input);
    const sha256 = new X509Certificate(input).fingerprint256;
    return {
      kind: "certificate",
      ...rest,
      notBefore: iso(notBefore),
      notAfter: iso(notAfter),
      sha256,
    };
  },
  csr: (input: string | Uint8Array): DocumentDescription => ({
    kind: "csr",
    ...describeCsr(input),
  }),
  crl(input: string | Uint8Array): DocumentDescription {
    const { thisUpdate, nextUpdate, revoked, ...rest } = describeCrl(input);
    return {
      kind: "crl",
      ...rest,
      thisUpdate: iso(thisUpdate),
      ...(nextUpdate === undefined ? {} : { nextUpdate: iso(nextUpdate) }),
      revoked: revoked.map(({ revokedAt, ...one }) => ({ ...one, revokedAt: iso(revokedAt) })),
    };
  },
};

/**
 * Describes a certificate, CSR or CRL. `der` means DER of any of these. Throws {@link LaunchError}
 * if the input cannot be parsed.
 */
export function describeDocument(
  kind: DocumentDescription["kind"] | "der",
  input: string | Uint8Array,
): DocumentDescription {
  const kinds = kind === "der" ? (["certificate", "csr", "crl"] as const) : [kind];
  let cause: unknown;
  for (const one of kinds) {
    try {
      return describers[one](input);
    } catch (error) {
      cause ??= error;
    }
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  throw new LaunchError(
    kind === "der"
      ? "The input is not a certificate, CSR or CRL."
      : `The ${kind} cannot be parsed: ${text}.`,
  );
}

const labels: Readonly<Record<string, string>> = {
  subject: "Subject",
  issuer: "Issuer",
  serial: "Serial number",
  number: "CRL number",
  names: "Names",
  notBefore: "Valid from",
  notAfter: "Valid until",
  thisUpdate: "This update",
  nextUpdate: "Next update",
  revocation: "Revocation",
  revokedAt: "Revoked at",
  key: "Key",
  signatureAlgorithm: "Signature",
  sha256: "SHA-256",
};
const titles = { certificate: "Certificate", csr: "Certificate signing request", crl: "CRL" };

/** Formats a description for a terminal. */
export function formatDescription(described: DocumentDescription): string {
  const { kind, extensions, revoked } = described;
  const rows = Object.entries(labels).flatMap(([name, label]) => {
    const value = described[name];
    return value === undefined ? [] : [[`  ${label}`, formatMember(name, value)]];
  });
  return [
    titles[kind],
    formatColumns(rows),
    ...(extensions as readonly DescribedExtension[]).flatMap(formatExtension),
    ...(Array.isArray(revoked) ? formatRevoked(revoked) : []),
  ].join("\n");
}

function formatMember(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  if (!/^(?:not|this|next|revoked)[A-Z]/.test(name)) return printable(text);
  const time = Date.parse(text);
  return `${formatTime(time)} (${formatDistance(time - Date.now())})`;
}

const formatExtension = ({ name, critical, value }: DescribedExtension): readonly string[] => [
  `  ${name}${critical ? " (critical)" : ""}`,
  ...value.map((line) => `      ${printable(line)}`),
];

/** Maximum number of CRL entries in the text form. */
const maxEntries = 50;

function formatRevoked(revoked: readonly Record<string, unknown>[]): readonly string[] {
  const shown = revoked
    .slice(0, maxEntries)
    .map(({ serial, revokedAt, reason = "" }) => [
      `      ${String(serial)}`,
      formatTime(Date.parse(String(revokedAt))),
      String(reason),
    ]);
  const more = revoked.length - shown.length;
  return [
    `  Revoked: ${revoked.length}`,
    ...(shown.length > 0 ? [formatColumns(shown)] : []),
    ...(more > 0 ? [`      and ${more} more; see --json`] : []),
  ];
}
