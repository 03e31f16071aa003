import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { encodePath } from "../api-path.ts";
import { chainOf } from "../../../src/node/certificate-chain.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { pemTextOf, readInputBytes } from "../input.ts";
import { checkOutputFile } from "../output-path.ts";
import { formatTime, printJson, printWarnings } from "../output.ts";
import { explainNames } from "../request-certificate.ts";
import { roleFlag, ttlFlag, ttlOf } from "./issue.ts";

/** Declares `sign`, which issues a certificate for a CSR. */
export const sign: Command = {
  name: "sign",
  summary: "issue a certificate for a certificate signing request (CSR)",
  arguments: [{ name: "csr", meaning: "file with a CSR in PEM or DER, or - for standard input" }],
  flags: [
    ...connectionFlags,
    mountFlag,
    roleFlag,
    ttlFlag,
    {
      flag: "--name",
      meaning: "common name, if the role does not use the one in the CSR",
      default: "the common name in the CSR",
    },
    {
      flag: "--out",
      meaning: "file for the certificate and its chain",
      default: "print the certificate and its chain",
    },
    jsonFlag,
  ],
  about: ["Issues a certificate for the key in a CSR, with the names that the role allows."],
  examples: [
    "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -subj /CN=localhost -out csr.pem",
    "sealwright sign csr.pem --out fullchain.pem",
  ],
  async run({ flags, words: [file = ""] }, context) {
    const csr = csrOf(await readInputBytes(file));
    if (csr === undefined)
      throw new UsageError(
        `${file} is not a CSR: it is neither PEM ("BEGIN CERTIFICATE REQUEST") nor DER.`,
      );
    const out = flags.get("--out");
    if (out !== undefined) checkOutputFile(out);
    const mount = encodePath(flags.get("--mount") ?? "pki");
    const pki = (await connect(flags, context)).mount(mount);
    const role = flags.get("--role") ?? "server";
    const ttl = ttlOf(flags);
    const signed = await explainNames(
      { mount, role },
      pki.sign({ role, csr, common_name: flags.get("--name"), ttl }),
    );
    printWarnings(signed);
    const { certificate, intermediates, root } = chainOf(signed);
    const fullchain = [certificate, ...intermediates].join("");
    if (out !== undefined) writeFileSync(resolve(out), fullchain);
    const { serial_number, expiration } = signed;
    const about = { serial_number, not_after: new Date(expiration * 1000).toISOString() };
    if (flags.has("--json")) printJson({ ...about, certificate, intermediates, root });
    else if (out === undefined) console.log(fullchain.trimEnd());
    else
      console.log(
        `Signed ${out}, valid until ${formatTime(expiration * 1000)}, serial number ${serial_number}.`,
      );
    return 0;
  },
};

/** Returns a CSR as PEM text, or undefined if the bytes are neither PEM with a CSR nor DER. */
function csrOf(bytes: Uint8Array): string | undefined {
  const text = pemTextOf(bytes);
  if (text?.includes("CERTIFICATE REQUEST-----")) return text;
  const isDer = text === undefined && bytes[0] === 0x30;
  return isDer ? encodePem("CERTIFICATE REQUEST", bytes) : undefined;
}
