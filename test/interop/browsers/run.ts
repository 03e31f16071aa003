import { spawnSync } from "node:child_process";
import { engines } from "./engine.ts";

// Runs the tests in one browser after another, because each needs more than one core. Prints which
// are installed and which are missing; fails if none is.

const wanted = {
  firefox: "Firefox (package firefox-esr)",
  webkit: "WebKitGTK and a screen for it (packages webkit2gtk-driver, xvfb)",
};
const args = process.argv.slice(2);
const projects = args.includes("--project")
  ? [[]]
  : [...engines.map(({ name }) => name), "flow"].map((name) => ["--project", name]);
const command = [
  "run",
  "--config",
  "test/interop/browsers/vitest.config.ts",
  ...(args.length > 0 ? ["--passWithNoTests", ...args] : []),
];

const told: string[] = [];
for (const engine of engines) told.push(`tried: ${await engine.version()}`);
for (const [name, what] of Object.entries(wanted))
  if (!engines.some((engine) => engine.name === name))
    told.push(`NOT INSTALLED, SO NOT TRIED: ${what}`);
const tell = (): void => void process.stdout.write(`\n${told.join("\n")}\n`);
tell();
const failed =
  engines.length === 0 ||
  projects.filter(
    (project) => spawnSync("vitest", [...command, ...project], { stdio: "inherit" }).status !== 0,
  ).length > 0;
tell();
process.exit(failed ? 1 : 0);
