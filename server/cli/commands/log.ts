import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseCheckpoint, type Checkpoint } from "../../../src/log/tree/checkpoint.ts";
import { parseWitnessKey, type WitnessPolicy } from "../../../src/log/tree/cosignature.ts";
import type {
  ListedCertificate,
  NamelessCertificate,
} from "../../../src/log/tree/certificate-list.ts";
import { isMark, markTexts, type LogMark } from "../../../src/log/tree/entry.ts";
import type { FollowResult, LogFault, LogSource } from "../../../src/log/tree/follow.ts";
import {
  encodeVerifierKey,
  isSignedBy,
  parseNote,
  parseVerifierKey,
  type NoteKey,
} from "../../../src/log/tree/note.ts";
import type { PkiClient } from "../../../src/client/index.ts";
import { exitCodes, type Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag, type Connection } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { LaunchError } from "../../settings/launch-error.ts";
import { checkReplacedFile } from "../output-path.ts";
import { printable, printJson } from "../output.ts";

/** Declares `log`, which verifies the log of a mount. */
export const log: Command = {
  name: "log",
  summary: "verify the tamper-evident log of a mount",
  arguments: [{ name: "action", meaning: "verify", choices: ["verify"] }],
  flags: [
    ...connectionFlags,
    mountFlag,
    {
      flag: "--checkpoint",
      meaning:
        "file with the last verified checkpoint, replaced after each successful verification",
      default: "<mount>.checkpoint; the first run creates it",
    },
    {
      flag: "--key",
      variable: "SEALWRIGHT_LOG_KEY",
      meaning: "verifier key of the log, as shown in config/log",
      default: "the key in the server's config/log",
    },
    {
      flag: "--name",
      meaning: "list the new certificates that contain this name or a wildcard that matches it",
      default: "list none",
    },
    {
      flag: "--witnesses",
      meaning: "comma-separated verifier keys of witnesses that must have cosigned the checkpoint",
      default: "require no cosignature",
    },
    {
      flag: "--witnesses-required",
      meaning: "number of these witnesses that must have cosigned the checkpoint",
      default: "all",
    },
    jsonFlag,
  ],
  about: [
    "Verifies that the log still contains, unchanged, all entries that were verified before, and",
    "that its entries match its signed checkpoint. Lists periods without logging, restores, and",
    `changes to the contents of entries. Exits with 0 if the log is consistent, and with ${exitCodes.invalid} if it was`,
    "rewritten. In that case, stores the inconsistent checkpoint, if the log's key signed it, in a new file",
    "with the suffix .rejected.",
    "--name also lists the serial numbers of certificates whose names are unknown, because the entry",
    "has only a hash or cannot be parsed.",
    "--witnesses also requires cosignatures, which prove that nobody was shown another history of the log.",
  ],
  otherExamples: {
    notRun: "needs a mount with a log",
    lines: [
      "sealwright log verify --mount pki --checkpoint pki.checkpoint",
      "sealwright log verify --name www.example.com --json",
    ],
  },
  async run({ flags }, context) {
    const path = flags.get("--mount") ?? "pki";
    const file = flags.get("--checkpoint") ?? `${path.replaceAll("/", "-")}.checkpoint`;
    checkReplacedFile(file);
    const report = await verifyLog(await connect(flags, context), {
      path,
      file,
      key: flags.get("--key") ?? context.env["SEALWRIGHT_LOG_KEY"],
      name: flags.get("--name"),
      witnesses: witnessPolicy(flags.get("--witnesses"), flags.get("--witnesses-required")),
    });
    if (flags.has("--json")) printJson(documentOf(report));
    else console.log(linesOf(report).join("\n"));
    return report.fault ? exitCodes.invalid : exitCodes.success;
  },
};

/** The options of a verification. */
interface LogVerification {
  /** Path of the mount. */
  readonly path: string;
  /** File with the last verified checkpoint. */
  readonly file: string;
  readonly key?: string | undefined;
  readonly name?: string | undefined;
  readonly witnesses?: WitnessPolicy | undefined;
}
/**
 * Parses `--witnesses` and `--witnesses-required`. Returns undefined if no cosignature is required.
 * Throws {@link UsageError} if a key is malformed, or if the number is invalid or is set without
 * `--witnesses`.
 */
export function witnessPolicy(
  list: string | undefined,
  count: string | undefined,
): WitnessPolicy | undefined {
  if (list === undefined && count !== undefined)
    throw new UsageError("--witnesses-required requires --witnesses.");
  if (list === undefined) return undefined;
  const texts = new Set(list.split(",").map((text) => text.trim()));
  const keys = [...texts].map((text) => {
    const key = parseWitnessKey(text);
    if (key) return key;
    throw new UsageError(
      `--witnesses must be verifier keys of witnesses such as w.example+2b1f…+BZ…, not ${printable(text)}.`,
    );
  });
  const required = count === undefined ? keys.length : Number(count);
  if (!(Number.isInteger(required) && required >= 1 && required <= keys.length))
    throw new UsageError(
      `--witnesses-required must be 1 to ${keys.length}, not ${printable(count ?? "")}.`,
    );
  return { keys, required };
}
/**
 * Verifies a mount's log from the checkpoint in a file to the latest one, and replaces the file on
 * success. An inconsistent checkpoint is stored in a new file next to it.
 */
