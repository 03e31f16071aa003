import type { Socket } from "node:net";
import { BodyPace } from "./body-pace.ts";
import type { Limits } from "./limits.ts";
import type { Spare } from "./places.ts";
import { FrontRefusal, refusalBytes, runtimeAway, runtimeSilent } from "./refusal.ts";
import { RequestBody } from "./request-body.ts";
import { readRequestHead, rewrittenHead, type RequestHead } from "./request-head.ts";
import { ResponseFrame } from "./response-frame.ts";
import { dial } from "./upstream.ts";

/** What every connection of one front shares. */
export interface ConnectionSettings {
  limits: Limits;
  /** Path of the runtime's Unix socket. */
  upstream: string;
  /** Lower-case names of the headers that only the front may set. */
  secrets: readonly string[];
  /** Header lines (CRLF included) that tell the runtime about this caller. */
  about: Buffer;
  /** Host for HTTP/1.0 callers that send none. */
  host: string;
}

type Phase = "head" | "body" | "answer" | "linger" | "closed";

/** A held piece of a head up to this size is read again with each byte that arrives. */
const HELD_PIECE = 256;

const empty = Buffer.alloc(0);
const continueBytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n", "latin1");

/**
 * One caller: reads its requests strictly one after the other, passes each on over its own
 * connection to the runtime and begins the next only when the answer has ended, so that no byte can
 * be taken for part of another request.
 */
export class Connection {
  readonly #client: Socket;
  readonly #settings: ConnectionSettings;
  #upstream: Socket | undefined;
  /** Bytes that came before their turn. */
  #pending: Buffer = empty;
  #phase: Phase = "head";
  /** When the phase began, or its last progress. */
  #since = performance.now();
  #upstreamIdleSince = 0;
  #stalledSince = 0;
  #clientEnded = false;
  #closing = false;
  #body: RequestBody | undefined;
  #pace: BodyPace | undefined;
  #frame: ResponseFrame | undefined;
  #request: RequestHead | undefined;
  #upstreamReusable = true;
  #skippedEmptyLine = false;

