import type { Socket } from "node:net";
import type { AboutCaller } from "./about-caller.ts";
import { BodyPace } from "./body-pace.ts";
import { HeadBuffer, type HeadRead } from "./head-buffer.ts";
import type { Limits } from "./limits.ts";
import type { Spare } from "./places.ts";
import { FrontRefusal, refusalBytes, runtimeAway, runtimeSilent } from "./refusal.ts";
import { RequestBody } from "./request-body.ts";
import { rewrittenHead, type RequestHead } from "./request-head.ts";
import { ResponseFrame } from "./response-frame.ts";
import { Upstream, type UpstreamSettings } from "./upstream.ts";

/** What every connection of one front shares. */
export interface ConnectionSettings {
  limits: Limits;
  upstream: UpstreamSettings;
  /** Lower-case names of the headers that only the front may set. */
  secrets: readonly string[];
  /** Header lines (CRLF included) that tell the runtime who sent a request. */
  about: AboutCaller;
  /** Host for HTTP/1.0 callers that send none. */
  host: string;
  /** The time of the server, Unix milliseconds. */
  now: () => number;
}

type Phase = "head" | "body" | "answer" | "linger" | "closed";

const continueBytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n", "latin1");

/**
 * One caller: reads its requests strictly one after the other, passes each on over its own
 * connection to the runtime and begins the next only when the answer has ended, so that no byte can
 * be taken for part of another request.
 */
export class Connection {
  readonly #client: Socket;
  readonly #settings: ConnectionSettings;
  readonly #upstream: Upstream;
  /** Bytes that came before their turn. */
  readonly #waiting: HeadBuffer;
  #phase: Phase = "head";
  /** When the phase began, or its last progress. */
  #since = performance.now();
  #stalledSince = 0;
  #clientEnded = false;
  #closing = false;
  #body: RequestBody | undefined;
  #pace: BodyPace | undefined;
  #frame: ResponseFrame | undefined;
  #request: RequestHead | undefined;
  #upstreamReusable = true;

  constructor(client: Socket, settings: ConnectionSettings) {
    this.#client = client;
    this.#settings = settings;
    this.#waiting = new HeadBuffer(settings.limits.headBytes, settings.secrets);
    this.#upstream = new Upstream(settings.upstream, {
      data: (chunk) => this.#guard(() => this.#fromUpstream(chunk)),
      drained: () => this.#upstreamDrained(),
      closed: (stood) => this.#guard(() => this.#upstreamClosed(stood)),
    });
    client.setNoDelay(true);
    client.on("data", (chunk: Buffer) => this.#guard(() => this.#fromClient(chunk)));
    client.on("end", () => this.#guard(() => this.#clientEnd()));
    client.on("drain", () => {
      this.#stalledSince = 0;
      // the runtime could not go on meanwhile
      if (this.#phase === "answer") this.#since = performance.now();
      this.#upstream.resume();
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
        : this.#phase === "head" && this.#waiting.length > 0
          ? "head"
          : "nothing";
    return { awaits, since: this.#since };
  }

  destroy(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#upstream.destroy();
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
    if (this.#waiting.length === 0) {
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
    this.#upstream.destroy();
    // Behind the first byte of an answer nothing else can be said on this connection.
    if (answered) this.destroy();
    else this.#endClient(refusalBytes(refusal, this.#settings.now()));
  }

  #endClient(last: Buffer | undefined): void {
    this.#phase = "linger";
    this.#since = performance.now();
    this.#waiting.clear();
    if (last === undefined) this.#client.end();
    else this.#client.end(last);
    this.#client.resume();
  }

  #fromClient(chunk: Buffer): void {
    if (this.#phase === "head") {
      if (this.#waiting.length === 0) this.#since = performance.now();
      this.#begin(this.#waiting.arrived(chunk));
    } else if (this.#phase === "body") {
      this.#pace?.arrived(chunk.length, performance.now());
      this.#passBody(chunk, 0);
    } else if (this.#phase === "answer") {
      this.#waiting.hold(chunk);
      this.#client.pause();
    }
  }

  #clientEnd(): void {
    this.#clientEnded = true;
    if (this.#phase === "body" || (this.#phase === "head" && this.#waiting.length > 0))
      throw new FrontRefusal(400, "the request ended early");
    if (this.#phase === "head") this.#endClient(undefined);
  }

  #begin(read: HeadRead | undefined): void {
    if (read === undefined) return;
    const { bytes, head } = read;
    this.#frame = new ResponseFrame(head.bodiless, this.#settings.now);
    this.#request = head;
    const front = { about: this.#settings.about(head.forwarded), host: this.#settings.host };
    this.#upstream.begin();
    // who takes no answers gets no more of them, over whichever connection they come
    if (this.#stalledSince !== 0) this.#upstream.pause();
    const whole = head.length >= 0 && bytes.length - head.end >= head.length;
    const stop = whole ? head.end + head.length : head.end;
    this.#pace = whole ? undefined : new BodyPace(performance.now());
    this.#toUpstream(rewrittenHead(bytes, head, stop, front));
    if (whole) return this.#answerNext(bytes, stop);
    this.#phase = "body";
    this.#body = new RequestBody(head.length);
    if (head.expect && bytes.length === head.end) this.#client.write(continueBytes);
    if (bytes.length > head.end) this.#passBody(bytes, head.end);
  }

  #passBody(bytes: Buffer, from: number): void {
    const body = this.#body;
    if (body === undefined || !this.#upstream.open) return;
    const piece = body.read(bytes, from);
    if (piece.bytes.length > 0) this.#toUpstream(piece.bytes);
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
    this.#waiting.hold(bytes.subarray(stop));
    this.#client.pause();
  }

  #toUpstream(bytes: Buffer): void {
    if (this.#upstream.write(bytes)) return;
    this.#pace?.pause(performance.now());
    this.#client.pause();
  }

  #upstreamDrained(): void {
    if (this.#phase !== "body") return;
    this.#pace?.resume(performance.now());
    this.#client.resume();
  }

  #fromUpstream(chunk: Buffer): void {
    const frame = this.#frame;
    if (frame === undefined) return this.destroy();
    if (this.#phase === "answer") this.#since = performance.now();
    const piece = frame.read(chunk);
    if (piece.bytes !== undefined && !this.#client.write(piece.bytes)) {
      if (this.#stalledSince === 0) this.#stalledSince = performance.now();
      this.#upstream.pause();
    }
    if (!piece.done) return;
    this.#frame = undefined;
    this.#closing ||= frame.closes;
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
    this.#upstream.rest(this.#since, this.#upstreamReusable);
    if (this.#request?.close || this.#closing) return this.#endClient(undefined);
    this.#phase = "head";
    this.#begin(this.#waiting.next());
    if (this.#clientEnded && (this.#phase === "head" || this.#body !== undefined)) {
      if (this.#body !== undefined || this.#waiting.length > 0)
        throw new FrontRefusal(400, "the request ended early");
      return this.#endClient(undefined);
    }
    // what waits in phase "head" is part of a head, whose rest has yet to arrive
    if (this.#client.isPaused() && (this.#phase === "head" || this.#waiting.length === 0))
      this.#client.resume();
  }

  #upstreamClosed(stood: boolean): void {
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
