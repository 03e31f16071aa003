import { connect, connectionFlags, jsonFlag, mountFlag } from "../connection.ts";
import { encodePath } from "../api-path.ts";
import type { Command, Context } from "../command.ts";
import { pemTextOf, readInputBytes } from "../input.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { printJson } from "../output.ts";
import { parseTlsAddress, presentedCertificates } from "../../client/presented-certificates.ts";
import { checkFileArgument, parseSerialArgument } from "../serial-argument.ts";

type Flags = ReadonlyMap<string, string>;

/** Declares `inspect`, which shows certificates, CSRs and CRLs. */
export const inspect: Command = {
  name: "inspect",
  summary: "show certificates, a CSR or a CRL",
  arguments: [
    {
      name: "what",
      meaning: "file (PEM or DER), - for standard input, host:port, https:// URL, or serial number",
    },
  ],
  flags: [...connectionFlags, mountFlag, jsonFlag],
  about: [
    "Shows the certificates, CSR or CRL in a file, the certificates of a TLS server, or a",
    "certificate that this CA has issued and whether it is revoked. To verify a certificate, use",
    "sealwright verify.",
  ],
  examples: [
    "sealwright inspect tls/fullchain.pem",
    "sealwright get pki/crl/pem > crl.pem",
    "sealwright inspect crl.pem --json",
  ],
  otherExamples: {
    notRun: "needs a server with TLS",
    lines: ["sealwright inspect ca.corp.example:443"],
  },
  async run({ flags, words: [what = ""] }, context) {
    const documents = await readDocuments(what, flags, context);
    const { describeDocument, formatDescription } = await import("../description.ts");
    const described = documents.map(({ kind, bytes, revokedAt }) => ({
      ...describeDocument(kind, bytes),
      ...revocationOf(revokedAt),
    }));
    if (flags.has("--json")) printJson(described);
    else console.log(described.map(formatDescription).join("\n\n"));
    return 0;
  },
};

/** A certificate, CSR or CRL, as PEM or DER. */
interface Document {
  readonly kind: "certificate" | "csr" | "crl" | "der";
  readonly bytes: string | Uint8Array;
  /** Time of revocation, Unix seconds; 0 if not revoked, undefined if unknown. */
  readonly revokedAt?: number;
}

function revocationOf(revokedAt: number | undefined): object {
  if (revokedAt === undefined) return {};
  if (revokedAt === 0) return { revocation: "not revoked" };
  return { revocation: "revoked", revokedAt: new Date(revokedAt * 1000).toISOString() };
}

async function readDocuments(
  what: string,
  flags: Flags,
  context: Context,
): Promise<readonly Document[]> {
  const serial = parseSerialArgument(what);
  if (serial !== undefined) {
    const mount = encodePath(flags.get("--mount") ?? "pki");
    const { certificate, revocation_time } = await (
      await connect(flags, context)
    )
      .mount(mount)
      .readCert({ serial });
    return [{ kind: "certificate", bytes: certificate, revokedAt: revocation_time }];
  }
  const address = parseTlsAddress(what);
  if (address)
    return (await presentedCertificates(address)).map((bytes) => ({ kind: "certificate", bytes }));
  checkFileArgument(what, "serial number, host:port or https:// URL");
  const bytes = await readInputBytes(what);
  const text = pemTextOf(bytes);
  if (text === undefined) return [{ kind: "der", bytes }];
  const documents = [
    ...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g),
  ].flatMap(([pem, label = ""]): readonly Document[] => {
    const kind = kindOf(label);
    return kind ? [{ kind, bytes: pem }] : [];
  });
  if (documents.length > 0) return documents;
  throw new LaunchError(`${what} contains no certificate, CSR or CRL.`);
}

function kindOf(label: string): Document["kind"] | undefined {
  if (label === "CERTIFICATE" || label === "X509 CERTIFICATE") return "certificate";
  if (label.endsWith("CERTIFICATE REQUEST")) return "csr";
  return label === "X509 CRL" ? "crl" : undefined;
}
