import { concat, type Bytes } from "../base/bytes.ts";
import { violation } from "./tls-error.ts";
import { digest } from "./tls-hash.ts";
import { recordType } from "./tls-protection.ts";
import type { Records } from "./tls-record.ts";
import type { SuiteHash } from "./tls-suites.ts";
import { ByteQueue, uint, WireReader } from "./tls-wire.ts";

/** Numbers of handshake message types (RFC 8446 section 4, RFC 5246 section 7.4). */
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
/** A handshake message without its header. */
export interface Message {
  readonly type: number;
  readonly body: Uint8Array;
}

/**
 * Maximum size of a message in bytes, which suffices for dozens of certificates, and maximum number
 * of records that it may span.
 */
const [maxBytes, maxFragments] = [2 ** 16, 2 ** 13];

/** The handshake layer, which sends and receives handshake messages and records the transcript. */
export class Handshake {
  readonly records: Records;
  readonly #held = new ByteQueue();
  #transcript: Uint8Array[] = [];
  readonly #flight: Promise<Uint8Array>[] = [];

  constructor(records: Records) {
    this.records = records;
  }

  /**
   * Returns the next message, which must have one of the given types, and adds it to the
   * transcript.
   */
  async next(...types: readonly number[]): Promise<Message> {
    const whole = await this.#whole();
    const [type = 0] = whole;
    if (!types.includes(type))
      throw violation(
        "unexpected_message",
        `the server sent an unexpected handshake message (${type})`,
      );
    this.#transcript.push(whole);
    return { type, body: whole.subarray(4) };
  }

  async #whole(): Promise<Uint8Array> {
    let fragments = 0;
    for (let whole = this.#complete(); ; whole = this.#complete()) {
      if (whole) return whole;
      const { type, body } = await this.records.next();
      if (type !== recordType.handshake)
        throw violation(
          "unexpected_message",
          `the server sent an unexpected record (${type}) in the handshake`,
        );
      if (++fragments > maxFragments)
        throw violation(
          "unexpected_message",
          "the server split a handshake message over too many records",
        );
      this.#held.push(body);
    }
  }

  /** Returns the first queued message if it is complete. */
  #complete(): Uint8Array | undefined {
    if (this.#held.size < 4) return undefined;
    const head = new WireReader(this.#held.peek(4).subarray(1), "a handshake message");
    const length = head.number(3);
    if (length > maxBytes)
      throw violation("decode_error", "the server sent a handshake message that is too long");
    return this.#held.size < 4 + length ? undefined : this.#held.read(4 + length);
  }

  /** Accepts the contents of a record after the handshake. `later` returns its messages. */
  feed(body: Uint8Array): void {
    this.#held.push(body);
  }

  /**
   * Returns the next message after the handshake, or undefined if it is not complete yet. Does not
   * add it to the transcript.
   */
  later(): Message | undefined {
    const whole = this.#complete();
    return whole && { type: whole[0] ?? 0, body: whole.subarray(4) };
  }

  /**
   * Requires that no bytes of a message are pending. It is called before keys change and before a
   * record of another type.
   */
  boundary(): void {
    if (this.#held.size > 0)
      throw violation(
        "unexpected_message",
        "the server split a handshake message where it must end",
      );
  }

  /** Reads the change_cipher_spec of TLS 1.2, which must come next. */
  async change(): Promise<void> {
    this.boundary();
    const { type } = await this.records.next();
    if (type !== recordType.changeCipherSpec)
      throw violation(
        "unexpected_message",
        "the server sent no change_cipher_spec before Finished",
      );
  }

  /** Adds a message to the next flight and to the transcript. */
  send(type: number, body: Uint8Array): void {
    const whole = messageBytes(type, body);
    this.#transcript.push(whole);
    this.#join(recordType.handshake, whole);
  }

  /** Adds a change_cipher_spec to the next flight. */
  sendChange(): void {
    this.#join(recordType.changeCipherSpec, Uint8Array.of(1));
  }

  #join(type: number, body: Uint8Array): void {
    const sealed = this.records.sealed(type, body);
    sealed.catch(() => undefined);
    this.#flight.push(sealed);
  }

  /**
   * Writes the flight with a single write, because TCP would delay small writes (Nagle's
   * algorithm). The next read reports a failure.
   */
  flush(): void {
    const flight = this.#flight.splice(0);
    if (flight.length > 0) this.records.writeSealed(flight).catch(() => undefined);
  }

  /** Returns all messages so far. */
  transcript(): Bytes {
    const all = concat(this.#transcript);
    this.#transcript = [all];
    return all;
  }

  /** Returns the hash of all messages so far. */
  hash(hash: SuiteHash): Promise<Bytes> {
    return digest(hash, this.transcript());
  }

  /** Replaces the first ClientHello in the transcript with its hash (RFC 8446 section 4.4.1). */
  async retry(hash: SuiteHash): Promise<void> {
    const [last = new Uint8Array()] = this.#transcript.splice(-1);
    const first = messageBytes(messageType.messageHash, await this.hash(hash));
    this.#transcript = [first, last];
  }
}

/** Returns a handshake message with its header. */
export const messageBytes = (type: number, body: Uint8Array): Bytes =>
  concat([Uint8Array.of(type), uint(body.length, 3), body]);
