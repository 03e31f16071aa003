import { join, resolve } from "node:path";
import { encodePath } from "../api-path.ts";
import { parseDuration } from "../../../src/base/duration.ts";
import { chainOf } from "../../../src/node/certificate-chain.ts";
import { checkDirectory, fileNames, writeCertificate, type Order } from "../certificate-files.ts";
import type { Command } from "../command.ts";
import { chooseServer, connectionFlags, connectionTo, jsonFlag, mountFlag } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { formatTime, printJson, printWarnings } from "../output.ts";
import { requestCertificate } from "../request-certificate.ts";

/** The flag that selects a role. */
export const roleFlag = { flag: "--role", meaning: "role to issue with", default: "server" };
/** The flag that sets a lifetime. */
export const ttlFlag = {
  flag: "--ttl",
  meaning: "lifetime, such as 24h or 30d",
  default: "the lifetime of the role",
};

/**
 * Returns the lifetime that `--ttl` selects, or undefined. Throws {@link UsageError} if it is not a
 * duration.
 */
export function ttlOf(flags: ReadonlyMap<string, string>): string | undefined {
  const ttl = flags.get("--ttl");
  try {
    parseDuration(ttl);
  } catch {
    throw new UsageError(
      `--ttl must be a number of seconds, or a duration such as 90m, 24h or 30d, not ${JSON.stringify(ttl)}.`,
    );
  }
  return ttl;
}

/** Declares `issue`, which issues a certificate with a new key. */
export const issue: Command = {
  name: "issue",
  summary: "issue a certificate with a new key",
  arguments: [
    {
      name: "name",
      meaning:
        "host name, IP address or URI; the first host name or allowed IPv4 address is the common name",
      isMany: true,
    },
  ],
  flags: [
    ...connectionFlags,
    mountFlag,
    roleFlag,
    ttlFlag,
    { flag: "--out", meaning: "directory for the files", default: "the first name" },
    {
      flag: "--force",
      meaning: "overwrite the files even if their certificate has different names",
      default: "fail",
      isSwitch: true,
    },
    {
      flag: "--print",
      meaning: "print the key and the chain instead of writing files",
      default: "write files",
      isSwitch: true,
    },
    jsonFlag,
  ],
  about: [
    "Issues a certificate with a new key, which the server generates and does not store.",
    "Writes these files to a directory; sealwright renew replaces all of them at once:",
    `  ${fileNames.key}    the private key, PKCS#8, mode 0600`,
    `  ${fileNames.fullchain}  the certificate and its intermediates, for TLS servers`,
    `  ${fileNames.certificate}, ${fileNames.chain}, ${fileNames.root}: the parts`,
  ],
  examples: [
    "sealwright issue localhost 127.0.0.1 --out tls",
    "sealwright issue www.corp.example corp.example --mount corp --ttl 60d",
  ],
  async run({ flags, words }, { env }) {
    const [name = ""] = words;
    const isPrinted = flags.has("--print");
    if (isPrinted && flags.has("--out"))
      throw new UsageError("--print and --out cannot be combined.");
    const dir = resolve(flags.get("--out") ?? name.replace(/[^\w.-]/g, "_"));
    if (!isPrinted) checkDirectory(dir, flags.has("--force") ? undefined : words);
    const server = await chooseServer(flags, env);
    const mount = encodePath(flags.get("--mount") ?? "pki");
    const [ttl, ca] = [ttlOf(flags), flags.get("--ca") || env["SEALWRIGHT_CACERT"]];
    const order: Order = {
      server: server.name,
      mount,
      role: flags.get("--role") ?? "server",
      names: words,
      ...(ttl === undefined ? {} : { ttl }),
      ...(ca ? { ca: resolve(ca) } : {}),
    };
    const issued = await requestCertificate(connectionTo(server).mount(mount), order);
    printWarnings(issued);
    const [chain, key = ""] = [chainOf(issued), issued.private_key];
    const { serial_number, expiration } = issued;
    const about = { serial_number, not_after: new Date(expiration * 1000).toISOString() };
    if (isPrinted) {
      if (flags.has("--json")) printJson({ ...about, ...chain, private_key: key });
      else
        console.log([key.trim(), chain.certificate, ...chain.intermediates].join("\n").trimEnd());
      return 0;
    }
    writeCertificate(dir, { key, chain, order });
    const paths = Object.entries(fileNames).map(([what, file]) => [what, join(dir, file)]);
    if (flags.has("--json")) printJson({ ...about, files: Object.fromEntries(paths) });
    else
      console.log(
        [
          `Issued ${words.join(", ")} until ${formatTime(expiration * 1000)}, serial number ${serial_number}.`,
          `  key          ${join(dir, fileNames.key)}`,
          `  certificate  ${join(dir, fileNames.fullchain)}`,
        ].join("\n"),
      );
    return 0;
  },
};
