import { join, resolve } from "node:path";
import { readIfThere } from "../../data/data-dir.ts";
import { readServedVersion } from "../../data/served-version.ts";
import { exitCodes, type Command, type Flag } from "../command.ts";
import { UnreachableError } from "../../client/network-error.ts";
import type { Environment } from "../../settings/secret-files.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { parseIfJson, replyTimeout, sendRequest } from "../../client/http-client.ts";

const healthFlags: readonly Flag[] = [
  {
    flag: "--data-dir",
    variable: "DATA_DIR",
    meaning: "data directory of a server running on this machine",
    default: "./data",
  },
  {
    flag: "--json",
    meaning:
      "print one JSON document with the health and with the versions of the server and its data",
    default: "print one sentence",
    isSwitch: true,
  },
];

/** Declares `health`, which checks the health of a local server. */
export const health: Command = {
  name: "health",
  summary: "check the health of the local server",
  flags: healthFlags,
  about: [
    "Exits with 0 if the server of a data directory is healthy, with 1 if it is not,",
    `and with ${exitCodes.unreachable} if none is running or it does not respond.`,
  ],
  run: ({ flags }, { host, env }) => checkHealth(flags, env, host.version),
};

/** The result of a health check. */
interface Probe {
  readonly address?: string;
  /** HTTP status of `sys/health`. */
  readonly status?: number;
  /** The response body of `sys/health`. */
  readonly health?: unknown;
  /** One sentence that states why the server is not healthy. */
  readonly error?: string;
}

/**
 * Checks the health of the server that uses a data directory, at the address that its clients use.
 * Returns the exit code 0 if the server is healthy. Throws {@link UnreachableError} if no server
 * responds, and {@link LaunchError} if the server is not healthy.
 */
async function checkHealth(
  flags: ReadonlyMap<string, string>,
  env: Environment,
  version: string,
): Promise<number> {
  const dataDir = resolve(flags.get("--data-dir") || env["DATA_DIR"] || "data");
  const probe = await probeServer(dataDir);
  const isHealthy = probe.error === undefined;
  if (flags.has("--json")) {
    const versions = { command: version, ...readServedVersion(dataDir) };
    console.log(JSON.stringify({ healthy: isHealthy, ...probe, versions }));
    if (isHealthy) return exitCodes.success;
    return probe.status === undefined ? exitCodes.unreachable : exitCodes.failure;
  }
  if (!isHealthy)
    throw new (probe.status === undefined ? UnreachableError : LaunchError)(probe.error);
  console.log(`The server at ${probe.address} is healthy.`);
  return exitCodes.success;
}

async function probeServer(dataDir: string): Promise<Probe> {
  const address = readIfThere(join(dataDir, "address"))?.trim();
  if (address === undefined) return { error: `No server is running for ${dataDir}.` };
  const answer = await readHealth(new URL(address));
  if (typeof answer === "string")
    return { address, error: `The server at ${address} does not respond (${answer}).` };
  const { status } = answer;
  if (status === 200) return { address, ...answer };
  const error = `The server at ${address} is not healthy (status ${status}); see /v1/sys/health.`;
  return { address, ...answer, error };
}

function readHealth(address: URL): Promise<Required<Pick<Probe, "status" | "health">> | string> {
  return new Promise((resolve) => {
    const request = sendRequest(
      address,
      "/v1/sys/health",
      { timeout: replyTimeout, anyCertificate: true },
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
    request.once("timeout", () => request.destroy(new Error("request timed out")));
    request.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
