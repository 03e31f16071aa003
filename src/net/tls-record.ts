import { concat } from "../base/bytes.ts";
import { alertName, TlsError, violation } from "./tls-error.ts";
import {
  maxPlainBytes,
  recordType,
  type Opener,
  type Sealer,
  type TlsRecord,
} from "./tls-protection.ts";
import type { Transport } from "./tls-transport.ts";

/** Maximum number of consecutive empty records. A peer that exceeds it is considered hostile. */
const maxEmptyRecords = 16;

/**
 * The record layer (RFC 8446 section 5, RFC 5246 section 6). Reads and writes complete records,
 * handles alerts, and rejects floods of empty records.
 */
export class Records {
  readonly #transport: Transport;
  #opener: Opener | undefined;
  #sealer: Sealer | undefined;
  #first = true;
  #idle = 0;
  /**
   * The treatment of change_cipher_spec records: `ignored` in TLS 1.3, where they are for
   * middleboxes, `returned` in TLS 1.2, where they announce a change of keys, or `refused`.
   */
  changes: "ignored" | "returned" | "refused" = "ignored";
  /** Number of ignored change_cipher_spec records. */
  ignoredChanges = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sets the keys for reading further records. */
  readWith(opener: Opener): void {
    this.#opener = opener;
  }

  /** Sets the keys for writing further records. */
  writeWith(sealer: Sealer): void {
    this.#sealer = sealer;
  }

  /** Returns the next record that has content. Throws `TlsError` for alerts other than warnings. */
  async next(): Promise<TlsRecord> {
    for (;;) {
      const record = await this.#read();
      const { type, body } = record;
      if (type === recordType.changeCipherSpec && this.#isIgnored(body)) this.ignoredChanges++;
      else if (type === recordType.alert) this.#hear(body);
      else if (body.length > 0) {
        this.#idle = 0;
        return record;
      } else if (type !== recordType.application)
        throw violation("unexpected_message", "the server sent an empty record");
      if (++this.#idle > maxEmptyRecords)
        throw violation("unexpected_message", "the server sent too many records without content");
    }
  }

  async #read(): Promise<TlsRecord> {
    const head = await this.#transport.read(5);
    const [type = 0, major, , high = 0, low = 0] = head;
    if (type < recordType.changeCipherSpec || type > recordType.application || major !== 3)
      throw violation("unexpected_message", "the received data is not TLS");
    const length = (high << 8) | low;
    const change = type === recordType.changeCipherSpec && this.#opener?.version !== "1.2";
    const opener = change ? undefined : this.#opener;
    if (length > (opener?.maxBytes ?? maxPlainBytes))
      throw violation("record_overflow", "a record is too long");
    const body = await this.#transport.read(length);
    return opener ? await opener.open(head, body) : { type, body };
  }

  #isIgnored(body: Uint8Array): boolean {
    if (this.changes === "refused" || body.length !== 1 || body[0] !== 1)
      throw violation("unexpected_message", "the server sent an unexpected change_cipher_spec");
    return this.changes === "ignored";
  }

  /** Throws the error for an alert, unless it is a warning that can be ignored. */
  #hear(body: Uint8Array): void {
    const [level, number = 0] = body;
    if (body.length !== 2)
      throw violation("decode_error", "the server sent an alert of the wrong length");
    const alert = alertName(number);
    if (alert === "close_notify")
      throw new TlsError("closed", "TLS: the peer closed the connection", { alert });
    const warning = alert === "user_canceled" || (level === 1 && this.#opener?.version !== "1.3");
    if (!warning) throw new TlsError("alert", `TLS: the peer sent the alert ${alert}`, { alert });
  }

  /** Writes bytes as records, after all bytes that were written before. */
  async write(type: number, body: Uint8Array): Promise<void> {
    await this.writeSealed([this.sealed(type, body)]);
  }

  /** Writes encrypted records in the given order, with a single write to the transport. */
  async writeSealed(records: readonly Promise<Uint8Array>[]): Promise<void> {
    await this.#transport.write(Promise.all(records).then(concat));
  }

  /** Encrypts bytes as records with the current keys. */
  async sealed(type: number, body: Uint8Array): Promise<Uint8Array> {
    const records: Promise<Uint8Array>[] = [];
    for (let at = 0; at === 0 || at < body.length; at += maxPlainBytes) {
      const piece = body.subarray(at, at + maxPlainBytes);
      records.push(this.#sealer ? this.#sealer(type, piece) : this.#plain(type, piece));
    }
    return concat(await Promise.all(records));
  }

  async #plain(type: number, body: Uint8Array): Promise<Uint8Array> {
    // the first record has version 1.0, which every server accepts (RFC 8446 section 5.1)
    const minor = this.#first ? 1 : 3;
    this.#first = false;
    return concat([Uint8Array.of(type, 3, minor, body.length >> 8, body.length & 0xff), body]);
  }
}
