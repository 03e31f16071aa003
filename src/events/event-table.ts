import type { CertificateEvents } from "./certificate-events.ts";
import type { IssuerEvents } from "./issuer-events.ts";
import type { ServiceEvents } from "./service-events.ts";

/** Data of events, by type. */
export interface EventData extends CertificateEvents, IssuerEvents, ServiceEvents {}
/**
 * A type of events. Types have the project's name as prefix, because CloudEvents recommends a
 * unique one, and the project has no domain name to reverse.
 */
export type EventType = keyof EventData;

/** An event of one type: a CloudEvent 1.0 in JSON (section 3 of its JSON format). */
interface TypedEvent<T extends EventType> {
  readonly specversion: "1.0";
  /** UUID; repeated deliveries have the same one. */
  readonly id: string;
  /** URL of the mount or of `sys`, relative if the deployment does not know its own URL. */
  readonly source: string;
  readonly type: T;
  /** Serial number, or the name of another subject of the event. */
  readonly subject: string;
  /** RFC 3339. */
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: EventData[T];
}
/** An event; `type` determines the type of `data`. */
export type CaEvent = { [T in EventType]: TypedEvent<T> }[EventType];
/** An event to be raised, without the members that are set for all events. */
export type NewEvent = {
  [T in EventType]: Pick<TypedEvent<T>, "type" | "subject" | "data">;
}[EventType];
/** A callback that receives events after their change was stored. */
export type EventListener = (event: CaEvent) => void | Promise<void>;
