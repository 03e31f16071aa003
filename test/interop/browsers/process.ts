import { spawn, type ChildProcess } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A program in its own process group, so that its children exit with it. */
export interface Started {
  readonly child: ChildProcess;
  /** Waits for a line of output and returns what the pattern captured. */
  said(pattern: RegExp): Promise<string>;
  /** Resolves when the program has exited, or was killed after `grace` milliseconds. */
  end(grace?: number): Promise<void>;
}

/** Folder with the ids of running groups as file names; `browsers.sh` kills those left behind. */
const noted = process.env["SEALWRIGHT_BROWSERS_RUNNING"];
const kill = (group: number): void => {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // the group has exited
  }
};

/** Starts a program. */
export function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Started {
  const child = spawn(program, args, {
    detached: true,
    env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const group = child.pid;
  if (group === undefined) throw new Error(`${program} did not start`);
  if (noted) writeFileSync(join(noted, String(group)), "");
  let output = "";
  const waiting = new Set<() => void>();
  const told = (): void => waiting.forEach((look) => look());
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => ((output += text), told()));
  const ended = new Promise<void>((done) => child.once("exit", () => (told(), done())));
  const said = (pattern: RegExp): Promise<string> =>
    new Promise((done, failed) => {
      const look = (): void => {
        const found = pattern.exec(output);
        if (!found && child.exitCode === null) return;
        waiting.delete(look);
        if (found) done(found[1] ?? found[0]);
        else failed(new Error(`${program} exited:\n${output}`));
      };
      waiting.add(look);
      look();
    });
  const end = async (grace = 0): Promise<void> => {
    const late = setTimeout(() => kill(group), grace);
    await ended;
    clearTimeout(late);
    kill(group);
    if (noted) rmSync(join(noted, String(group)), { force: true });
  };
  return { child, said, end };
}
