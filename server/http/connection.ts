import type { Socket } from "node:net";
import type { IncomingRequest } from "../../src/index.ts";
import type { ConnectionPhase } from "./connection-table.ts";
import { BodyPace } from "./body-pace.ts";
import { HeadBuffer, type HeadInBytes } from "./head-buffer.ts";
import type { Limits } from "./limits.ts";
import { HttpError, errorResponse, responseTimeout } from "./http-error.ts";
import { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import { type Response, headAndBody, responseHead } from "./response.ts";
import { ResponseWriter } from "./response-writer.ts";

/** The settings that all connections of a listener share. */
interface ConnectionSettings {
  readonly limits: Limits;
  /** Returns the time in Unix ms. */
  now(): number;
}
/** Responds to the requests on a connection. */
export interface Handler {
  /**
   * Builds the request for `respond`. Throws {@link HttpError} if the header fields are malformed.
   */
  request(head: RequestHead, body: RequestBody): IncomingRequest;
  respond(request: IncomingRequest): Promise<Response>;
}

type Phase = "head" | "exchange" | "linger" | "closed";

/** A request in progress. */
interface Exchange {
  readonly head: RequestHead;
  readonly body: RequestBody;
  readonly pace: BodyPace | undefined;
  /** Progress of the response: not begun, begun, or completely written. */
  response: "none" | "begun" | "written";
}

const continueBytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
/**
 * Maximum number of unread body bytes that are discarded before the connection is closed instead.
 */
const maxDiscardedBytes = 1024 * 1024;

/**
 * A client connection. Requests are handled strictly in sequence: each starts only after the
 * previous response is written and the previous body is consumed. So no byte can be mistaken for
 * part of another request (request smuggling).
 */
export class Connection {
  readonly #client: Socket;
  readonly #settings: ConnectionSettings;
  readonly #handler: Handler;
  /** Received bytes that cannot be handled yet. */
  readonly #waiting: HeadBuffer;
  readonly #writer: ResponseWriter;
  #phase: Phase = "head";
  /** Start of the current phase, or time of the last progress in it. */
  #since = performance.now();
  #clientEnded = false;
  #closing = false;
  #exchange: Exchange | undefined;

  constructor(client: Socket, settings: ConnectionSettings, handler: Handler) {
    this.#client = client;
    this.#settings = settings;
    this.#handler = handler;
    this.#waiting = new HeadBuffer(settings.limits.headBytes);
    this.#writer = new ResponseWriter(client);
    client.setNoDelay(true);
    client.on("data", (chunk: Buffer) => this.#guard(() => this.#received(chunk)));
    client.on("end", () => this.#guard(() => this.#ended()));
    client.on("drain", () => this.#guard(() => this.#drained()));
    client.on("error", () => this.destroy());
    client.on("close", () => this.destroy());
  }

  /**
   * The phase in which the server waits for the client, and its start; undefined while the server
   * itself is busy or has paused reading.
   */
  get spare(): ConnectionPhase | undefined {
    const { stalledSince } = this.#writer;
    if (stalledSince !== 0) return { awaits: "request", since: stalledSince };
    if (this.#exchange) {
      const { body, pace } = this.#exchange;
      const isAwaited = !body.complete && pace?.paused !== true;
      return isAwaited ? { awaits: "request", since: this.#since } : undefined;
    }
    const awaits = this.#phase === "head" && this.#waiting.length > 0 ? "head" : "nothing";
    return { awaits, since: this.#since };
  }

  destroy(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#abort();
    this.#client.destroy();
  }

  /** Closes the connection after the current request, or immediately if there is none. */
  finish(): void {
    this.#closing = true;
    if (this.#phase === "head") this.destroy();
  }

  /**
   * Closes the connection, or rejects the request, if a timeout has expired. Must be called
   * periodically.
   */
  sweep(now: number): void {
    const { limits } = this.#settings;
    const { stalledSince } = this.#writer;
    const age = now - this.#since;
    if (stalledSince !== 0) {
      if (now - stalledSince > limits.takeMs) this.destroy();
    } else if (this.#phase === "linger") {
      if (age > (this.#client.writableFinished ? limits.lingerMs : limits.takeMs)) this.destroy();
    } else if (this.#phase === "head") this.#sweepHead(age, limits);
    else if (this.#exchange) this.#sweepExchange(this.#exchange, now, limits);
  }

  #sweepHead(age: number, limits: Limits): void {
    if (this.#waiting.length === 0) {
      if (age > limits.idleMs) this.destroy();
    } else if (age > limits.headMs)
      this.#refuse(new HttpError(408, "the request head did not arrive in time"));
  }

  #sweepExchange({ body, pace, response }: Exchange, now: number, limits: Limits): void {
    const fault = body.complete ? undefined : pace?.fault(now, limits);
    const waits = body.complete && response === "none" ? now - this.#since : pace?.pausedFor(now);
    if (fault !== undefined) this.#refuse(new HttpError(408, fault));
    else if ((waits ?? 0) > limits.answerMs) this.#refuse(responseTimeout());
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof HttpError) this.#refuse(error);
      else this.destroy();
    }
  }

  #abort(): void {
    this.#exchange?.body.abort();
    this.#exchange = undefined;
  }

  #refuse(refusal: HttpError): void {
    if (this.#phase === "closed" || this.#phase === "linger") return;
    const isAnswered = this.#exchange !== undefined && this.#exchange.response !== "none";
    this.#abort();
    // once a response has begun, no other response can be sent
    if (isAnswered) return this.destroy();
    const { response, length } = errorResponse(refusal);
    const framing = { close: true, bodiless: false, http10: false, length };
    const head = responseHead(response, { now: this.#settings.now(), ...framing });
    this.#end(headAndBody(head, response.body));
  }

  #end(last?: Buffer): void {
    this.#phase = "linger";
    this.#since = performance.now();
    this.#abort();
    this.#waiting.clear();
    if (last === undefined) this.#client.end();
    else this.#client.end(last);
    this.#client.resume();
  }

  #received(chunk: Buffer): void {
    if (this.#phase === "head") {
      if (this.#waiting.length === 0) this.#since = performance.now();
      this.#begin(this.#waiting.received(chunk));
    } else if (this.#exchange) this.#toBody(this.#exchange, chunk, 0);
  }

  #ended(): void {
    this.#clientEnded = true;
    const isWithin = this.#exchange ? !this.#exchange.body.complete : this.#waiting.length > 0;
    if (isWithin) throw new HttpError(400, "the request is incomplete");
    if (this.#phase === "head") this.#end();
  }

  #begin(read: HeadInBytes | undefined): void {
    if (read === undefined) return;
    const { bytes, head } = read;
    const body = new RequestBody(head.length, () => this.#bodyWanted(exchange));
    // a request that is rejected here does not start an exchange
    const request = this.#handler.request(head, body);
    this.#phase = "exchange";
    this.#since = performance.now();
    const pace = body.complete ? undefined : new BodyPace(this.#since);
    const exchange: Exchange = { head, body, pace, response: "none" };
    this.#exchange = exchange;
    if (head.end < bytes.length) this.#toBody(exchange, bytes, head.end);
    void this.#respond(exchange, request);
  }

  /** Passes bytes to the body, and buffers the bytes after the body for the next request. */
  #toBody(exchange: Exchange, bytes: Buffer, from: number): void {
    const { body, pace } = exchange;
    let stop = from;
    if (!body.complete) {
      this.#since = performance.now();
      stop = body.receive(bytes, from);
      pace?.arrived(stop - from, this.#since);
      if (body.discarded > maxDiscardedBytes) return this.#end();
    }
    if (stop < bytes.length) this.#waiting.append(bytes.subarray(stop));
    if (body.full) pace?.pause(this.#since);
    if (body.full || stop < bytes.length) this.#client.pause();
    if (body.complete && exchange.response === "written") this.#next();
  }

  /** Handles the start of a read of the body: lets the client send it. */
  #bodyWanted({ head, body, pace, response }: Exchange): void {
    // send no 100 Continue once the body has started to arrive
    if (head.expect && response === "none" && !body.begun) this.#client.write(continueBytes);
    pace?.resume(performance.now());
    this.#client.resume();
  }

  async #respond(exchange: Exchange, request: IncomingRequest): Promise<void> {
    const response = await this.#handler.respond(request).catch(() => internalError);
    const { head, body } = exchange;
    const goesOn = (): boolean => this.#exchange === exchange;
    // the connection may have been closed, or may have timed out, in the meantime
    if (!goesOn()) return;
    exchange.response = "begun";
    const isLong = !body.complete && (body.length ?? 0) > maxDiscardedBytes;
    this.#closing ||= head.close || isLong;
    const framing = { close: this.#closing, bodiless: head.method === "HEAD", http10: head.http10 };
    try {
      await this.#writer.write(response, { now: this.#settings.now(), ...framing }, goesOn);
    } catch {
      return this.destroy();
    }
    if (!goesOn()) return;
    exchange.response = "written";
    this.#guard(() => {
      if (body.complete) return this.#next();
      body.discard();
      exchange.pace?.resume(performance.now());
      this.#client.resume();
    });
  }

  #drained(): void {
    this.#writer.drained();
    this.#since = performance.now();
    if (this.#exchange?.response === "written" && this.#exchange.body.complete) this.#next();
  }

  /** Begins the next request if its first bytes have arrived. */
  #next(): void {
    if (this.#closing) return this.#end();
    // start no further request while the client does not read responses, so that they do not pile
    // up
    if (this.#writer.stalledSince !== 0) return;
    this.#exchange = undefined;
    this.#phase = "head";
    this.#since = performance.now();
    this.#begin(this.#waiting.next());
    this.#resume();
  }

  /** Resumes reading, unless the client has closed its side or must wait. */
  #resume(): void {
    const exchange: Exchange | undefined = this.#exchange;
    const isWithin = exchange ? !exchange.body.complete : this.#waiting.length > 0;
    if (this.#clientEnded) {
      if (isWithin) throw new HttpError(400, "the request is incomplete");
      if (!exchange) this.#end();
      return;
    }
    // without an exchange, the buffered bytes are an incomplete head
    const mustWait = exchange !== undefined && (this.#waiting.length > 0 || exchange.body.full);
    if (!mustWait) this.#client.resume();
  }
}

const internalError: Response = {
  status: 500,
  headers: { "content-type": "application/json", "cache-control": "no-store" },
  body: '{"errors":["internal error"]}\n',
};
