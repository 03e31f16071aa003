import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { readCertificate, type Order } from "../certificate-files.ts";
import type { Command, Context } from "../command.ts";
import {
  chooseServer,
  connectionFlags,
  connectionTo,
  jsonFlag,
  type ServerChoice,
} from "../connection.ts";
import { describeError, exitCodeOf, oneLine } from "../failure.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { fetchWith } from "../../client/node-fetch.ts";
import { formatTime, printJson } from "../output.ts";
import { describeFailure, renewContinuously, renewIfDue, type RenewalPorts } from "../renewal.ts";
import { requestCertificate } from "../request-certificate.ts";
import { tokenRenewal } from "../token-renewal.ts";
import type { PkiClient } from "../../../src/client/index.ts";
import { renewalTime, suggestedTime } from "../../../src/node/renewal-time.ts";

type Flags = ReadonlyMap<string, string>;

/** Declares `renew`, which renews certificates that `issue` has written. */
export const renew: Command = {
  name: "renew",
  summary: "renew certificates that issue has written",
  arguments: [{ name: "directory", meaning: "directory of a certificate", isMany: true }],
  flags: [
    ...connectionFlags,
    {
      flag: "--exec",
      meaning:
        "shell command to run after the files have changed; SEALWRIGHT_DIR contains the directory",
      default: "none",
    },
    {
      flag: "--daemon",
      meaning: "keep running until SIGTERM, and renew when due",
      default: "renew once if due",
      isSwitch: true,
    },
    { flag: "--force", meaning: "renew now", default: "renew if due", isSwitch: true },
    jsonFlag,
  ],
  about: [
    "Renews a certificate with a new key and the same server and role, after two thirds of its",
    "lifetime. Renews it earlier if it is revoked, or if the mount has ACME enabled and suggests an",
    "earlier time (RFC 9773). Replaces all files at once. Programs use the old files until they reload",
    "them: let --exec reload them. If that command fails, the next renew runs it again.",
    "Other users must not be able to write to the directory.",
  ],
  more: [
    "The token must be valid at each renewal. It only needs a policy that allows update on",
    "<mount>/issue/<role>. --daemon also renews the token after half of its lifetime, if its",
    "policies allow auth/token/lookup-self and auth/token/renew-self, as the policy default does.",
    "--daemon replaces a revoked certificate within ten minutes, and spreads renewals by up to a",
    "twentieth of the lifetime. It retries a failed renewal after a hundredth of the lifetime, and",
    "doubles this pause each time, up to a twelfth of the lifetime and at most one hour.",
  ],
  examples: ["sealwright renew tls --exec 'nginx -s reload'"],
  otherExamples: {
    notRun: "runs until it is stopped",
    lines: ["sealwright renew tls --daemon --exec 'systemctl reload caddy'"],
  },
  async run({ flags, words }, context) {
    const dirs = words.map((word) => resolve(word));
    // fail before the first attempt if a directory contains no certificate
    dirs.forEach(readCertificate);
    const stop = new AbortController();
    const ports = portsOf(flags, context, stop.signal);
    return flags.has("--daemon") ? renewForever(dirs, ports, stop) : renewOnce(dirs, ports, flags);
  },
};

async function renewOnce(
  dirs: readonly string[],
  ports: RenewalPorts,
  flags: Flags,
): Promise<number> {
  let code = 0;
  const outcomes: object[] = [];
  for (const directory of dirs) {
    try {
      const { serial, due, renewed } = await renewIfDue(directory, ports, flags.has("--force"));
      outcomes.push({
        directory,
        renewed,
        serial_number: serial,
        due: new Date(due).toISOString(),
      });
      if (flags.has("--json")) continue;
      console.log(
        renewed ? `Renewed ${directory}, serial number ${serial}.` : dueText(directory, due),
      );
    } catch (error) {
      code ||= exitCodeOf(error);
      const failure = describeFailure(directory, error, ports);
      outcomes.push({ directory, renewed: false, error: failure });
      console.error(failure);
    }
  }
  if (flags.has("--json")) printJson(outcomes);
  return code;
}

const dueText = (directory: string, due: number): string =>
  `${directory} is due at ${formatTime(due)}.`;

async function renewForever(
  dirs: readonly string[],
  ports: Omit<RenewalPorts, "sleep">,
  stop: AbortController,
): Promise<number> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      if (stop.signal.aborted) return resolve();
      const timer = setTimeout(resolve, milliseconds);
      stop.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  for (const dir of dirs) {
    const due = renewalTime(readCertificate(dir));
    if (ports.now() < due) ports.report(dueText(dir, due));
  }
  await Promise.all(dirs.map((dir) => renewContinuously(dir, { ...ports, sleep }, stop.signal)));
  return 0;
}

/** Returns the ports of renewals. The signal aborts all requests except those for a certificate. */
function portsOf(flags: Flags, { env }: Context, stop: AbortSignal): RenewalPorts {
  const command = flags.get("--exec");
  const report = (sentence: string): void => console.log(`${new Date().toISOString()} ${sentence}`);
  const warned = new Set<string>();
  const serverOf = async (order: Order, signal?: AbortSignal): Promise<ServerChoice> => {
    const server = await chooseServer(serverFlags(flags, order), env, (warning) => {
      if (!warned.has(warning)) console.error(warning);
      warned.add(warning);
    });
    return { ...server, options: { ...server.options, signal } };
  };
  const pkiOf = async (order: Order, signal?: AbortSignal): Promise<PkiClient> =>
    connectionTo(await serverOf(order, signal)).mount(order.mount);
  const renewToken = tokenRenewal({ now: Date.now, report });
  return {
    now: Date.now,
    random: Math.random,
    sleep: () => Promise.resolve(),
    issue: async (order) => requestCertificate(await pkiOf(order), order),
    isRevoked: async ({ order, serial }) =>
      ((await (await pkiOf(order, stop)).readCert({ serial })).revocation_time ?? 0) > 0,
    async suggestTime({ order, certificate }) {
      const { url, options } = await serverOf(order, stop);
      const fetchInfo = (id: string, signal: AbortSignal): Promise<Response> =>
        fetchWith(options)(`${url}/v1/${order.mount}/acme/renewal-info/${id}`, { signal });
      return suggestedTime(certificate, fetchInfo, { now: Date.now(), random: Math.random });
    },
    async renewToken(order) {
      const server = await serverOf(order, stop);
      return renewToken({ ...server, send: connectionTo(server).send });
    },
    reload: command === undefined ? undefined : (dir) => runCommand(command, dir, env),
    report,
    describe(error) {
      const text = describeError(error);
      return typeof text === "string" ? text : `${oneLine(String(text))}.`;
    },
  };
}

/**
 * Returns flags that select the server of an order, unless the command line selects another server.
 */
function serverFlags(flags: Flags, { server, ca }: Order): Flags {
  if (flags.has("--address") || flags.has("--data-dir")) return flags;
  const isAddress = /^https?:/.test(server);
  return new Map([
    ...(ca === undefined ? [] : [["--ca", ca] as const]),
    [isAddress ? "--address" : "--data-dir", server],
    ...flags,
  ]);
}

function runCommand(command: string, dir: string, env: Context["env"]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      stdio: "inherit",
      env: { ...env, SEALWRIGHT_DIR: dir },
    });
    child.once("error", reject);
    child.once("close", (code, signal) =>
      code === 0
        ? resolve()
        : reject(new LaunchError(`the --exec command exited with ${signal ?? code}.`)),
    );
  });
}
