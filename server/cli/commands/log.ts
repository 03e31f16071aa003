import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseCheckpoint, type Checkpoint } from "../../../src/log/tree/checkpoint.ts";
import type { Entry } from "../../../src/log/tree/entry.ts";
import type { FollowResult, LogSource } from "../../../src/log/tree/follow.ts";
import {
  encodeVerifierKey,
  isSignedBy,
  parseNote,
  parseVerifierKey,
  type NoteKey,
} from "../../../src/log/tree/note.ts";
import type { PkiClient } from "../../../src/client/index.ts";
import type { ParsedCertificate } from "../../../src/verify/index.ts";
import { exitCodes, type Command } from "../command.ts";
import { connect, connectionFlags, jsonFlag, mountFlag, type Connection } from "../connection.ts";
import { UsageError } from "../flags.ts";
import { LaunchError } from "../launch-error.ts";
import { printable, printJson } from "../output.ts";

/** Follows the log of a mount. */
export const log: Command = {
  name: "log",
  summary: "verify the tamper-evident log of a mount",
  arguments: [{ name: "action", meaning: "verify", choices: ["verify"] }],
  flags: [
    ...connectionFlags,
    mountFlag,
    {
      flag: "--checkpoint",
      meaning: "file with the last verified checkpoint, replaced after each success",
      default: "<mount>.checkpoint; the first run creates it",
    },
    {
      flag: "--key",
      variable: "SEALWRIGHT_LOG_KEY",
      meaning: "verifier key of the log, as in config/log",
      default: "the key in config/log of the server",
    },
    {
      flag: "--name",
      meaning: "list the new certificates with this name, or with a wildcard for it",
      default: "list none",
    },
    jsonFlag,
  ],
  about: [
    "Verifies that the log still contains what was verified before, unchanged, and that its entries",
    `lead to its signed checkpoint. Exits with 0 if so, and with ${exitCodes.invalid} if the log was rewritten;`,
    "then the checkpoint that proves it is stored with the suffix .rejected.",
    "Entries with only a hash have no name to list. Times without logging are always listed.",
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
    const report = await verifyLog(await connect(flags, context), {
      path,
      file: flags.get("--checkpoint") ?? `${path.replaceAll("/", "-")}.checkpoint`,
      key: flags.get("--key") ?? context.env["SEALWRIGHT_LOG_KEY"],
      name: flags.get("--name"),
    });
    if (flags.has("--json")) printJson(documentOf(report));
    else console.log(linesOf(report).join("\n"));
    return report.fault ? exitCodes.invalid : exitCodes.success;
  },
};

/** A verification of a log. */
interface LogVerification {
  /** Path of the mount. */
  readonly path: string;
  /** File with the last verified checkpoint. */
  readonly file: string;
  readonly key?: string | undefined;
  readonly name?: string | undefined;
}
/**
 * Verifies the log of a mount since the checkpoint in a file, and stores the present one there. One
 * that contradicts it is stored beside it.
 */
export async function verifyLog(
  connection: Pick<Connection, "mount">,
  { path, file, key: given, name }: LogVerification,
): Promise<Report> {
  const mount = connection.mount(path);
  const key = await verifierKey(given, mount);
  const previous = await readVerified(file, key);
  const { followLog } = await import("../../../src/log/tree/follow.ts");
  const { visit, listed } = await certificateList(name);
  const switches: LogSwitch[] = [];
  const result = await followLog(sourceOf(mount), { key, previous }, (entry, index) => {
    const { type, time } = entry;
    if (type === "disabled" || type === "enabled")
      switches.push({ index, time: new Date(time).toISOString(), type });
    else visit(entry, index);
  });
  if (result.fault) writeFileSync(`${file}.rejected`, result.note);
  else replaceFile(file, result.note);
  return { key, file, from: previous?.size ?? 0, listed, switches, ...result };
}

/** That the log was disabled or enabled again. */
interface LogSwitch {
  readonly index: number;
  readonly time: string;
  readonly type: "disabled" | "enabled";
}
/** A certificate in the log with the requested name. */
interface ListedCertificate {
  readonly index: number;
  readonly time: string;
  readonly serial_number: string;
  readonly subject: string;
}
interface Report extends FollowResult {
  readonly key: NoteKey;
  readonly file: string;
  /** Size of the tree verified before. */
  readonly from: number;
  readonly listed: readonly ListedCertificate[];
  /** When the log was disabled and enabled again since then. */
  readonly switches: readonly LogSwitch[];
}

