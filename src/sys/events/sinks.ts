import { uriForm } from "../../base/forms.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import {
  flag,
  instant,
  int,
  list,
  records,
  secret,
  text,
  withNormalForm,
} from "../../wire/field.ts";
import type { Parsed } from "../../wire/field-type.ts";
import { envelope } from "../../wire/style.ts";

const run = () => import("./sinks-run.ts");

/**
 * Fields with globs that select events. An empty list selects all events. Omitted fields keep their
 * values.
 */
const filters = {
  types: list.optional(
    "Send only events of these types; `*` matches any characters. By default, all types.",
  ),
  mounts: list.optional("Send only events of mounts with these paths; `*` matches any characters."),
  roles: list.optional(
    "Send only events about certificates of these roles; `*` matches any characters.",
  ),
  issuers: list.optional(
    "Send only events of issuers with these names or IDs; `*` matches any characters.",
  ),
  names: list.optional("Send only events about one of these names; `*` matches any characters."),
} as const;
const body = {
  url: withNormalForm(text, uriForm).required("Destination URL (https)."),
  secret: secret.optional(
    "Signing secret: `whsec_` followed by 24 to 64 octets in base64. By default, the current secret, or a generated one for a new sink.",
  ),
  ca_pem: text.optional(
    "CA certificates (PEM). The server's certificate must chain to one of them. If empty, the platform's CAs are used. By default, the current certificates.",
  ),
  ...filters,
  enabled: flag.optional(
    "Whether events are sent. Events that occur while this is false are never sent. True by default for a new sink.",
  ),
} as const;
/** Settings of a sink in a request. */
export type EventSinkInput = Parsed<typeof body>;

export const listEventSinks = systemEndpoint({
  id: "listEventSinks",
  at: ["LIST /events/sinks"],
  access: "sudo",
  style: envelope,
  doc: "Lists the event sinks.",
  body: {},
  reply: {
    keys: list.required("Names of the sinks, sorted."),
    key_info: records({
      url: text.required("Destination URL."),
      enabled: flag.required("Whether events are sent."),
      failure: text.optional("Error of the last delivery; absent if it succeeded."),
    }).required("Sinks by name."),
  },
  run: async (deployment) => (await run()).listSinks(deployment),
});

export const readEventSink = systemEndpoint({
  id: "readEventSink",
  at: ["GET /events/sinks/:name"],
  access: "sudo",
  style: envelope,
  doc: "Reads an event sink and its delivery status. The secret is never returned.",
  body: {},
  reply: {
    url: text.required("Destination URL."),
    types: list.required("Patterns of the event types to send; if empty, all types are sent."),
    mounts: list.required("Patterns of mount paths; if empty, events of all mounts are sent."),
    roles: list.required(
      "Patterns of role names; if empty, events are sent regardless of the role.",
    ),
    issuers: list.required(
      "Patterns of issuer names or IDs; if empty, events of all issuers are sent.",
    ),
    names: list.required(
      "Patterns of the names that events are about; if empty, events about all names are sent.",
    ),
    enabled: flag.required(
      "Whether events are sent. Becomes false when the receiver responds with status 410.",
    ),
    certificates: int.required("Number of CA certificates with which the server is verified."),
    modified: instant.required("Time at which the sink was last changed."),
    delivered: int.required("Number of delivered events."),
    waiting: int.required(
      "Number of events that are waiting to be delivered, counted before filtering.",
    ),
    lost: int.required(
      "Number of events that were dropped because too many were waiting (counted before filtering), or because the receiver rejected them.",
    ),
    last_success: instant.optional("Time of the last delivery."),
    last_failure: instant.optional("Time of the last failed delivery."),
    failure: text.optional("Error of the last delivery; absent if it succeeded."),
  },
  refuses: ["not_found"],
  run: async (deployment, { name }) => (await run()).readSink(deployment, name),
});

export const writeEventSink = systemEndpoint({
  id: "writeEventSink",
  at: ["POST /events/sinks/:name"],
  access: "sudo",
  style: envelope,
  doc: "Creates or updates an event sink: a URL that receives events as signed CloudEvents, at least once, with retries. Fields other than `url` keep their values if omitted. Redirects are not followed.",
  body,
  reply: {
    secret: text.optional("Signing secret, if generated. Returned only once."),
  },
  refuses: ["malformed"],
  run: async (deployment, { name, ...input }, caller) =>
    (await run()).writeSink(deployment, name, input, caller),
});

export const deleteEventSink = systemEndpoint({
  id: "deleteEventSink",
  at: ["DELETE /events/sinks/:name"],
  access: "sudo",
  style: envelope,
  doc: "Deletes an event sink. Waiting events are not sent.",
  body: {},
  reply: {},
  run: async (deployment, { name }) => (await run()).deleteSink(deployment, name),
});

export const testEventSink = systemEndpoint({
  id: "testEventSink",
  at: ["POST /events/sinks/:name/test"],
  access: "sudo",
  style: envelope,
  doc: "Sends a test event to a sink at once, regardless of its filters, and returns the result.",
  body: {},
  audits: { always: true },
  reply: {
    delivered: flag.required("Whether the receiver accepted the event."),
    failure: text.optional("Reason why the receiver did not accept the event."),
  },
  refuses: ["not_found"],
  run: async (deployment, { name }) => (await run()).testSink(deployment, name),
});
