import { join, resolve } from "node:path";
import { readIfThere } from "../data/data-dir.ts";
import type { Flag } from "./flags.ts";
import { LaunchError } from "./settings.ts";
import { sendTo } from "./target.ts";

/** The flags of `health`. */
export const healthFlags: readonly Flag[] = [
  {
    flag: "--data-dir",
    variable: "DATA_DIR",
    meaning: "the directory of a server that runs on this machine",
    unless: "./data",
  },
];

/** Longer than any answer takes whose storage can be reached. */
const PATIENCE_MS = 5_000;

/**
 * Asks the server of a data directory how it is, by the way that its callers take. Answers the exit
 * code: 0 where it can do its work.
 */
export async function health(
  given: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const dataDir = resolve(given.get("--data-dir") || env["DATA_DIR"] || "data");
  const address = readIfThere(join(dataDir, "address"))?.trim();
  if (address === undefined) throw new LaunchError(`No server serves ${dataDir}.`);
  const status = await statusOf(new URL(address));
  if (typeof status === "string")
    throw new LaunchError(`The server at ${address} does not answer (${status}).`);
  if (status !== 200)
    throw new LaunchError(`The server at ${address} answers ${status}; /v1/sys/health says more.`);
  console.log(`The server at ${address} is well.`);
  return 0;
}

function statusOf(address: URL): Promise<number | string> {
  return new Promise((resolve) => {
    const request = sendTo(
      address,
      "/v1/sys/health",
      { timeout: PATIENCE_MS, anyCertificate: true },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? "no status");
      },
    );
    request.once("timeout", () => request.destroy(new Error("no answer in time")));
    request.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
