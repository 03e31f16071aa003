import type { CertificateEvents } from "./certificate-events.ts";
import type { IssuerEvents } from "./issuer-events.ts";
import type { ServiceEvents } from "./service-events.ts";

/** The data of events, by type. */
export interface EventData extends CertificateEvents, IssuerEvents, ServiceEvents {}
/**
 * A type of event. Types begin with the project's name, because CloudEvents recommends a unique
 * prefix, and the project has no domain name to reverse.
 */
export type EventType = keyof EventData;

/** An event of one type: a CloudEvent 1.0 in JSON (section 3 of its JSON format). */
interface TypedEvent<T extends EventType> {
  readonly specversion: "1.0";
  /** UUID, which stays the same if the event is delivered again. */
  readonly id: string;
  /** URL of the mount or of `sys`. It is relative if the deployment does not know its own URL. */
  readonly source: string;
  readonly type: T;
  /**
   * Serial number of the certificate to which the event applies, or the name of another subject.
   */
  readonly subject: string;
  /** RFC 3339. */
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: EventData[T];
}
/** An event; `type` determines the type of `data`. */
export type CaEvent = { [T in EventType]: TypedEvent<T> }[EventType];
/** An event to be raised, without the members that are set automatically. */
export type NewEvent = {
  [T in EventType]: Pick<TypedEvent<T>, "type" | "subject" | "data">;
}[EventType];
/** A callback that receives events after their change was stored. */
export type EventListener = (event: CaEvent) => void | Promise<void>;
