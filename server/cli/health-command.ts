import { join, resolve } from "node:path";
import { readIfThere } from "../data/data-dir.ts";
import { readServedVersion } from "../data/served-version.ts";
import type { Flag } from "./flags.ts";
import { LaunchError } from "./settings.ts";
import { parseIfJson } from "./ask.ts";
import { sendTo } from "./target.ts";

/** The flags of `health`. */
export const healthFlags: readonly Flag[] = [
  {
    flag: "--data-dir",
    variable: "DATA_DIR",
    meaning: "the directory of a server that runs on this machine",
    unless: "./data",
  },
  {
    flag: "--json",
    meaning: "prints one JSON document: the health, and the versions of server and data",
    unless: "prints one sentence",
    alone: true,
  },
];

/** Longer than any answer takes whose storage can be reached. */
const PATIENCE_MS = 5_000;

/** The state of the server of a data directory. */
interface Probe {
  readonly address?: string;
  /** HTTP status of `sys/health`. */
  readonly status?: number;
  /** The reply of `sys/health`. */
  readonly health?: unknown;
  /** Why the server cannot do its work, in one sentence. */
  readonly error?: string;
}

/**
 * Checks the health of the server of a data directory, over the address that its clients use.
 * Returns the exit code: 0 if it can do its work.
 */
export async function health(
  given: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): Promise<number> {
  const dataDir = resolve(given.get("--data-dir") || env["DATA_DIR"] || "data");
  const probe = await probeServer(dataDir);
  const isHealthy = probe.error === undefined;
  if (given.has("--json")) {
    const versions = { command: version, ...readServedVersion(dataDir) };
    console.log(JSON.stringify({ healthy: isHealthy, ...probe, versions }));
    return isHealthy ? 0 : 1;
  }
  if (!isHealthy) throw new LaunchError(probe.error);
  console.log(`The server at ${probe.address} is well.`);
  return 0;
}

async function probeServer(dataDir: string): Promise<Probe> {
  const address = readIfThere(join(dataDir, "address"))?.trim();
  if (address === undefined) return { error: `No server serves ${dataDir}.` };
  const answer = await readHealth(new URL(address));
  if (typeof answer === "string")
    return { address, error: `The server at ${address} does not answer (${answer}).` };
  const { status } = answer;
  if (status === 200) return { address, ...answer };
  const error = `The server at ${address} answers ${status}; /v1/sys/health says more.`;
  return { address, ...answer, error };
}

function readHealth(address: URL): Promise<Required<Pick<Probe, "status" | "health">> | string> {
  return new Promise((resolve) => {
    const request = sendTo(
      address,
      "/v1/sys/health",
      { timeout: PATIENCE_MS, anyCertificate: true },
      (answer) => {
        const { statusCode: status = 0 } = answer;
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.once("error", (error: NodeJS.ErrnoException) =>
          resolve(error.code ?? error.message),
        );
        answer.once("end", () => resolve({ status, health: parseIfJson(text) }));
      },
    );
    request.once("timeout", () => request.destroy(new Error("no answer in time")));
    request.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
