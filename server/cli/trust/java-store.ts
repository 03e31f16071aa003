import { join } from "node:path";
import type { Machine, Step, TrustStore } from "./trust-store.ts";

/** Matches keytool's output for an alias that already exists, or does not exist. */
const settled = /already exists|does not exist/;
/** The default password of Java's trust store. */
const password = ["-storepass", "changeit"];

function keytoolOf({ env, exists, findProgram, platform }: Machine): string | undefined {
  const home = env["JAVA_HOME"];
  const name = platform === "win32" ? "keytool.exe" : "keytool";
  const own = home && join(home, "bin", name);
  return own && exists(own) ? own : findProgram("keytool");
}

function stepsFor(machine: Machine, options: readonly string[]): readonly Step[] {
  const keytool = keytoolOf(machine);
  if (keytool === undefined) return [];
  const command = [keytool, ...options, "-cacerts", ...password];
  return [{ kind: "run", command, asRoot: machine.platform !== "win32", settled }];
}

/** The trust store of the Java installation. */
export const javaStore: TrustStore = {
  name: "java",
  title: "Java",
  install: ({ file, name }, machine) =>
    stepsFor(machine, ["-importcert", "-noprompt", "-alias", name, "-file", file]),
  remove: ({ name }, machine) => stepsFor(machine, ["-delete", "-alias", name]),
};