const documentOf = ({ key, file, from, listed, switches, checkpoint, fault }: Report) => ({
  log: key.name,
  verified: fault === undefined,
  from,
  ...(checkpoint ? { size: checkpoint.size } : {}),
  ...(fault ? { fault: fault.kind, message: fault.message, evidence: `${file}.rejected` } : {}),
  certificates: listed,
  switches,
});
function linesOf({ key, file, from, listed, switches, ...result }: Report): readonly string[] {
  const { checkpoint, fault } = result;
  const certificates = [
    ...switches.map(({ index, time, type }) => `  ${index}  ${time}  the log was ${type}`),
    ...listed.map(
      ({ index, time, serial_number, subject }) =>
        `  ${index}  ${time}  ${serial_number}  ${printable(subject)}`,
    ),
  ];
  if (fault)
    return [
      `The log ${key.name} failed the verification (${fault.kind}): ${printable(fault.message)}.`,
      `The checkpoint that proves it is in ${file}.rejected.`,
      ...certificates,
    ];
  const { size = 0 } = checkpoint ?? {};
  const news = size === from ? "no new entries" : `${size - from} new entries`;
  return [`The log ${key.name} is consistent: ${size} entries, ${news}.`, ...certificates];
}

/** Returns the key of the log: the given one, or the one that the server names. */
async function verifierKey(given: string | undefined, mount: PkiClient): Promise<NoteKey> {
  const text = given ?? (await mount.readLogConfig()).verifier_key;
  const key = parseVerifierKey(text);
  if (key) return key;
  if (given !== undefined)
    throw new UsageError(
      "--key must be a verifier key such as ca.example.com/v1/pki/log+2b1f…+AZ….",
    );
  throw new LaunchError("The mount has no log: enable it with config/log.");
}

/** Reads the last verified checkpoint; undefined if there is none. */
async function readVerified(file: string, key: NoteKey): Promise<Checkpoint | undefined> {
  if (!existsSync(file)) return undefined;
  const note = parseNote(readFileSync(file, "utf8"));
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || !checkpoint || !(await isSignedBy(note, key)))
    throw new LaunchError(
      `${file} is not a checkpoint with a signature by ${encodeVerifierKey(key)}. Move it away to start again.`,
    );
  return checkpoint;
}
/** Replaces a file in one step. */
function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Returns the files of a mount's log. */
const sourceOf = (mount: PkiClient): LogSource => ({
  checkpoint: async () => (await mount.readLogCheckpoint()) ?? "",
  tile: async (tile) => (await mount.readLogTile({ tile })) ?? new Uint8Array(),
});

/** Returns a visitor of entries that lists the certificates with a name. */
async function certificateList(name: string | undefined): Promise<{
  readonly visit: (entry: Entry, index: number) => void;
  readonly listed: readonly ListedCertificate[];
}> {
  const listed: ListedCertificate[] = [];
  if (name === undefined) return { visit: () => undefined, listed };
  const { parseCertificate } = await import("../../../src/verify/index.ts");
  return {
    listed,
    visit: ({ type, signed, time }, index) => {
      if (type !== "certificate" || !("der" in signed)) return;
      const certificate = parseCertificate(signed.der);
      if (namesOf(certificate).some((one) => isNameFor(one, name)))
        listed.push({
          index,
          time: new Date(time).toISOString(),
          serial_number: certificate.serialNumber,
          subject: certificate.subject.text,
        });
    },
  };
}
const namesOf = ({ names, subject }: ParsedCertificate): readonly string[] => [
  ...subject.commonNames,
  ...names.dns,
  ...names.ip,
  ...names.email,
  ...names.uri,
];
/** Reports whether a name in a certificate is the requested one, or a wildcard for it. */
function isNameFor(own: string, name: string): boolean {
  const [one, wanted] = [own.toLowerCase(), name.toLowerCase()];
  return one === wanted || (one.startsWith("*.") && wanted.replace(/^[^.]+/, "*") === one);
}
