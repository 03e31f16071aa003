import { spawn, spawnSync } from "node:child_process";

/** Options for running a program. */
export interface Running {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Timeout in seconds; default 120. */
  readonly within?: number;
}

/** Reports whether a program is installed. */
export const isInstalled = (program: string): boolean =>
  spawnSync("which", [program], { stdio: "ignore" }).status === 0;

/**
 * Runs a program and returns its standard output and standard error. Throws with the output if it
 * fails or times out.
 */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, env = {}, input = "", within = 120 }: Running = {},
): Promise<string> {
  const child = spawn(program, [...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["TMPDIR"] ?? "/tmp", ...env },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  // a program may exit without reading its input
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const timer = setTimeout(() => child.kill("SIGKILL"), within * 1000);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => clearTimeout(timer));
  if (code !== 0)
    throw new Error(
      `${program} ${args.join(" ")}: ${code === null ? `took more than ${within} s` : `exited with ${code}`}\n${output}`,
    );
  return output;
}