  constructor(client: Socket, settings: ConnectionSettings) {
    this.#client = client;
    this.#settings = settings;
    client.setNoDelay(true);
    client.on("data", (chunk: Buffer) => this.#guard(() => this.#fromClient(chunk)));
    client.on("end", () => this.#guard(() => this.#clientEnd()));
    client.on("drain", () => {
      this.#stalledSince = 0;
      // the runtime could not go on meanwhile
      if (this.#phase === "answer") this.#since = performance.now();
      this.#upstream?.resume();
    });
    client.on("error", () => this.destroy());
    client.on("close", () => this.destroy());
  }

  /** Whether a request is under way. */
  get busy(): boolean {
    return this.#frame !== undefined || this.#phase === "body";
  }

  /**
   * Since when it is the caller who makes this connection wait, and for what; undefined while the
   * runtime has its request, or takes no more of it.
   */
  get spare(): Spare | undefined {
    if (this.#stalledSince !== 0) return { awaits: "request", since: this.#stalledSince };
    if (this.#phase === "answer" || (this.#phase === "body" && this.#pace?.paused === true))
      return undefined;
    const awaits =
      this.#phase === "body"
        ? "request"
        : this.#phase === "head" && this.#pending.length > 0
          ? "head"
          : "nothing";
    return { awaits, since: this.#since };
  }

  destroy(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#upstream?.destroy();
    this.#client.destroy();
  }

  /** Ends when the request under way is answered, at once when there is none. */
  finish(): void {
    this.#closing = true;
    if (!this.busy && this.#phase === "head") this.destroy();
  }

  /** Called every now and then: ends what has outlived its time. */
  sweep(now: number): void {
    const { limits } = this.#settings;
    const age = now - this.#since;
    if (this.#stalledSince !== 0) {
      if (now - this.#stalledSince > limits.takeMs) this.destroy();
    } else if (this.#phase === "linger") {
      if (age > (this.#client.writableFinished ? limits.lingerMs : limits.takeMs)) this.destroy();
    } else if (this.#phase === "head") this.#sweepHead(age, limits);
    else if (this.#phase === "body") this.#sweepBody(now, limits);
    else if (this.#phase === "answer" && age > limits.answerMs) this.#refuse(runtimeSilent());
  }

  #sweepHead(age: number, limits: Limits): void {
    if (this.#pending.length === 0) {
      if (age > limits.idleMs) this.destroy();
    } else if (age > limits.headMs)
      this.#refuse(new FrontRefusal(408, "the request head did not arrive in time"));
  }

  #sweepBody(now: number, limits: Limits): void {
    const fault = this.#pace?.fault(now, limits);
    if (fault !== undefined) this.#refuse(new FrontRefusal(408, fault));
    else if ((this.#pace?.pausedFor(now) ?? 0) > limits.answerMs) this.#refuse(runtimeSilent());
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof FrontRefusal) this.#refuse(error);
      else this.destroy();
    }
  }

  #refuse(refusal: FrontRefusal): void {
    if (this.#phase === "closed" || this.#phase === "linger") return;
    const answered = this.#frame === undefined ? this.#phase === "body" : this.#frame.started;
    this.#frame = undefined;
    this.#upstream?.destroy();
    // Behind the first byte of an answer nothing else can be said on this connection.
    if (answered) this.destroy();
    else this.#endClient(refusalBytes(refusal));
  }

  #endClient(last: Buffer | undefined): void {
    this.#phase = "linger";
    this.#since = performance.now();
    this.#pending = empty;
    if (last === undefined) this.#client.end();
    else this.#client.end(last);
    this.#client.resume();
  }

  #fromClient(chunk: Buffer): void {
    if (this.#phase === "head") {
      const held = this.#pending.length;
      if (held === 0) this.#since = performance.now();
      const bytes = held === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
      // A head in many pieces is read at its first piece and when it can be complete, not at each:
      // that would be quadratic work.
      if (
        held > HELD_PIECE &&
        bytes.length < this.#settings.limits.headBytes &&
        !bytes.includes("\n\r\n", held - 2, "latin1")
      )
        this.#pending = bytes;
      else this.#head(bytes);
    } else if (this.#phase === "body") {
      this.#pace?.arrived(chunk.length, performance.now());
      this.#passBody(chunk, 0);
    } else if (this.#phase === "answer") {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
      this.#client.pause();
    }
  }

  #clientEnd(): void {
    this.#clientEnded = true;
    if (this.#phase === "body" || (this.#phase === "head" && this.#pending.length > 0))
      throw new FrontRefusal(400, "the request ended early");
    if (this.#phase === "head") this.#endClient(undefined);
  }

  #head(bytes: Buffer): void {
    // RFC 9112 section 2.2: one empty line before a request is tolerated; it is not passed on.
    if (!this.#skippedEmptyLine && bytes[0] === 13 && bytes[1] === 10) {
      this.#skippedEmptyLine = true;
      bytes = bytes.subarray(2);
    }
    const { headBytes } = this.#settings.limits;
    if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 13)) {
      this.#pending = bytes;
      return;
    }
    const head = readRequestHead(
      bytes.length > headBytes ? bytes.subarray(0, headBytes) : bytes,
      this.#settings.secrets,
    );
    if (head === undefined) {
      if (bytes.length >= headBytes)
        throw new FrontRefusal(431, `the request head is longer than ${headBytes} bytes`);
      this.#pending = bytes;
      if (this.#clientEnded) throw new FrontRefusal(400, "the request ended early");
      return;
    }
    this.#pending = empty;
    this.#skippedEmptyLine = false;
    this.#begin(bytes, head);
  }

  #begin(bytes: Buffer, head: RequestHead): void {
    this.#frame = new ResponseFrame(head.bodiless);
    this.#request = head;
    const upstream = this.#connected();
    const whole = head.length >= 0 && bytes.length - head.end >= head.length;
    const stop = whole ? head.end + head.length : head.end;
    this.#pace = whole ? undefined : new BodyPace(performance.now());
    this.#toUpstream(upstream, rewrittenHead(bytes, head, stop, this.#settings));
    if (whole) return this.#answerNext(bytes, stop);
    this.#phase = "body";
    this.#body = new RequestBody(head.length);
    if (head.expect && bytes.length === head.end) this.#client.write(continueBytes);
    if (bytes.length > head.end) this.#passBody(bytes, head.end);
  }

  #passBody(bytes: Buffer, from: number): void {
    const upstream = this.#upstream;
    const body = this.#body;
    if (body === undefined || upstream === undefined || upstream.destroyed) return;
    const piece = body.read(bytes, from);
    if (piece.bytes.length > 0) this.#toUpstream(upstream, piece.bytes);
    if (!piece.done) return;
    this.#answerNext(bytes, piece.stop);
    if (this.#frame === undefined) this.#next();
  }

  /** The request is passed on whole; what stands behind it waits. */
  #answerNext(bytes: Buffer, stop: number): void {
    this.#body = undefined;
    this.#phase = "answer";
    this.#since = performance.now();
    if (stop === bytes.length) return;
    this.#pending = bytes.subarray(stop);
    this.#client.pause();
  }

  #toUpstream(upstream: Socket, bytes: Buffer): void {
    if (upstream.write(bytes)) return;
    this.#pace?.pause(performance.now());
    this.#client.pause();
  }

  #connected(): Socket {
    const old = this.#upstream;
    if (
      old !== undefined &&
      !old.destroyed &&
      old.writable &&
      performance.now() - this.#upstreamIdleSince < this.#settings.limits.reuseMs
    )
      return old;
    this.#upstream = undefined;
    old?.destroy();
    const upstream = dial(this.#settings.upstream, {
      data: (chunk) => this.#guard(() => this.#fromUpstream(chunk)),
      drained: () => {
        if (upstream !== this.#upstream || this.#phase !== "body") return;
        this.#pace?.resume(performance.now());
        this.#client.resume();
      },
      closed: (stood) => this.#guard(() => this.#upstreamClosed(upstream, stood)),
    });
    this.#upstream = upstream;
    return upstream;
  }

  #fromUpstream(chunk: Buffer): void {
    const frame = this.#frame;
    if (frame === undefined) return this.destroy();
    if (this.#phase === "answer") this.#since = performance.now();
    const piece = frame.read(chunk);
    if (piece.bytes !== undefined && !this.#client.write(piece.bytes)) {
      if (this.#stalledSince === 0) this.#stalledSince = performance.now();
      this.#upstream?.pause();
    }
    if (!piece.done) return;
    this.#frame = undefined;
    // The runtime hangs up, at its leisure, when nobody has read the body; the next request must
    // not be on that connection.
    this.#upstreamReusable =
      this.#request?.length === 0 ||
      (this.#request?.writes === true && frame.status.startsWith("2"));
    // An answer before the end of the body: the rest of the body is still passed on, or discarded
    // once the runtime hangs up.
    if (this.#phase === "answer") this.#next();
  }

  #next(): void {
    this.#since = performance.now();
    this.#upstreamIdleSince = this.#upstreamReusable ? this.#since : -Infinity;
    if (this.#request?.close || this.#closing) return this.#endClient(undefined);
    this.#phase = "head";
    const bytes = this.#pending;
    if (bytes.length > 0) {
      this.#pending = empty;
      this.#head(bytes);
    } else if (this.#clientEnded) return this.#endClient(undefined);
    if (this.#client.isPaused() && this.#pending.length === 0) this.#client.resume();
  }

  #upstreamClosed(upstream: Socket, stood: boolean): void {
    if (upstream !== this.#upstream) return;
    this.#upstream = undefined;
    if (this.#phase === "linger" || this.#phase === "closed") return;
    const frame = this.#frame;
    if (frame === undefined) {
      if (this.#phase === "body") this.#endClient(undefined);
    } else if (!frame.started)
      this.#refuse(stood ? new FrontRefusal(502, "the runtime did not answer") : runtimeAway());
    else if (frame.endsWithConnection) this.#endClient(undefined);
    else this.destroy();
  }
}
