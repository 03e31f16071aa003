import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { encodePath } from "../api-path.ts";
import { chainOf } from "../../../src/node/certificate-chain.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { readInput } from "../input.ts";
import { formatTime, printJson, printWarnings } from "../output.ts";
import { explainNames } from "../request-certificate.ts";
import { roleFlag, ttlFlag } from "./issue.ts";

/** Declares `sign`, which issues a certificate for a CSR. */
export const sign: Command = {
  name: "sign",
  summary: "issue a certificate for a certificate signing request (CSR)",
  arguments: [{ name: "csr", meaning: "PEM file with a CSR, or - for standard input" }],
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
    const csr = await readInput(file);
    if (!csr.includes("CERTIFICATE REQUEST-----"))
      throw new UsageError(`${file} contains no PEM CSR ("BEGIN CERTIFICATE REQUEST").`);
    const mount = encodePath(flags.get("--mount") ?? "pki");
    const pki = (await connect(flags, context)).mount(mount);
    const role = flags.get("--role") ?? "server";
    const ttl = flags.get("--ttl");
    const signed = await explainNames(
      { mount, role },
      pki.sign({ role, csr, common_name: flags.get("--name"), ttl }),
    );
    printWarnings(signed);
    const { certificate, intermediates, root } = chainOf(signed);
    const fullchain = [certificate, ...intermediates].join("");
    const out = flags.get("--out");
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
