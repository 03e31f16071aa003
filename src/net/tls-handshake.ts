import { concat, type Bytes } from "../base/bytes.ts";
import { violation } from "./tls-error.ts";
import { digest } from "./tls-hash.ts";
import { recordType } from "./tls-protection.ts";
import type { Records } from "./tls-record.ts";
import type { SuiteHash } from "./tls-suites.ts";
import { ByteQueue, uint, WireReader } from "./tls-wire.ts";

/** Kinds of handshake messages (RFC 8446 section 4, RFC 5246 section 7.4). */
export const messageType = {
  helloRequest: 0,
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  encryptedExtensions: 8,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
  keyUpdate: 24,
  messageHash: 254,
} as const;
/** A handshake message without its head. */
export interface Message {
  readonly type: number;
  readonly body: Uint8Array;
}

/** Bytes of the longest message, some dozens of certificates, and records that it may come in. */
const [maxBytes, maxFragments] = [2 ** 16, 2 ** 13];

/** Handshake messages over records, and the transcript that both sides prove they have seen. */
export class Handshake {
  readonly records: Records;
  readonly #held = new ByteQueue();
  #transcript: Uint8Array[] = [];
  readonly #flight: Promise<Uint8Array>[] = [];

  constructor(records: Records) {
    this.records = records;
  }

  /** The next message, of one of these kinds; it joins the transcript. */
  async next(...types: readonly number[]): Promise<Message> {
    const whole = await this.#whole();
    const [type = 0] = whole;
    if (!types.includes(type))
      throw violation("unexpected_message", `an unexpected handshake message (${type})`);
    this.#transcript.push(whole);
    return { type, body: whole.subarray(4) };
  }

  async #whole(): Promise<Uint8Array> {
    let fragments = 0;
    for (let whole = this.#complete(); ; whole = this.#complete()) {
      if (whole) return whole;
      const { type, body } = await this.records.next();
      if (type !== recordType.handshake)
        throw violation("unexpected_message", `an unexpected record (${type}) in the handshake`);
      if (++fragments > maxFragments)
        throw violation("unexpected_message", "a handshake message in too many records");
      this.#held.push(body);
    }
  }

  /** The first message that waits, once it is there wholly. */
  #complete(): Uint8Array | undefined {
    if (this.#held.size < 4) return undefined;
    const head = new WireReader(this.#held.peek(4).subarray(1), "a handshake message");
    const length = head.number(3);
    if (length > maxBytes) throw violation("decode_error", "a handshake message is too long");
    return this.#held.size < 4 + length ? undefined : this.#held.take(4 + length);
  }

  /** Accepts a record after the handshake, whose messages `later` returns. */
  feed(body: Uint8Array): void {
    this.#held.push(body);
  }

  /** The next message after the handshake, once it is there wholly; it joins no transcript. */
  later(): Message | undefined {
    const whole = this.#complete();
    return whole && { type: whole[0] ?? 0, body: whole.subarray(4) };
  }

  /** Demands that no bytes wait: before keys change, and before another kind of record. */
  boundary(): void {
    if (this.#held.size > 0)
      throw violation("unexpected_message", "a handshake message goes on where it may not");
  }

  /** The change_cipher_spec of TLS 1.2, which must be what comes next. */
  async change(): Promise<void> {
    this.boundary();
    const { type } = await this.records.next();
    if (type !== recordType.changeCipherSpec)
      throw violation("unexpected_message", "no change_cipher_spec before Finished");
  }

  /** Puts a message into the next flight, and into the transcript. */
  send(type: number, body: Uint8Array): void {
    const whole = messageBytes(type, body);
    this.#transcript.push(whole);
    this.#join(recordType.handshake, whole);
  }

  /** Puts a change_cipher_spec into the next flight. */
  sendChange(): void {
    this.#join(recordType.changeCipherSpec, Uint8Array.of(1));
  }

  #join(type: number, body: Uint8Array): void {
    const sealed = this.records.sealed(type, body);
    sealed.catch(() => undefined);
    this.#flight.push(sealed);
  }

  /**
   * Writes the flight at once, because small writes would delay each other. Failures show at the
   * next read.
   */
  flush(): void {
    const flight = this.#flight.splice(0);
    if (flight.length > 0) this.records.writeSealed(flight).catch(() => undefined);
  }

  /** All messages so far. */
  transcript(): Bytes {
    const all = concat(this.#transcript);
    this.#transcript = [all];
    return all;
  }

  /** Hash of all messages so far. */
  hash(hash: SuiteHash): Promise<Bytes> {
    return digest(hash, this.transcript());
  }

  /** Puts the hash of the first hello in its place, before the last one (RFC 8446 4.4.1). */
  async retry(hash: SuiteHash): Promise<void> {
    const [last = new Uint8Array()] = this.#transcript.splice(-1);
    const first = messageBytes(messageType.messageHash, await this.hash(hash));
    this.#transcript = [first, last];
  }
}

/** Returns a handshake message with its header. */
export const messageBytes = (type: number, body: Uint8Array): Bytes =>
  concat([Uint8Array.of(type), uint(body.length, 3), body]);
