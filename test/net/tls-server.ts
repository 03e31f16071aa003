import { createHash, createHmac } from "node:crypto";
import { asBytes, concat, utf8 } from "../../src/base/bytes.ts";
import type { Connection } from "../../src/engine/ports.ts";
import { Handshake, messageBytes, messageType } from "../../src/net/tls-handshake.ts";
import {
  opener12,
  opener13,
  recordType,
  sealer12,
  sealer13,
  trafficKeys,
  type Opener,
  type Sealer,
} from "../../src/net/tls-protection.ts";
import { TlsError } from "../../src/net/tls-error.ts";
import { Records } from "../../src/net/tls-record.ts";
import { Transport } from "../../src/net/tls-transport.ts";
import { uint, vector, WireReader } from "../../src/net/tls-wire.ts";
import type { Certified } from "./tls-fixture.ts";

/** A replacement for one record of a faulty server: records or raw bytes. */
export type Sent =
  | {
      readonly type: number;
      readonly body: Uint8Array;
      readonly plain?: true;
      readonly rekeys?: true;
    }
  | Uint8Array;
/** The steps of the server's side of the handshake. */
export type Step =
  | "ServerHello"
  | "EncryptedExtensions"
  | "CertificateRequest"
  | "Certificate"
  | "CertificateVerify"
  | "ServerKeyExchange"
  | "ServerHelloDone"
  | "ChangeCipherSpec"
  | "Finished"
  | "Data";
/** The faults of a server; none by default. */
export interface Faults {
  readonly version?: "1.3" | "1.2";
  readonly alpn?: string;
  readonly asks?: boolean;
  /** Replaces the body of a message, also in the server's own transcript. */
  readonly body?: Partial<Record<Step, (body: Uint8Array) => Uint8Array>>;
  /** Replaces the sent bytes of a message, but not in the server's own transcript. */
  readonly sent?: Partial<Record<Step, (message: Uint8Array) => readonly Sent[]>>;
  /** Replaces the bytes to be signed. */
  readonly signed?: (data: Uint8Array) => Uint8Array;
  /** The signature scheme. */
  readonly scheme?: number;
  /** Whether the server does not wait for the client's flight. */
  readonly deaf?: boolean;
}

const nothing = new Uint8Array();

/** Returns two ends of a connection in memory. */
export function pipe(through?: TransformStream<Uint8Array, Uint8Array>): {
  readonly client: Connection & { readonly closed: Promise<void> };
  readonly server: Connection;
} {
  const [up, down] = [
    new TransformStream<Uint8Array>({}, wide, wide),
    new TransformStream<Uint8Array>({}, wide, wide),
  ];
  let done = (): void => undefined;
  const readable = through ? down.readable.pipeThrough(through) : down.readable;
  const closed = new Promise<void>((resolve) => (done = resolve));
  return {
    client: { readable, writable: up.writable, close: done, closed },
    server: { readable: up.readable, writable: down.writable, close: () => undefined },
  };
}
const wide = { highWaterMark: 64 };

type Hello = {
  readonly random: Uint8Array;
  readonly session: Uint8Array;
  readonly point: Uint8Array;
};
function readHello(body: Uint8Array): Hello {
  const reader = new WireReader(body, "hello");
  reader.number(2);
  const [random, session] = [reader.bytes(32), reader.vector(1)];
  reader.vector(2);
  reader.vector(1);
  const extensions = reader.enter(2);
  let point = new Uint8Array();
  while (!extensions.done) {
    const [type, value] = [extensions.number(2), extensions.enter(2)];
    if (type !== 51) continue;
    const shares = value.enter(2);
    while (!shares.done) {
      const [group, key] = [shares.number(2), shares.vector(2)];
      if (group === 0x1d) point = key.slice();
    }
  }
  return { random, session, point };
}

const sha = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();
const hmac = (key: Uint8Array, bytes: Uint8Array): Buffer =>
  createHmac("sha256", key).update(bytes).digest();
/** HKDF-Expand without Extract, which Node does not offer. */
const expand = (secret: Uint8Array, label: string, context: Uint8Array, size = 32): Buffer =>
  hmac(
    secret,
    concat([
      uint(size, 2),
      vector(1, utf8(`tls13 ${label}`)),
      vector(1, context),
      Uint8Array.of(1),
    ]),
  ).subarray(0, size);
const prf = (secret: Uint8Array, label: string, seed: Uint8Array, size: number): Buffer => {
  const all = concat([utf8(label), seed]);
  let [a, out] = [hmac(secret, all), Buffer.alloc(0)];
  for (; out.length < size; a = hmac(secret, a))
    out = Buffer.concat([out, hmac(secret, concat([a, all]))]);
  return out.subarray(0, size);
};
const extension = (type: number, ...parts: readonly Uint8Array[]) =>
  concat([uint(type, 2), vector(2, ...parts)]);

