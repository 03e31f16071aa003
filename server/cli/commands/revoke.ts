import { existsSync } from "node:fs";
import { join } from "node:path";
import { encodePath } from "../api-path.ts";
import { certificatesIn } from "../../../src/node/certificate-chain.ts";
import { fileNames } from "../certificate-files.ts";
import type { Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { pemTextOf, readInputBytes } from "../input.ts";
import { formatTime, printJson, printWarnings } from "../output.ts";
import { checkFileArgument, parseSerialArgument } from "../serial-argument.ts";

const reasons = [
  "unspecified",
  "keyCompromise",
  "cACompromise",
  "affiliationChanged",
  "superseded",
  "cessationOfOperation",
  "privilegeWithdrawn",
  "aACompromise",
] as const;

/** Declares `revoke`, which revokes a certificate. */
export const revoke: Command = {
  name: "revoke",
  summary: "revoke a certificate",
  arguments: [
    {
      name: "certificate",
      meaning: "serial number, file with the certificate, or output directory of issue",
    },
  ],
  flags: [
    ...connectionFlags,
    mountFlag,
    {
      flag: "--reason",
      meaning: `revocation reason to put in the CRL: ${reasons.join(", ")}`,
      choices: reasons,
      default: "none",
    },
    jsonFlag,
  ],
  about: [
    "Revokes a certificate. The next CRL lists it, and OCSP responses report it as revoked.",
    "If a file has the serial number as its name, the command revokes the certificate in the file.",
  ],
  examples: ["sealwright revoke www.corp.example/cert.pem --mount corp --reason superseded"],
  otherExamples: {
    notRun: "the serial number is only an example",
    lines: ["sealwright revoke 3f:5a:0c:11:9e:07"],
  },
  async run({ flags, words: [word = ""] }, context) {
    const started = Date.now();
    const serial_number = parseSerialArgument(word);
    const which =
      serial_number === undefined ? { certificate: await readFirst(word) } : { serial_number };
    const reason = reasons.find((one) => one === flags.get("--reason"));
    const mount = encodePath(flags.get("--mount") ?? "pki");
    const revoked = await (await connect(flags, context)).mount(mount).revoke({ ...which, reason });
    printWarnings(revoked);
    if (flags.has("--json")) printJson(revoked);
    else if (revoked.state === "pending") console.log("The revocation is pending.");
    else console.log(outcomeText((revoked.revocation_time ?? 0) * 1000, started));
    return 0;
  },
};

/** Maximum expected difference between the clocks of this machine and the server, milliseconds. */
const maxClockSkew = 300_000;

/** Formats the result of a revocation. Both times are in Unix ms. */
export const outcomeText = (time: number, started: number): string =>
  time < started - maxClockSkew
    ? `The certificate was already revoked at ${formatTime(time)}. Nothing changed.`
    : `Revoked at ${formatTime(time)}.`;

/** Reads the first certificate in a file, or in a directory that `issue` has written. */
async function readFirst(path: string): Promise<string> {
  checkFileArgument(path, "serial number");
  const inside = join(path, fileNames.certificate);
  const file = existsSync(inside) ? inside : path;
  const [certificate] = certificatesIn(pemTextOf(await readInputBytes(file)) ?? "");
  if (certificate === undefined) throw new UsageError(`${file} contains no PEM certificate.`);
  return certificate;
}
