import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { encodePath } from "../api-path.ts";
import { serverMount } from "../authority-setup.ts";
import { certificatesIn, isSelfSigned } from "../../../src/node/certificate-chain.ts";
import type { Command, Context } from "../command.ts";
import {
  chooseServer,
  connectionFlags,
  connectionTo,
  jsonFlag,
  mountFlag,
  withToken,
} from "../connection.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { UsageError } from "../flags.ts";
import { pemTextOf, readInputBytes } from "../input.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { printable, printJson } from "../output.ts";
import { javaStore } from "../trust/java-store.ts";
import { thisMachine } from "../trust/machine.ts";
import { nodeStore } from "../trust/node-store.ts";
import { nssStore } from "../trust/nss-store.ts";
import { formatStep, runStep } from "../trust/steps.ts";
import { systemStore } from "../trust/system-store.ts";
import type { Machine, TrustedRoot, TrustStore } from "../trust/trust-store.ts";

type Flags = ReadonlyMap<string, string>;
type Action = "install" | "remove";

const stores: readonly TrustStore[] = [systemStore, nssStore, javaStore, nodeStore];
const storeNames = stores.map(({ name }) => name);

/**
 * A pseudo-store: the file with the root, which Node programs and the commands of other stores
 * read.
 */
const rootFile: TrustStore = {
  name: "file",
  title: "file with the root",
  install: ({ file, certificate }) => [
    { kind: "write", path: file, text: certificate, asRoot: false },
  ],
  remove: ({ file }) => [{ kind: "delete", path: file, asRoot: false }],
};

/** Declares `trust`, which changes the trust stores of this machine. */
export const trust: Command = {
  name: "trust",
  summary: "make this machine trust the root, or stop trusting it",
  arguments: [
    { name: "action", meaning: "install or remove", choices: ["install", "remove"] },
    {
      name: "root.pem",
      meaning: "PEM file with the root certificate; by default, the root of the mount",
      isOptional: true,
    },
  ],
  flags: [
    ...connectionFlags,
    mountFlag,
    {
      flag: "--store",
      meaning: `comma-separated stores: ${storeNames.join(", ")}`,
      default: "all stores of this machine",
    },
    {
      flag: "--fingerprint",
      meaning:
        "expected SHA-256 fingerprint of the root, which allows fetching it from a server that is not trusted yet",
      default: "none: the server must already be trusted",
    },
    {
      flag: "--dry-run",
      meaning: "print the commands instead of running them",
      default: "run them",
      isSwitch: true,
    },
    jsonFlag,
  ],
  about: [
    "Adds the root to the trust stores of the operating system, Chromium, Firefox and Java, or",
    "removes it. If root privileges are needed, uses sudo on a terminal; without a terminal, prints",
    "the commands and exits with 1.",
    "Anyone with the key of a trusted root can impersonate any site: install only your own roots.",
  ],
  examples: ["sealwright trust install --dry-run"],
  otherExamples: {
    notRun: "changes the machine",
    lines: [
      "sealwright trust install",
      "sealwright trust install --address https://ca.corp.example --fingerprint 51:8F:…:20",
      "sealwright trust remove --store browsers",
    ],
  },
  async run({ flags, words: [action = "", file] }, context) {
    const chosen = chooseStores(flags.get("--store"), action as Action);
    const pem = await readRoot(flags, file, context);
    const machine = thisMachine(context.env);
    const root = describeRoot(pem, machine);
    const change = { action: action as Action, root, machine, isDry: flags.has("--dry-run") };
    const subject = printable(new X509Certificate(pem).subject.replaceAll("\n", ", "));
    const sha256 = fingerprintOf(pem);
    const isJson = flags.has("--json");
    if (!isJson) console.log(`${subject}\n  SHA-256 fingerprint ${sha256}`);
    const results = chosen
      .map((store) => changeStore(store, change))
      .filter(({ steps }) => steps.length > 0);
    if (isJson) printJson({ subject, sha256, stores: results });
    else for (const result of results) console.log(formatResult(result));
    return results.some(({ isFailed }) => isFailed) ? 1 : 0;
  },
};

