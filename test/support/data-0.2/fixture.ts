import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answers } from "./answers.ts";
import { unpack, writeFiles, type Files } from "./archive.ts";
import type { AccessFacts } from "./fill-access.ts";
import type { AcmeFacts } from "./fill-acme.ts";
import type { PkiFacts } from "./fill-pki.ts";
import type { VarsFacts } from "./fill-vars.ts";

/** The recording of a server of version 0.2. */
export interface Recording {
  /** Unix milliseconds after the last change. */
  readonly now: number;
  /** Its public address. */
  readonly address: string;
  readonly access: AccessFacts;
  readonly pki: PkiFacts;
  readonly acme: AcmeFacts;
  readonly vars: VarsFacts;
  readonly answers: Answers;
}

/** Directory of the fixtures. */
export const fixtures = join(import.meta.dirname, "../../fixtures");
const filesOf = (name: string): Files => unpack(readFileSync(join(fixtures, name)));

/** Returns the recorded replies of the fixture's server. */
export const recording = (): Recording =>
  JSON.parse(
    Buffer.from(filesOf("recording-0.2.br")["recording.json"] ?? []).toString(),
  ) as Recording;

/** Returns the backup of the mount `team/ca`. */
export const mountBackup = (): Uint8Array =>
  filesOf("backup-0.2.br")["team-ca.ndjson"] ?? new Uint8Array();

/** Returns the files of a backup of everything, with the sealing key of its server. */
export const fullBackup = (): Files => filesOf("full-backup-0.2.br");

/** Writes the data directory of the fixture's server after it was killed or stopped. */
export function writeDataDir(directory: string, end: "killed" | "stopped"): void {
  const files = Object.entries(filesOf("data-0.2.br")).filter(([path]) =>
    path.startsWith(`${end}/`),
  );
  writeFiles(
    directory,
    Object.fromEntries(files.map(([path, bytes]) => [path.slice(end.length + 1), bytes])),
  );
}
