import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { afterAll } from "vitest";
import { concat, fromBase64, toBase64, toHex, utf8 } from "../../src/base/bytes.ts";
import type { CaOptions } from "../../src/index.ts";
import { parseCheckpoint } from "../../src/log/tree/checkpoint.ts";
import {
  isSignedBy,
  noteKeyId,
  parseNote,
  type Note,
  type NoteKey,
} from "../../src/log/tree/note.ts";
import { provesConsistency, type TreeHead } from "../../src/log/tree/proof.ts";
import { certificate, dial, listening } from "../net/tls-fixture.ts";

const ca = await certificate({ name: "CA of the witnesses", ca: true });
const own = await certificate({ issuer: ca, names: { dns: ["witness.example"] } });
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));

/** The CA certificate of the witnesses' server, PEM. */
export const witnessCa = ca.pem;

/** Replaces the response of a witness to a request. */
export type Behavior = (response: ServerResponse, body: string, witness: Witness) => void;

/** A witness that remembers the tree that it has cosigned. */
export interface Witness {
  readonly name: string;
  /** Its verifier key, and its setting: the key and its URL. */
  readonly key: NoteKey;
  readonly vkey: string;
  readonly setting: string;
  /** The requests, as text. */
  readonly requests: string[];
  head: TreeHead | undefined;
  behavior: Behavior | undefined;
  /** Answers as C2SP tlog-witness requires. */
  readonly answer: Behavior;
  /** Returns a cosignature of a checkpoint, by the key of another witness if given. */
  cosign(text: string, by?: Witness): string;
  readonly secret: KeyObject;
}

function witnessAt(name: string, log: () => NoteKey): Witness {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = new Uint8Array(publicKey.export({ type: "spki", format: "der" })).subarray(-32);
  const key = { name: `${name}.example`, key: raw };
  const id = noteKeyId(key, 4);
  const vkey = `${key.name}+${toHex(id)}+${toBase64(concat([Uint8Array.of(4), raw]))}`;
  const witness: Witness = {
    name: key.name,
    key,
    vkey,
    setting: `${vkey} https://witness.example/${name}/`,
    requests: [],
    head: undefined,
    behavior: undefined,
    secret: privateKey,
    cosign(text, by = witness) {
      const time = 1_900_000_000n;
      const stamp = new Uint8Array(8);
      new DataView(stamp.buffer).setBigUint64(0, time);
      const signature = sign(null, utf8(`cosignature/v1\ntime ${time}\n${text}`), by.secret);
      return `\u2014 ${key.name} ${toBase64(concat([id, stamp, signature]))}\n`;
    },
    answer: (response, body) => void answer(witness, { response, body, log: log() }),
  };
  return witness;
}

/** Answers `add-checkpoint` as C2SP tlog-witness requires. */
async function answer(
  witness: Witness,
  { response, body, log }: { response: ServerResponse; body: string; log: NoteKey },
): Promise<void> {
  const end = (status: number, text = ""): void => void response.writeHead(status).end(text);
  const at = body.indexOf("\n\n");
  const [old = "", ...hashes] = body.slice(0, at).split("\n");
  const note: Note | undefined = parseNote(body.slice(at + 2));
  const checkpoint = note && parseCheckpoint(note.text);
  if (!note || !checkpoint || !old.startsWith("old ")) return end(400);
  if (!(await isSignedBy(note, log))) return end(403);
  const known = Number(old.slice(4));
  if (known > checkpoint.size) return end(400);
  if (known !== (witness.head?.size ?? 0)) return end(409, `${witness.head?.size ?? 0}\n`);
  const proof = hashes.map((hash) => fromBase64(hash) ?? new Uint8Array());
  const isGrown = witness.head ? provesConsistency(witness.head, checkpoint, proof) : !proof.length;
  if (!isGrown) return end(422);
  witness.head = checkpoint;
  end(200, witness.cosign(note.text));
}

/** Starts witnesses behind one HTTPS server, and returns the ports that reach it. */
export async function witnesses(...names: readonly string[]) {
  const log: { key: NoteKey } = { key: { name: "", key: new Uint8Array(32) } };
  const all = names.map((name) => witnessAt(name, () => log.key));
  const server = createServer({ key: own.key.pem, cert: own.pem }, (request, response) => {
    void received(request).then((body) => {
      const witness = all.find(({ setting }) =>
        setting.endsWith(` https://witness.example${request.url?.replace("add-checkpoint", "")}`),
      );
      if (!witness) return response.writeHead(404).end();
      witness.requests.push(body);
      return (witness.behavior ?? witness.answer)(response, body, witness);
    });
  });
  servers.push(server);
  const port = await listening(server);
  const ports: Pick<CaOptions, "dial" | "resolve"> = {
    dial: async () => dial(port),
    resolve: async ({ type }) => (type === "A" ? ["10.1.2.3"] : []),
  };
  return { all, ports, log };
}
async function received(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