/** A small TLS server over the record layer of the sources, with its own handshake and faults. */
export class FaultyServer {
  readonly #own: Certified;
  readonly #faults: Faults;
  readonly #records: Records;
  readonly #shake: Handshake;
  readonly #transport: Transport;
  readonly #raw: (bytes: Promise<Uint8Array>) => Promise<void>;
  #sealer: Sealer | undefined;
  #said: Uint8Array[] = [];
  /** Application traffic secrets of TLS 1.3. */
  #ours: Uint8Array = nothing;
  #theirs: Uint8Array = nothing;

  constructor(connection: Connection, own: Certified, faults: Faults = {}) {
    this.#own = own;
    this.#faults = faults;
    this.#transport = new Transport(connection, new AbortController().signal);
    this.#records = new Records(this.#transport);
    this.#shake = new Handshake(this.#records);
    this.#raw = (bytes) => this.#transport.write(bytes);
  }

  #transcript(): Uint8Array {
    return concat(this.#said);
  }
  async #hear(...types: number[]): Promise<Uint8Array> {
    const { type, body } = await this.#shake.next(...types);
    this.#said.push(messageBytes(type, body));
    return body;
  }
  /** Writes one record with the current keys. */
  async write(sent: Sent): Promise<void> {
    if (sent instanceof Uint8Array) return await this.#raw(Promise.resolve(sent));
    const { type, body, plain } = sent;
    const seal = plain ? undefined : this.#sealer;
    const head = Uint8Array.of(type, 3, 3, body.length >> 8, body.length & 255);
    await this.#raw(seal ? seal(type, body) : Promise.resolve(concat([head, body])));
    if (!sent.rekeys) return;
    this.#ours = expand(this.#ours, "traffic upd", nothing);
    this.#sealer = sealer13(await keys13(this.#ours));
  }
  async #say(step: Step, type: number, right: Uint8Array): Promise<void> {
    const message = messageBytes(type, this.#faults.body?.[step]?.(right) ?? right);
    this.#said.push(message);
    await this.#send(step, recordType.handshake, message);
  }
  async #send(step: Step, type: number, body: Uint8Array): Promise<void> {
    const sent = this.#faults.sent?.[step]?.(body) ?? [{ type, body }];
    for (const one of sent) await this.write(one);
  }
  async #signature(data: Uint8Array): Promise<Uint8Array> {
    const { signed, scheme = 0x0403 } = this.#faults;
    const signature = await this.#own.key.sign(signed?.(data) ?? data);
    return concat([uint(scheme, 2), vector(2, signature)]);
  }

  /**
   * Runs the handshake, then sends one record of data and close_notify. Returns what the client sent:
   * data, and the names of messages and alerts.
   */
  async run(): Promise<readonly string[]> {
    const heard: string[] = [];
    try {
      const hello = readHello(await this.#hear(messageType.clientHello));
      if (this.#faults.version === "1.2") await this.#older(hello);
      else await this.#newer(hello);
      heard.push("Finished");
      await this.#send("Data", recordType.application, utf8("data of the server"));
      await this.write({ type: recordType.alert, body: Uint8Array.of(1, 0) });
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      if (error.kind !== "protocol" && error.alert) return [...heard, error.alert];
      // the connection is gone: what was received before is returned
    }
    try {
      for (;;) heard.push(await this.#later());
    } catch (error) {
      if (!(error instanceof TlsError)) throw error;
      return [...heard, error.alert ?? error.message];
    }
  }

  /** Returns the next data or message of the client after the handshake. */
  async #later(): Promise<string> {
    const { type, body } = await this.#records.next();
    if (type === recordType.application) return new TextDecoder().decode(body);
    if (body[0] !== messageType.keyUpdate) return `message ${body[0]}`;
    this.#theirs = expand(this.#theirs, "traffic upd", nothing);
    this.#records.readWith(lenient(opener13(await keys13(this.#theirs))));
    return "KeyUpdate";
  }

  async #newer({ session, point }: Hello): Promise<void> {
    const { alpn, asks, deaf } = this.#faults;
    const pair = await crypto.subtle.generateKey("X25519", true, ["deriveBits"]);
    const own = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const share = concat([uint(0x1d, 2), vector(2, own)]);
    const extensions = [extension(43, uint(0x0304, 2)), extension(51, share)];
    const random = crypto.getRandomValues(new Uint8Array(32));
    await this.#say(
      "ServerHello",
      2,
      concat([
        uint(0x0303, 2),
        random,
        vector(1, session),
        uint(0x1301, 2),
        uint(0, 1),
        vector(2, ...extensions),
      ]),
    );
    this.#records.changes = "ignored";
    const client = await crypto.subtle.importKey("raw", asBytes(point), "X25519", false, []);
    const shared = new Uint8Array(
      await crypto.subtle.deriveBits({ name: "X25519", public: client }, pair.privateKey, 256),
    );
    const zeros = new Uint8Array(32);
    const derived = (secret: Uint8Array) => expand(secret, "derived", sha(new Uint8Array()));
    const secret = hmac(derived(hmac(zeros, zeros)), shared);
    const traffic = (from: Uint8Array, label: string) =>
      expand(from, label, sha(this.#transcript()));
    const [ours, theirs] = [traffic(secret, "s hs traffic"), traffic(secret, "c hs traffic")];
    this.#sealer = sealer13(await keys13(ours));
    this.#records.readWith(lenient(opener13(await keys13(theirs))));
    const protocols = alpn === undefined ? [] : [extension(16, vector(2, vector(1, utf8(alpn))))];
    await this.#say("EncryptedExtensions", 8, vector(2, ...protocols));
    if (asks) {
      const schemes = extension(13, vector(2, uint(0x0403, 2)));
      await this.#say("CertificateRequest", 13, concat([vector(1), vector(2, schemes)]));
    }
    const entry = concat([vector(3, this.#own.der), vector(2)]);
    await this.#say("Certificate", 11, concat([vector(1), vector(3, entry)]));
    const words = concat([
      new Uint8Array(64).fill(0x20),
      utf8("TLS 1.3, server CertificateVerify"),
      uint(0, 1),
    ]);
    await this.#say(
      "CertificateVerify",
      15,
      await this.#signature(concat([words, sha(this.#transcript())])),
    );
    await this.#say(
      "Finished",
      20,
      hmac(expand(ours, "finished", nothing), sha(this.#transcript())),
    );
    const master = hmac(derived(secret), zeros);
    const [app, heard] = [traffic(master, "s ap traffic"), traffic(master, "c ap traffic")];
    if (!deaf) {
      if (asks) await this.#hear(messageType.certificate);
      await this.#hear(messageType.certificateVerify, messageType.finished);
    }
    [this.#ours, this.#theirs] = [app, heard];
    this.#sealer = sealer13(await keys13(app));
    this.#records.readWith(lenient(opener13(await keys13(heard))));
  }

  async #older({ random }: Hello): Promise<void> {
    const { alpn, asks } = this.#faults;
    this.#records.changes = "returned";
    const own = crypto.getRandomValues(new Uint8Array(32));
    const extensions = [
      extension(23),
      extension(0xff01, Uint8Array.of(0)),
      ...(alpn === undefined ? [] : [extension(16, vector(2, vector(1, utf8(alpn))))]),
    ];
    const chosen = [vector(1), uint(0xc02b, 2), uint(0, 1), vector(2, ...extensions)];
    await this.#say("ServerHello", 2, concat([uint(0x0303, 2), own, ...chosen]));
    await this.#say("Certificate", 11, vector(3, vector(3, this.#own.der)));
    const pair = await crypto.subtle.generateKey("X25519", true, ["deriveBits"]);
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const parameters = concat([uint(3, 1), uint(0x1d, 2), vector(1, point)]);
    const signature = await this.#signature(concat([random, own, parameters]));
    await this.#say("ServerKeyExchange", 12, concat([parameters, signature]));
    if (asks)
      await this.#say(
        "CertificateRequest",
        13,
        concat([vector(1, Uint8Array.of(64)), vector(2, uint(0x0403, 2)), vector(2)]),
      );
    await this.#say("ServerHelloDone", 14, new Uint8Array());
    if (asks) await this.#hear(messageType.certificate);
    const theirs = new WireReader(await this.#hear(messageType.clientKeyExchange), "key").vector(1);
    const client = await crypto.subtle.importKey("raw", asBytes(theirs), "X25519", false, []);
    const shared = new Uint8Array(
      await crypto.subtle.deriveBits({ name: "X25519", public: client }, pair.privateKey, 256),
    );
    const master = prf(shared, "extended master secret", sha(this.#transcript()), 48);
    const block = prf(master, "key expansion", concat([own, random]), 40);
    await this.#shake.change();
    this.#records.readWith(
      opener12(await trafficKeys(block.subarray(0, 16), block.subarray(32, 36))),
    );
    this.#records.changes = "refused";
    await this.#hear(messageType.finished);
    await this.#send("ChangeCipherSpec", recordType.changeCipherSpec, Uint8Array.of(1));
    this.#sealer = sealer12(await trafficKeys(block.subarray(16, 32), block.subarray(36, 40)));
    await this.#say("Finished", 20, prf(master, "server finished", sha(this.#transcript()), 12));
  }
}

const keys13 = (secret: Uint8Array) =>
  trafficKeys(expand(secret, "key", nothing, 16), expand(secret, "iv", nothing, 12));

/** Also accepts plaintext records, because a client that fails at the ServerHello has no keys yet. */
const lenient = (opener: Opener): Opener => ({
  ...opener,
  open: async (head, body) =>
    head[0] === recordType.application ? opener.open(head, body) : { type: head[0] ?? 0, body },
});
