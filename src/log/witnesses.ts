import { utf8 } from "../base/bytes.ts";
import { withTimeout } from "../base/with-timeout.ts";
import type { Mount } from "../engine/mount.ts";
import { NetError } from "../net/failure.ts";
import { guardedFetch } from "../net/guarded-fetch.ts";
import { requireSuccess } from "../net/guarded-fetch-target.ts";
import { outgoingScope } from "../net/outgoing-scope.ts";
import { requiredCosignatures, type LogConfig, type Witness } from "./rows/records.ts";
import type { WitnessFailure } from "./rows/witness-state.ts";
import { encodeSubmission, findCosignature, parseWitnessKey } from "./tree/cosignature.ts";
import { parseSignatures, signatureLine, type NoteKey, type NoteSignature } from "./tree/note.ts";
import { consistencyProof } from "./tree/proof.ts";
import type { ReadTile } from "./tree/tiles.ts";

/** Timeout of a request to a witness (ms). */
const requestTimeout = 10_000;
/** Time to wait for more cosignatures once the required number has arrived (ms). */
const graceTime = 500;
/** Maximum size in bytes of a response: signature lines, or a tree size. */
const maxResponse = 16_384;
const [success, conflict] = [200, 409];

/** A signed checkpoint and its tree. */
interface Submission {
  /** The signed checkpoint as a note. `text` is the note's text. */
  readonly note: string;
  readonly text: string;
  readonly size: number;
  /** Size of the last published tree. Most witnesses have cosigned this tree. */
  readonly published: number;
  /** Returns the hashes in a tile of the tree. */
  readonly read: ReadTile;
}
/** The result of requesting cosignatures for a checkpoint. */
interface Cosigned {
  /** The checkpoint with its cosignatures. */
  readonly note: string;
  /** Whether at least the required number of witnesses cosigned. */
  readonly isComplete: boolean;
  readonly failures: readonly WitnessFailure[];
}

/**
 * Requests cosignatures for a checkpoint from all witnesses of a log. Once the required number has
 * arrived, waits only briefly for the others.
 */
export async function collectCosignatures(
  mount: Mount,
  log: LogConfig,
  submission: Submission,
): Promise<Cosigned> {
  const required = requiredCosignatures(log);
  const cosignatures = new Map<Witness, NoteSignature>();
  const failures = new Map<Witness, string>();
  const requests = log.witnesses.map(async (witness) => {
    try {
      cosignatures.set(witness, await requestCosignature(mount, log, { witness, submission }));
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      failures.set(witness, error.message);
    }
  });
  const all = Promise.all(requests);
  const enough = new Promise<void>((resolve) => {
    for (const one of requests)
      void one
        .then(() => cosignatures.size >= Math.max(required, 1) && resolve())
        .catch(() => undefined);
  });
  await Promise.race([all, enough]);
  await withTimeout(all, graceTime, () => undefined);
  // the lines are in the order of the settings, so that the same witnesses always appear in the
  // same order
  const lines = log.witnesses.flatMap((witness) => cosignatures.get(witness) ?? []);
  return {
    note: submission.note + lines.map(signatureLine).join(""),
    isComplete: lines.length >= required,
    failures: log.witnesses.flatMap((witness) =>
      cosignatures.has(witness)
        ? []
        : [
            {
              name: nameOf(witness),
              reason: failures.get(witness) ?? "it did not respond in time",
            },
          ],
    ),
  };
}
const keyOf = ({ key }: Witness): NoteKey => {
  const parsed = parseWitnessKey(key);
  if (!parsed) throw new TypeError(`the stored verifier key of a witness is malformed: ${key}`);
  return parsed;
};
const nameOf = (witness: Witness): string => keyOf(witness).name;

/** A submission, and the witness to which it is sent. */
interface WitnessRequest {
  readonly witness: Witness;
  readonly submission: Submission;
}
/**
 * Requests a cosignature, with a consistency proof from the last published tree or else from the
 * tree size that the witness returns. Rejects with `NetError` if the request fails or the response
 * has no valid cosignature.
 */
async function requestCosignature(
  mount: Mount,
  log: LogConfig,
  { witness, submission }: WitnessRequest,
): Promise<NoteSignature> {
  let oldSize = submission.published;
  for (let attempt = 0; attempt < 2; attempt++) {
    const proof = await consistencyProof(oldSize, submission.size, submission.read);
    const { status, body } = await guardedFetch(mount.ports, {
      url: `${witness.url}/add-checkpoint`,
      trust: log.roots.length === 0 ? "platform" : { roots: log.roots },
      scope: outgoingScope(mount.storeContext, log.roots),
      maxBytes: maxResponse,
      limit: requestTimeout,
      headers: { "Content-Type": "text/plain; charset=utf-8" },
      sent: utf8(encodeSubmission(oldSize, proof, submission.note)),
      checkStatus: requireAnswer,
    });
    if (status === success) return await readCosignature(body, keyOf(witness), submission.text);
    oldSize = readSize(body);
    if (oldSize > submission.size)
      throw new NetError(
        "response",
        `it has cosigned a tree of ${oldSize} entries, and this tree has ${submission.size}: an older backup was restored, or another server was faster`,
      );
  }
  throw new NetError("response", "it rejects a proof from the tree size that it itself returned");
}
function requireAnswer(status: number): void {
  if (status === 404 || status === 403)
    throw new NetError("response", `it does not know the log or its key (status ${status})`);
  if (status === 422)
    throw new NetError(
      "response",
      "it has cosigned a tree that is not part of this tree (status 422)",
    );
  if (status !== conflict) requireSuccess(status, false);
}

/**
 * Decodes a response. Malformed UTF-8 becomes characters that neither signature lines nor sizes
 * allow.
 */
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

/**
 * Returns the witness's valid cosignature from a response. Rejects with `NetError` if there is
 * none.
 */
async function readCosignature(
  body: Uint8Array,
  key: NoteKey,
  text: string,
): Promise<NoteSignature> {
  const signatures = parseSignatures(textOf(body)) ?? [];
  const cosignature = await findCosignature({ text, signatures }, key);
  if (cosignature) return cosignature;
  throw new NetError("response", "it returned no valid cosignature by its key");
}
/**
 * Returns the tree size from the 409 response of a witness that has cosigned another tree. Throws
 * `NetError` if the response has no size.
 */
function readSize(body: Uint8Array): number {
  const [, digits] = /^(0|[1-9]\d{0,14})\n?$/.exec(textOf(body)) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new NetError("response", "it returned status 409 without the size of its tree");
}
