import { certificatesIn } from "../certificate-chain.ts";
import { exitCodes, type Command } from "../command.ts";
import { jsonFlag } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { readInputBytes } from "../input.ts";
import { LaunchError } from "../launch-error.ts";
import { formatTime, printable, printJson } from "../output.ts";
import { parseTlsAddress, presentedCertificates } from "../presented-certificates.ts";
import { readCa } from "../source.ts";
import { trustedRoots } from "../trusted-roots.ts";

type Flags = ReadonlyMap<string, string>;
const purposes = ["serverAuth", "clientAuth", "codeSigning", "emailProtection", "any"] as const;

/** Verifies a certificate. */
export const verify: Command = {
  name: "verify",
  summary: "verify a certificate, or that of a TLS server",
  arguments: [
    {
      name: "what",
      meaning: "file with the certificate and its chain, -, host:port, or https:// URL",
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
      meaning: "host name, IP address, mail address or URI it must be for",
      default: "the host of a TLS server, any name for a file",
    },
    {
      flag: "--purpose",
      meaning: `purpose it must have: ${purposes.join(", ")}`,
      choices: purposes,
      default: "serverAuth with a name, otherwise any",
    },
    {
      flag: "--crl",
      meaning: "comma-separated files with CRLs; then each certificate must be in none of them",
      default: "revocation is not checked",
    },
    { flag: "--at", meaning: "time of the verification, RFC 3339", default: "now" },
    jsonFlag,
  ],
  about: [
    "Verifies a certificate by RFC 5280 section 6: the path to a trusted root, validity, constraints,",
    `purpose and names. Exits with 0 if it is valid, with ${exitCodes.invalid} if it is not.`,
  ],
  examples: ["sealwright verify tls/fullchain.pem --ca tls/root.pem --name localhost"],
  otherExamples: {
    notRun: "needs a server with TLS",
    lines: ["sealwright verify ca.corp.example:443"],
  },
  async run({ flags, words: [what = ""] }, { env }) {
    const address = parseTlsAddress(what);
    const [certificate, ...intermediates] = address
      ? await presentedCertificates(address)
      : await readChain(what);
    if (certificate === undefined) throw new LaunchError(`${what} contains no certificate.`);
    const { verify: check } = await import("../../../src/verify/index.ts");
    const name = flags.get("--name") ?? address?.host;
    const purpose = purposes.find((one) => one === flags.get("--purpose"));
    const crls = await readCrls(flags);
    const at = timeOf(flags);
    const { ok, chain, reasons } = await check(certificate, {
      anchors: readCa(flags, env) ?? trustedRoots() ?? (await import("node:tls")).rootCertificates,
      intermediates,
      ...(name === undefined ? {} : { name }),
      ...(purpose === undefined ? {} : { purpose }),
      ...(crls.length > 0 ? { crls } : {}),
      ...(at === undefined ? {} : { at }),
    });
    const path = chain.map(({ subject }) => subject.text);
    const [leaf] = chain;
    if (flags.has("--json"))
      printJson({
        valid: ok,
        chain: path,
        reasons: reasons.map(({ code, message }) => ({ code, message })),
      });
    else if (ok)
      console.log(
        [
          `${what} is valid until ${formatTime(leaf?.notAfter.getTime() ?? 0)}.`,
          ...path.map((one) => `  ${printable(one)}`),
        ].join("\n"),
      );
    else
      console.log(
        [
          `${what} is not valid:`,
          ...reasons.map(({ code, message }) => `  ${printable(message)} (${code})`),
        ].join("\n"),
      );
    return ok ? exitCodes.success : exitCodes.invalid;
  },
};

/** Reads PEM with a chain, or the DER of one certificate. */
async function readChain(file: string): Promise<readonly (string | Uint8Array)[]> {
  const bytes = await readInputBytes(file);
  const text = new TextDecoder().decode(bytes);
  return text.includes("-----BEGIN ") ? certificatesIn(text) : [bytes];
}

async function readCrls(flags: Flags): Promise<readonly (string | Uint8Array)[]> {
  const files = flags.get("--crl")?.split(",") ?? [];
  return Promise.all(files.map((file) => readInputBytes(file.trim())));
}

function timeOf(flags: Flags): Date | undefined {
  const text = flags.get("--at");
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text);
  throw new UsageError("--at must be a time such as 2026-11-28T12:00:00Z.");
}
