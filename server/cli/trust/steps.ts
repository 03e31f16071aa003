import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { quoteWord } from "../../settings/shell.ts";
import type { Machine, Step } from "./trust-store.ts";

/**
 * Returns the command that performs a step, or undefined if the step is a note or writes a file.
 */
function commandOf(step: Step): readonly string[] | undefined {
  if (step.kind === "copy") return ["install", "-m", "0644", step.from, step.to];
  if (step.kind === "delete") return ["rm", "-f", step.path];
  return step.kind === "run" ? step.command : undefined;
}

/** Formats a step as a command line to copy, or a note as a sentence. */
export function formatStep(step: Step, isRoot: boolean): string {
  if (step.kind === "note") return step.text;
  if (step.kind === "write") return formatWrite(step);
  const command = commandOf(step) ?? [];
  const words = step.asRoot && !isRoot ? ["sudo", ...command] : command;
  return words.map(quoteWord).join(" ");
}

/** End marker of a here-document, which cannot occur as a line of PEM. */
const documentEnd = "END_OF_ROOT";

function formatWrite({ path, text }: Extract<Step, { kind: "write" }>): string {
  const [folder, file] = [dirname(path), path].map(quoteWord);
  return `mkdir -p -m 0700 ${folder} && cat > ${file} <<'${documentEnd}'\n${text.trim()}\n${documentEnd}`;
}

/** The environment in which steps run. */
interface StepRunner {
  readonly isRoot: boolean;
  /** Whether sudo may ask for a password. */
  readonly canAsk: boolean;
  readonly machine: Machine;
}

/**
 * Runs a step. Returns undefined on success and for a note; otherwise the reason for the failure,
 * so that the user can perform the step.
 */
export function runStep(step: Step, { isRoot, canAsk, machine }: StepRunner): string | undefined {
  if (step.kind === "note") return undefined;
  if (!step.asRoot || isRoot) return runDirectly(step);
  if (!canAsk || machine.findProgram("sudo") === undefined) return "requires root privileges";
  return runProgram(["sudo", ...(commandOf(step) ?? [])], settledOf(step));
}

function runDirectly(step: Exclude<Step, { kind: "note" }>): string | undefined {
  try {
    if (step.kind === "write") {
      mkdirSync(dirname(step.path), { recursive: true, mode: 0o700 });
      writeFileSync(step.path, step.text);
    } else if (step.kind === "copy") copyFileSync(step.from, step.to);
    else if (step.kind === "delete") rmSync(step.path, { force: true });
    else return runProgram(step.command, settledOf(step));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const settledOf = (step: Step): RegExp | undefined =>
  step.kind === "run" ? step.settled : undefined;

function runProgram(
  [program = "", ...words]: readonly string[],
  settled: RegExp | undefined,
): string | undefined {
  const { status, error, stdout, stderr } = spawnSync(program, words, {
    encoding: "utf8",
    // sudo asks for the password on the terminal
    stdio: ["inherit", "pipe", "pipe"],
  });
  if (error) return error.message;
  const output = `${stdout}${stderr}`;
  if (status === 0 || settled?.test(output)) return undefined;
  return output.trim().split("\n").at(-1) || `exit code ${status}`;
}
