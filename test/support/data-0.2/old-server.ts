import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { askBy, type Ask } from "./ask.ts";

/** A server of version 0.2 that runs from its checkout. */
export interface OldServer {
  readonly send: Ask;
  /** The secret in a file of its data directory. */
  secret(name: string): string;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the launcher of a checkout directly, so that a signal reaches it. */
export async function startOld(
  checkout: string,
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<OldServer> {
  const entries = ["worker/local/serve.ts", "server/cli/serve.ts"];
  const entry = entries.find((path) => existsSync(join(checkout, path))) ?? "";
  const server = spawn("node_modules/.bin/node", [entry], {
    cwd: checkout,
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => server.kill("SIGKILL"));
  let output = "";
  const address = await new Promise<string>((resolve, reject) => {
    server.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [, address] = /^Sealwright serves (\S+)$[^]*issue\/web$/m.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
    server.once("exit", () => reject(new Error(`the server has ended:\n${output}`)));
  });
  const secret = (name: string): string => readFileSync(join(dataDir, name), "utf8").trim();
  return {
    send: askBy(fetch, address, secret("root-token")),
    secret,
    async end(signal) {
      const exited = once(server, "exit");
      server.kill(signal);
      await exited;
      // its runtime exits shortly afterwards
      await new Promise((resolve) => setTimeout(resolve, 1000));
    },
  };
}
