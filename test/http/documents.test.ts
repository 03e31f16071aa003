import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtServer } from "../support/built.ts";
import { blocksOf, isSkipped, pages, type CodeBlock } from "../support/documents.ts";
import { freePort } from "../support/ports.ts";
import {
  pinnedNode,
  startServer,
  surroundings,
  temporaryDirectory,
  type RunningServer,
} from "../support/server.ts";
import { root } from "../support/syntax.ts";
import { apiOf, noteEvents, type Api } from "./api.ts";

/** Languages that tests run; other blocks show a file or a drawing. */
const runnable = new Set(["sh", "js", "ts"]);
const tested = pages
  .map((path) => ({
    path,
    blocks: blocksOf(path).filter(({ language }) => runnable.has(language)),
  }))
  .filter(({ blocks }) => blocks.length > 0);

let server: RunningServer;
let api: Api;
const programs = temporaryDirectory();
/** Addresses in the documentation, and those that replace them in this test. */
const addresses = new Map<string, string>();

const here = (code: string): string =>
  [...addresses].reduce((text, [name, address]) => text.replaceAll(name, address), code);
const moduleOf = (path: string, { line }: CodeBlock): string =>
  `${path.replaceAll(/\W/g, "-")}-${line}.mts`;

/** Writes the modules of all pages, beside a copy of the package as npm would install it. */
function writeModules(program: string): void {
  for (const { path, blocks } of tested)
    for (const block of blocks)
      if (block.language !== "sh" && !isSkipped(block))
        writeFileSync(join(programs, moduleOf(path, block)), here(block.code));
  mkdirSync(join(programs, "node_modules"));
  symlinkSync(join(dirname(program), "../.."), join(programs, "node_modules/sealwright"));
}

beforeAll(async () => {
  server = await startServer({ env: { LOG: "json" } });
  api = apiOf(server);
  const { host } = new URL(server.url);
  for (const name of ["127.0.0.1:8787", "localhost:8787"]) addresses.set(name, host);
  for (const port of [8080, 8443, 9443, 9444]) {
    const free = await freePort();
    addresses.set(`:${port}`, `:${free}`).set(`PORT=${port}`, `PORT=${free}`);
  }
  const program = await builtServer();
  writeModules(program);
  const command = (name: string, code: string): void => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${code}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  command("sealwright", `exec '${pinnedNode()}' '${program}' "$@"`);
  command("npx", 'exec "$@"');
  command("node", `exec '${pinnedNode()}' "$@"`);
});
afterAll(() => server.stop());
noteEvents(() => server);

/** Adds a wait for the port of each service that a script starts in the background. */
const withoutRaces = (code: string): string =>
  code.replaceAll(
    /^.*\bPORT=(\d+).* &$/gm,
    "$&\nuntil (: < /dev/tcp/127.0.0.1/$1) 2>/dev/null; do sleep 0.1; done",
  );

/** Returns a shell script that runs the blocks of a page in order. */
function scriptOf(path: string, blocks: readonly CodeBlock[]): string {
  const steps = blocks.map((block) => {
    const code =
      block.language === "sh"
        ? withoutRaces(here(block.code))
        : `node '${programs}/${moduleOf(path, block)}'`;
    return `echo "block at line ${block.line}" >&2\n${code}`;
  });
  const stopServices = "trap 'kill $(jobs -p) 2>/dev/null || :' EXIT";
  return [stopServices, ...steps, ""].join("\n");
}

/** Returns a directory like the one in which the page assumes that the server was started. */
function directoryOf(path: string): string {
  const directory = join(temporaryDirectory(), "page");
  if (path.startsWith("examples/"))
    cpSync(join(root, dirname(path)), directory, { recursive: true });
  else mkdirSync(directory);
  symlinkSync(server.dataDir, join(directory, "data"));
  symlinkSync(join(root, "examples"), join(directory, "examples"));
  return directory;
}

describe("code blocks of the documentation", () => {
  it.each(tested.filter(({ blocks }) => !blocks.every(isSkipped)))(
    "$path runs from top to bottom",
    async ({ path, blocks }) => {
      // a mount like the one that the first start creates
      await api("DELETE", "sys/mounts/pki");
      await api("POST", "sys/mounts/pki", { type: "pki", config: { max_lease_ttl: "87600h" } });
      const cwd = directoryOf(path);
      const script = scriptOf(
        path,
        blocks.filter((block) => !isSkipped(block)),
      );
      const env = { ...surroundings, PATH: `${programs}:${process.env["PATH"] ?? ""}`, HOME: cwd };
      const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", script], {
        cwd,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => (output += text));
      const [code] = (await once(child, "close")) as [number | null];
      expect(code, output).toBe(0);
    },
  );

  it("a block that is not run states the reason", () => {
    const marks = tested.flatMap(({ path, blocks }) =>
      blocks.flatMap(({ mark, line }) => (mark === undefined ? [] : [`${path}:${line} ${mark}`])),
    );
    expect(marks.filter((mark) => !/ not run: .{10,}$/.test(mark))).toEqual([]);
  });
});
