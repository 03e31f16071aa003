import { utf8 } from "../base/bytes.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { NetError } from "../net/failure.ts";
import { guardedFetch } from "../net/guarded-fetch.ts";
import { hostRefusal, requireSuccess } from "../net/guarded-fetch-target.ts";
import { outgoingScope } from "../net/outgoing-scope.ts";
import type { CaEvent } from "./event-table.ts";
import { eventSinkBinding, type EventSinkRow } from "./sink-rows.ts";
import { webhookHeaders } from "./webhook-signature.ts";

/** Timeout of a request in ms. */
const requestTimeout = 10_000;
/** Status with which a receiver rejects all further events (RFC 9110 section 15.5.11). */
const goneStatus = 410;
/**
 * The client errors that are caused by the receiver's URL, access control or load, and not by a
 * single event.
 */
const generalErrors: readonly number[] = [401, 404, 407, 408, goneStatus, 421, 425, 429];
/** Reports whether a status means that the receiver rejects this event. */
const isRejection = (status: number): boolean =>
  status >= 400 && status < 500 && !generalErrors.includes(status);

/** A failed delivery. */
export interface DeliveryFailure {
  /** The reason, in a sentence that quotes nothing from the receiver. */
  readonly text: string;
  /** Whether the receiver rejects all further events. */
  readonly isGone: boolean;
  /** Whether the receiver rejected this event, and may accept others. */
  readonly isRejected: boolean;
}
/** Sends an event. Resolves with undefined, or with the failure if there was one. */
export type SendEvent = (event: CaEvent) => Promise<DeliveryFailure | undefined>;

/**
 * Returns the reason why the host of a sink must not be contacted, or undefined if there is none.
 */
export const sinkRefusal = (
  sys: StoreContext,
  sink: Pick<EventSinkRow, "roots" | "url">,
): string | undefined => hostRefusal(sink.url, outgoingScope(sys, sink.roots));

/**
 * Returns a function that sends signed events to a sink in the structured mode of CloudEvents 1.0.
 * It does not follow redirects or read response bodies.
 */
export async function openSink(
  sys: StoreContext,
  name: string,
  sink: EventSinkRow,
): Promise<SendEvent> {
  const { ports } = sys;
  const secret = await ports.vault.unseal(sink.sealed, eventSinkBinding(name));
  const scope = outgoingScope(sys, sink.roots);
  return async (event) => {
    const body = JSON.stringify(event);
    const seconds = Math.floor(ports.now() / 1000);
    let [isGone, isRejected] = [false, false];
    try {
      await guardedFetch(ports, {
        url: sink.url,
        trust: sink.roots.length === 0 ? "platform" : { roots: sink.roots },
        scope,
        maxBytes: 0,
        limit: requestTimeout,
        headers: {
          "Content-Type": "application/cloudevents+json",
          ...(await webhookHeaders(secret, { id: event.id, seconds, body })),
        },
        sent: utf8(body),
        checkStatus: (status) => {
          isGone = status === goneStatus;
          isRejected = isRejection(status);
          requireSuccess(status, true);
        },
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof NetError))
        ports.log?.({ endpoint: "event delivery", status: 500, ms: 0, cause: error });
      const text = error instanceof NetError ? error.message : "the delivery failed";
      return { text, isGone, isRejected };
    }
  };
}
