import type { ParsedCertificate, VerifyResult } from "../../../src/verify/index.ts";
import { CaError } from "../../../src/base/errors.ts";
import { exitCodes, type Command } from "../command.ts";
import { jsonFlag } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { readInputBytes } from "../input.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { formatTime, printable, printJson } from "../output.ts";
import { parseTlsAddress, presentedCertificates } from "../../client/presented-certificates.ts";
import { readCa } from "../source.ts";
import { trustedRoots } from "../../client/trusted-roots.ts";

type Flags = ReadonlyMap<string, string>;
const revocationModes = ["chain", "leaf"] as const;
const purposes = ["serverAuth", "clientAuth", "codeSigning", "emailProtection", "any"] as const;

/** Declares `verify`, which verifies a certificate. */
export const verify: Command = {
  name: "verify",
  summary: "verify a certificate from a file or a TLS server",
  arguments: [
    {
      name: "what",
      meaning:
        "file with the certificate and its chain, - for standard input, host:port, or https:// URL",
    },
  ],
  flags: [
    {
      flag: "--ca",
      variable: "SEALWRIGHT_CACERT",
      meaning: "PEM file with the trusted roots",
      default: "the roots that this machine trusts",
    },
    {
      flag: "--name",
      meaning: "host name, IP address, email address or URI that the certificate must contain",
      default: "the host of a TLS server; any name for a file",
    },
    {
      flag: "--purpose",
      meaning: `purpose that the certificate must allow: ${purposes.join(", ")}`,
      choices: purposes,
      default: "serverAuth with a name, otherwise any",
    },
    {
      flag: "--crl",
      meaning: "comma-separated CRL files, from the issuer of each certificate except the root",
      default: "revocation is not checked",
    },
    {
      flag: "--revocation",
      meaning:
        "with --crl, which certificates need a CRL: chain (all but the root) or leaf (only the first)",
      choices: revocationModes,
      default: "chain",
    },
    {
      flag: "--at",
      meaning: "time at which the certificate must be valid, RFC 3339",
      default: "now",
    },
    jsonFlag,
  ],
  about: [
    "Verifies a certificate according to RFC 5280 section 6: the path to a trusted root, validity,",
    `constraints, purpose and names. Exits with 0 if it is valid, and with ${exitCodes.invalid} if it is not.`,
  ],
  examples: [
    "sealwright verify tls/fullchain.pem --ca tls/root.pem --name localhost",
    "sealwright get pki/issuer/intermediate/crl/pem > crl.pem",
    "sealwright get pki/issuer/root/crl/pem > root-crl.pem",
    "sealwright verify tls/fullchain.pem --ca tls/root.pem --crl crl.pem,root-crl.pem",
    "sealwright verify tls/fullchain.pem --ca tls/root.pem --crl crl.pem --revocation leaf",
  ],
  otherExamples: {
    notRun: "needs a server with TLS",
    lines: ["sealwright verify ca.corp.example:443"],
  },
  async run({ flags, words: [what = ""] }, { env }) {
    const address = parseTlsAddress(what);
    const [certificate, ...intermediates] = address
      ? await presentedCertificates(address)
      : [await readInputBytes(what)];
    if (certificate === undefined) throw new LaunchError(`${what} sends no certificate.`);
    const { verify: check } = await import("../../../src/verify/index.ts");
    const name = flags.get("--name") ?? address?.host;
    const purpose = purposes.find((one) => one === flags.get("--purpose"));
    const crls = await readCrls(flags);
    const revocation = revocationModes.find((one) => one === flags.get("--revocation"));
    if (revocation && crls.length === 0) throw new UsageError("--revocation requires --crl.");
    const at = timeOf(flags);
    const anchors =
      readCa(flags, env) ?? trustedRoots() ?? (await import("node:tls")).rootCertificates;
    const result = await clearly(what, () =>
      check(certificate, {
        anchors,
        intermediates,
        ...(name === undefined ? {} : { name }),
        ...(purpose === undefined ? {} : { purpose }),
        ...(crls.length > 0 ? { crls } : {}),
        ...(revocation === undefined ? {} : { revocation }),
        ...(at === undefined ? {} : { at }),
      }),
    );
    if (flags.has("--json"))
      printJson({
        valid: result.ok,
        revocation_checked: crls.length > 0,
        chain: result.chain.map(({ subject }) => subject.text),
        reasons: result.reasons.map(({ code, message, certificate: of }) => ({
          code,
          message,
          certificate: of?.subject.text,
        })),
      });
    else console.log(resultLines(what, result, crls.length > 0).join("\n"));
    return result.ok ? exitCodes.success : exitCodes.invalid;
  },
};

/** Formats a result as lines of text. */
function resultLines(
  what: string,
  { ok, chain, reasons }: VerifyResult,
  isRevocationChecked: boolean,
): readonly string[] {
  const [leaf] = chain;
  if (ok)
    return [
      `${what} is valid until ${formatTime(leaf?.notAfter.getTime() ?? 0)}.`,
      ...chain.map(({ subject }) => `  ${printable(subject.text)}`),
      ...(isRevocationChecked
        ? []
        : ["Revocation was not checked: pass the CRLs of the issuers with --crl."]),
    ];
  return [
    `${what} is not valid:`,
    ...reasons.map(
      ({ code, message, certificate }) =>
        `  ${subjectAbove(certificate, leaf, message)}${printable(message)} (${code})`,
    ),
    ...(reasons.some(({ code }) => code === "issuer_unknown")
      ? ["If you trust its root, pass it with --ca, or run sealwright trust install."]
      : []),
  ];
}

/**
 * Returns a certificate's subject as a prefix for `message`, or an empty string if the certificate
 * is the leaf or `message` already contains the subject.
 */
function subjectAbove(
  certificate: ParsedCertificate | undefined,
  leaf: ParsedCertificate | undefined,
  message: string,
): string {
  const { text } = certificate?.subject ?? {};
  const isClear = !text || certificate === leaf || message.includes(text);
  return isClear ? "" : `${printable(text)}: `;
}

/**
 * Runs a parser. Converts a `CaError` to a {@link LaunchError} that contains the name of the file.
 */
async function clearly<T>(file: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    throw new LaunchError(`${file} cannot be parsed: ${error.message}.`);
  }
}

/**
 * Reads the CRL files. Rejects with {@link LaunchError} if a CRL cannot be parsed, because the
 * verification would ignore it.
 */
async function readCrls(flags: Flags): Promise<readonly Uint8Array[]> {
  const files = flags.get("--crl")?.split(",") ?? [];
  const { parseCrl } = await import("../../../src/verify/index.ts");
  return Promise.all(
    files.map(async (name) => {
      const bytes = await readInputBytes(name.trim());
      await clearly(name.trim(), () => parseCrl(bytes));
      return bytes;
    }),
  );
}

function timeOf(flags: Flags): Date | undefined {
  const text = flags.get("--at");
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text);
  throw new UsageError("--at must be a time such as 2026-11-28T12:00:00Z.");
}
