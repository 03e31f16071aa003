import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, run } from "../acme/command.ts";
import { attempt, ended, surroundings } from "../platform/client.ts";

const version = "1.81";

/** Downloads Bouncy Castle's EST client and compiles the program; returns the reason if that fails. */
export async function installBouncyCastle(directory: string): Promise<string | undefined> {
  for (const program of ["mvn", "javac", "java"])
    if (!isInstalled(program)) return `${program} is not installed`;
  mkdirSync(directory, { recursive: true });
  return attempt(compile(directory));
}
async function compile(directory: string): Promise<void> {
  for (const artifact of ["bcprov-jdk18on", "bcutil-jdk18on", "bcpkix-jdk18on"])
    await run(
      "mvn",
      [
        "--quiet",
        "--batch-mode",
        "dependency:copy",
        `-Dartifact=org.bouncycastle:${artifact}:${version}`,
        `-DoutputDirectory=${directory}`,
      ],
      { cwd: directory, env: surroundings, within: 300 },
    );
  const source = join(import.meta.dirname, "Enrol.java");
  await run("javac", ["-cp", join(directory, "*"), "-d", directory, source], { env: surroundings });
}

/** The server to enrol at, and whether it allows re-enrollment with a certificate. */
export interface EstServer {
  readonly host: string;
  readonly ca: string;
  readonly label: string;
  readonly again: boolean;
}

/** Enrols and returns the client's output. The server must reject a wrong password. */
export async function enrolBouncyCastle(
  directory: string,
  { host, ca, label, again }: EstServer,
  password: string,
): Promise<string> {
  const trusted = join(directory, "server.pem");
  writeFileSync(trusted, ca);
  const path = ["-cp", `${join(directory, "*")}:${directory}`, "Enrol"];
  const who = ["d1", password, "d1.devices.example", again ? "certificate" : "password"];
  const output = await run("java", [...path, host, label, trusted, ...who]);
  ended(output);
  if (!/^wrong password 401$/m.test(output)) throw new Error(output);
  return `Bouncy Castle ${version}: ${output.trim().split("\n").join(", ")}`;
}