function chooseStores(text: string | undefined, action: Action): readonly TrustStore[] {
  if (text === undefined)
    return action === "install" ? [rootFile, ...stores] : [...stores, rootFile];
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !storeNames.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--store must name one or more of ${storeNames.join(", ")}, not ${JSON.stringify(unknown)}.`,
    );
  const chosen = stores.filter(({ name }) => names.includes(name));
  // keep the file on removal, because other stores may still refer to it
  return action === "install" ? [rootFile, ...chosen] : chosen;
}

/**
 * Returns the PEM root certificate in a file, or of the server. Throws {@link LaunchError} if there
 * is none, or if its fingerprint differs from `--fingerprint`.
 */
async function readRoot(flags: Flags, file: string | undefined, { env }: Context): Promise<string> {
  const expected = flags.get("--fingerprint")?.replaceAll(":", "").toUpperCase();
  const text =
    file === undefined
      ? await fetchChain(flags, env, expected)
      : pemTextOf(await readInputBytes(file));
  const roots = certificatesIn(text ?? "").filter(isSelfSigned);
  const [root] = roots;
  const source = file ?? `the mount ${flags.get("--mount") ?? "pki"}/`;
  if (root === undefined) throw new LaunchError(`No root certificate was found in ${source}.`);
  if (expected === undefined) return root;
  const match = roots.find((one) => fingerprintOf(one).replaceAll(":", "") === expected);
  if (match !== undefined) return match;
  const advice =
    file === undefined
      ? ` Select another mount with --mount; the root of a server with TLS=own is in ${serverMount}.`
      : "";
  throw new LaunchError(
    `The root from ${source} has a different fingerprint: ${fingerprintOf(root)}. Nothing was changed.${advice}`,
  );
}

/**
 * Fetches the CA chain of a mount without authentication. The caller must verify the fingerprint of
 * the root.
 */
async function fetchChain(flags: Flags, env: Context["env"], expected: string | undefined) {
  const server = await chooseServer(flags, env);
  const isPlain = server.dataDir === undefined && server.url.startsWith("http:");
  if (expected === undefined && isPlain)
    throw new LaunchError(
      `Without TLS, others could replace the root in transit from ${server.name}; set --fingerprint, or use https.`,
    );
  const options =
    expected === undefined ? server.options : { ...server.options, anyCertificate: true as const };
  const mount = encodePath(flags.get("--mount") ?? "pki");
  const pki = connectionTo(withToken({ ...server, options }, "")).mount(mount);
  return (await pki.readCaChain()) ?? "";
}

/**
 * Returns the encodings and names of a PEM root certificate that the installation steps of the
 * trust stores use.
 */
export function describeRoot(pem: string, { configDir }: Machine): TrustedRoot {
  const certificate = new X509Certificate(pem);
  const name = `sealwright-${fingerprintOf(pem).replaceAll(":", "").slice(0, 8).toLowerCase()}`;
  return {
    // encoded again, because the given text could contain the line that ends the here-document of
    // --dry-run
    certificate: certificate.toString(),
    name,
    file: join(configDir, `${name}.pem`),
    sha1: certificate.fingerprint.replaceAll(":", ""),
  };
}

interface Change {
  readonly action: Action;
  readonly root: TrustedRoot;
  readonly machine: Machine;
  readonly isDry: boolean;
}

/** A step, formatted as a command line or a sentence, and its outcome. */
interface StepResult {
  readonly step: string;
  /** `todo`: the user has to perform the step. */
  readonly state: "planned" | "done" | "failed" | "skipped" | "todo";
  readonly error?: string;
}

interface StoreResult {
  readonly store: string;
  readonly title: string;
  readonly isFailed: boolean;
  readonly steps: readonly StepResult[];
}

/** Runs the steps for one store, up to the first step that fails. */
function changeStore(store: TrustStore, { action, root, machine, isDry }: Change): StoreResult {
  const isRoot = process.getuid?.() === 0;
  const runner = { isRoot, canAsk: process.stdin.isTTY, machine };
  let isFailed = false;
  const steps = store[action](root, machine).map((step): StepResult => {
    const text = formatStep(step, isRoot);
    if (step.kind === "note") {
      if (!isDry && step.isRequired) isFailed = true;
      return { step: text, state: "todo" };
    }
    if (isDry) return { step: text, state: "planned" };
    if (isFailed) return { step: text, state: "skipped" };
    const error = runStep(step, runner);
    if (error === undefined) return { step: text, state: "done" };
    isFailed = true;
    return { step: text, state: "failed", error };
  });
  return { store: store.name, title: store.title, isFailed, steps };
}

function formatResult({ title, steps }: StoreResult): string {
  const lines = steps.flatMap(({ step, state, error }) => [
    `  ${state === "done" ? "done: " : ""}${state === "done" ? step.replace(/ <<'[^]*/, "") : step}`,
    ...(error === undefined ? [] : [`      not done: ${error}; run the command yourself.`]),
  ]);
  return [`\n${title}:`, ...lines].join("\n");
}