export async function verifyLog(
  connection: Pick<Connection, "mount">,
  { path, file, key: keyText, name, witnesses }: LogVerification,
): Promise<Report> {
  const mount = connection.mount(path);
  const key = await verifierKey(keyText, mount);
  const previous = await readVerified(file, key);
  const { followLog } = await import("../../../src/log/tree/follow.ts");
  const { certificateList, timeText } = await import("../../../src/log/tree/certificate-list.ts");
  const { visit, listed, nameless } = certificateList(name);
  const switches: LogSwitch[] = [];
  const result = await followLog(sourceOf(mount), { key, previous, witnesses }, (entry, index) => {
    const { type, time } = entry;
    if (isMark(type)) switches.push({ index, time: timeText(time), type });
    else visit(entry, index);
  });
  const { fault, checkpoint, note } = result;
  if (!fault) replaceFile(file, note);
  const evidence = fault && checkpoint ? storeRejected(file, note) : undefined;
  return { key, evidence, from: previous?.size ?? 0, listed, nameless, switches, ...result };
}

/** A log entry that changes the meaning of later entries (see `LogMark`). */
interface LogSwitch {
  readonly index: number;
  readonly time: string;
  readonly type: LogMark;
}
interface Report extends FollowResult {
  readonly key: NoteKey;
  /** File with the checkpoint that failed verification, if the log's key signed it. */
  readonly evidence: string | undefined;
  /** Size of the tree that had already been verified. */
  readonly from: number;
  readonly listed: readonly ListedCertificate[];
  readonly nameless: readonly NamelessCertificate[];
  /**
   * The entries since `from` that change the meaning of later entries: logging turned on or off,
   * restores, and changes to the contents.
   */
  readonly switches: readonly LogSwitch[];
}

const documentOf = ({ key, evidence, from, checkpoint, fault, ...report }: Report) => ({
  log: key.name,
  verified: fault === undefined,
  from,
  ...(checkpoint ? { size: checkpoint.size } : {}),
  ...(fault ? { fault: fault.kind, message: fault.message } : {}),
  ...(evidence === undefined ? {} : { evidence }),
  certificates: report.listed,
  certificates_without_names: report.nameless,
  switches: report.switches,
});
/** Formats a report as lines of text. */
function linesOf(report: Report): readonly string[] {
  const { key, evidence, from, listed, nameless, switches, checkpoint, fault } = report;
  const certificates = [
    ...switches.map(({ index, time, type }) => `  ${index}  ${time}  ${markTexts[type]}`),
    ...listed.map(
      ({ index, time, serial_number, subject }) =>
        `  ${index}  ${time}  ${serial_number}  ${printable(subject)}`,
    ),
    ...nameless.map(
      ({ index, time, serial_number, reason }) =>
        `  ${index}  ${time}  ${serial_number || "no serial number"}  names unknown: ${reason === "hash" ? "the entry has only a hash" : "the certificate cannot be parsed"}`,
    ),
  ];
  if (fault)
    return [
      `The log ${key.name} failed verification (${fault.kind}): ${printable(fault.message)}.`,
      ...(evidence === undefined ? [] : [evidenceLine(fault.kind, evidence)]),
      ...certificates,
    ];
  const { size = 0 } = checkpoint ?? {};
  const entries = `Entries: ${size}, new: ${size - from}.`;
  return [`The log ${key.name} is consistent. ${entries}`, ...certificates];
}

/**
 * Returns the line about a signed checkpoint that failed verification. Only a smaller tree or a
 * fork proves misbehavior; missing tiles prove nothing.
 */
const evidenceLine = (kind: LogFault, file: string): string =>
  kind === "shrunk" || kind === "fork"
    ? `The checkpoint that proves it is in ${file}.`
    : `The signed checkpoint is in ${file}.`;

/**
 * Returns the log's verifier key, which is either given or read from the server's configuration.
 * Rejects with {@link LaunchError} if the mount has no log.
 */
async function verifierKey(keyText: string | undefined, mount: PkiClient): Promise<NoteKey> {
  const text = keyText ?? (await mount.readLogConfig()).verifier_key;
  const key = parseVerifierKey(text);
  if (key) return key;
  if (keyText !== undefined)
    throw new UsageError(
      "--key must be a verifier key such as ca.example.com/v1/pki/log+2b1f…+AZ….",
    );
  throw new LaunchError("The mount has no log; enable it in config/log.");
}

/**
 * Reads the last verified checkpoint. Returns undefined if the file does not exist. Throws {@link
 * LaunchError} if its signature cannot be verified.
 */
async function readVerified(file: string, key: NoteKey): Promise<Checkpoint | undefined> {
  if (!existsSync(file)) return undefined;
  const note = parseNote(readFileSync(file, "utf8"));
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || !checkpoint || !(await isSignedBy(note, key)))
    throw new LaunchError(
      `${file} is not a checkpoint with a signature by ${encodeVerifierKey(key)}. To start again without it, move the file away.`,
    );
  return checkpoint;
}
/** Replaces a file atomically. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/**
 * Stores a checkpoint next to the verified one, under the first name that is unused or whose file
 * has the same content, so that no evidence is overwritten. Returns the name of the file.
 */
function storeRejected(file: string, note: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `${file}.rejected` : `${file}.rejected.${n}`;
    if (!existsSync(name)) writeFileSync(name, note, { flag: "wx" });
    if (readFileSync(name, "utf8") === note) return name;
  }
}

/** Returns functions that fetch the files of a mount's log. */
const sourceOf = (mount: PkiClient): LogSource => ({
  checkpoint: async () => (await mount.readLogCheckpoint()) ?? "",
  tile: async (tile) => (await mount.readLogTile({ tile })) ?? new Uint8Array(),
});
