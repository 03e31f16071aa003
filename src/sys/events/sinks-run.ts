import { CaError } from "../../base/errors.ts";
import { compileGlob } from "../../base/glob.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { StoredSecret } from "../../engine/sealing.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { sinkNoticeKey } from "../../events/delivery.ts";
import { eventDeliveryKind } from "../../events/delivery-job.ts";
import { eventStores, waitingEvents } from "../../events/event-stores.ts";
import { expiryJobRow } from "../../events/expiry-schedule.ts";
import { eventTypes } from "../../events/event-types.ts";
import { observeMounts } from "../../events/observed-mounts.ts";
import { completeEvent } from "../../events/prepare.ts";
import { openSink, sinkRefusal } from "../../events/send-event.ts";
import {
  belowEventSinks,
  eventSinkBinding,
  eventSinkKeys,
  sinkNames,
  storedEvents,
  type EventSinkRow,
  type SinkStateRow,
} from "../../events/sink-rows.ts";
import { encodeWebhookSecret, parseWebhookSecret } from "../../events/webhook-signature.ts";
import { urlFault } from "../../net/url-fault.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { parseTrustedRoots } from "../../net/trusted-roots.ts";
import type { EventSinkInput } from "./sinks.ts";

/**
 * Maximum number of sinks, maximum number of globs in a filter, and maximum length of a glob in
 * characters.
 */
const [maxSinks, maxGlobs, maxGlobLength] = [50, 100, 253];
/** Size of a generated secret in bytes. */
const secretBytes = 32;
const namePattern = /^\w(?:[\w.-]{0,62}\w)?$/;
const filterNames = ["types", "mounts", "roles", "issuers", "names"] as const;

/** Lists the sinks with their URLs and states. */
export async function listSinks({ sys }: Deployment) {
  const rows = await sys.store.list(belowEventSinks);
  const names = rows.map(([key]) => key.slice(belowEventSinks.length));
  const states = await sys.store.get(names.map(eventSinkKeys.state));
  const infos = rows.map(([, { value }], at) => {
    const { url, enabled } = storedEvents.sink(value);
    const { failure } = storedEvents.state(states[at]?.value);
    return [names[at] ?? "", { url, enabled, ...(failure === "" ? {} : { failure }) }] as const;
  });
  return { keys: names, key_info: Object.fromEntries(infos) };
}

/** Returns the rows of a sink. Rejects with `not_found` if there is none. */
async function sinkRows({ sys }: Deployment, name: string) {
  const [sink, state] = namePattern.test(name)
    ? await sys.store.get([eventSinkKeys.sink(name), eventSinkKeys.state(name)])
    : [];
  if (!sink) throw new CaError("not_found", "");
  return { sink: storedEvents.sink(sink.value), state: storedEvents.state(state?.value) };
}
const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** Returns a sink without its secret. */
export async function readSink(deployment: Deployment, name: string) {
  const { sink, state } = await sinkRows(deployment, name);
  const { sealed: _, roots, modified, ...shown } = sink;
  const { cursors, delivered, lost, lastSuccess, lastFailure, failure } = state;
  const waiting = sink.enabled ? waitingEvents(await eventStores(deployment), cursors) : 0;
  return {
    ...shown,
    certificates: roots.length,
    modified: seconds(modified),
    delivered,
    waiting,
    lost,
    ...(lastSuccess > 0 ? { last_success: seconds(lastSuccess) } : {}),
    ...(lastFailure > 0 ? { last_failure: seconds(lastFailure) } : {}),
    ...(failure === "" ? {} : { failure }),
  };
}

/** Throws `malformed` for settings that no sink can have. */
function checkInput(name: string, input: EventSinkInput): void {
  if (!namePattern.test(name))
    throw new CaError(
      "malformed",
      "invalid sink name: use 1 to 64 letters, digits and _ . -, with a letter, digit or _ at both ends",
    );
  const fault = urlFault(input.url);
  if (fault !== undefined) throw new CaError("malformed", `url ${fault}`);
  for (const filter of filterNames) {
    const globs = input[filter] ?? [];
    if (globs.length > maxGlobs || globs.some((glob) => glob.length > maxGlobLength))
      throw new CaError(
        "malformed",
        `${filter} must have at most ${maxGlobs} patterns of at most ${maxGlobLength} characters`,
      );
  }
  const idle = input.types?.find((glob) => !eventTypes.some(compileGlob(glob)));
  if (idle !== undefined)
    throw new CaError(
      "malformed",
      `types: "${idle}" matches none of the types ${eventTypes.join(", ")}`,
    );
  if (input.secret !== undefined && !parseWebhookSecret(input.secret))
    throw new CaError("malformed", "secret must be whsec_ followed by 24 to 64 octets in base64");
}

/**
 * Seals the requested secret of a sink. If none was sent, generates a secret, and also returns it.
 */
async function newSecret({ ports }: StoreContext, name: string, requested: string | undefined) {
  const text = requested ?? encodeWebhookSecret(ports.random(secretBytes));
  const bytes = parseWebhookSecret(text) ?? new Uint8Array();
  const sealed = await ports.vault.seal(bytes, eventSinkBinding(name));
  return { sealed, shown: requested === undefined ? { secret: text } : {} };
}

/**
 * Returns the settings of a sink. Settings that were not sent keep their stored values, or get
 * defaults.
 */
function mergedSettings(
  { url, ca_pem: pem, types, mounts, roles, issuers, names, enabled }: EventSinkInput,
  before: EventSinkRow | undefined,
): Omit<EventSinkRow, "sealed" | "modified"> {
  return {
    url,
    types: types ?? before?.types ?? [],
    mounts: mounts ?? before?.mounts ?? [],
    roles: roles ?? before?.roles ?? [],
    issuers: issuers ?? before?.issuers ?? [],
    names: names ?? before?.names ?? [],
    enabled: enabled ?? before?.enabled ?? true,
    roots: pem === undefined ? (before?.roots ?? []) : parseTrustedRoots(pem),
  };
}

/**
 * Returns the change that creates or updates a sink. The response includes the reason if the sink
 * will get no events.
 */
async function sinkChange(deployment: Deployment, name: string, input: EventSinkInput) {
  const { sys } = deployment;
  const keys = [eventSinkKeys.sink(name), eventSinkKeys.state(name)] as const;
  const [row, stateRow] = await sys.store.get(keys);
  const before = row && storedEvents.sink(row.value);
  if (!row && (await sinkNames(sys.store)).length >= maxSinks)
    throw new CaError("malformed", `there can be at most ${maxSinks} event sinks`);
  const chosen =
    before && input.secret === undefined
      ? { sealed: before.sealed, shown: {} }
      : await newSecret(sys, name, input.secret);
  const now = sys.ports.now();
  const state = storedEvents.state(stateRow?.value);
  const { marker: _, ...rest } = state;
  const next: SinkStateRow = {
    // a sink that is new or was disabled only gets events from now on
    ...(before?.enabled ? state : { ...rest, cursors: await currentCursors(deployment) }),
    failure: "",
    failures: 0,
    next: 0,
  };
  const settings = mergedSettings(input, before);
  const sink: EventSinkRow = { ...settings, sealed: chosen.sealed, modified: now };
  return {
    reply: { ...chosen.shown, refusal: sinkRefusal(sys, sink) },
    batch: {
      expect: [
        [keys[0], row?.rev ?? null],
        [keys[1], stateRow?.rev ?? null],
      ],
      del: [sinkNoticeKey(name)],
      // the rows of both jobs, because a run that found no sink deletes only rows from before it
      put: [
        [keys[0], sink],
        [keys[1], next],
        jobRow({ due: now, now }, eventDeliveryKind, "all"),
        expiryJobRow(now),
      ],
    },
  } as const;
}

/** Creates or updates a sink. Warns if the address of its URL must not be contacted. */
export async function writeSink(
  deployment: Deployment,
  name: string,
  input: EventSinkInput,
  caller: Pick<Caller, "reply">,
) {
  checkInput(name, input);
  const { sys } = deployment;
  const written = await sys.change(() => sinkChange(deployment, name, input), { what: "the sink" });
  await observeMounts(deployment, true);
  const { refusal, ...reply } = written;
  if (refusal !== undefined) caller.reply.warn(`the sink gets no events: ${refusal}`);
  return reply;
}
/** Makes all mounts, such as a new one, store their events if there are sinks. */
export async function observeMountsForSinks(deployment: Deployment): Promise<void> {
  if ((await sinkNames(deployment.sys.store)).length > 0) await observeMounts(deployment, true);
}
/** Returns cursors after all currently stored events. */
const currentCursors = async (deployment: Deployment): Promise<SinkStateRow["cursors"]> =>
  Object.fromEntries((await eventStores(deployment)).map(({ name, last }) => [name, last]));

/**
 * Deletes a sink. If it was the last sink, mounts stop storing events, and a job removes the stored
 * events.
 */
export async function deleteSink(deployment: Deployment, name: string): Promise<undefined> {
  if (!namePattern.test(name)) return undefined;
  const { sys } = deployment;
  const [row] = await sys.store.get([eventSinkKeys.sink(name)]);
  const now = sys.ports.now();
  await sys.commit({
    del: [
      eventSinkKeys.sink(name),
      eventSinkKeys.state(name),
      eventSinkKeys.claim(name),
      sinkNoticeKey(name),
    ],
    ...(row ? { put: [jobRow({ due: now, now }, eventDeliveryKind, "all")] } : {}),
  });
  if ((await sinkNames(sys.store)).length > 0) return undefined;
  await observeMounts(deployment, false);
  // a sink may have been created meanwhile
  await observeMountsForSinks(deployment);
  return undefined;
}

/** Sends a test event to a sink, and returns the result. */
export async function testSink(deployment: Deployment, name: string) {
  const { sink } = await sinkRows(deployment, name);
  const send = await openSink(deployment.sys, name, sink);
  const about = { type: "sealwright.test", subject: name, data: { sink: name } } as const;
  const failure = await send(completeEvent(deployment.sys, "sys", about));
  return { delivered: !failure, ...(failure ? { failure: failure.text } : {}) };
}

/** Returns the secrets of all sinks. */
export const eventSinkSecrets = async ({ store }: StoreContext): Promise<readonly StoredSecret[]> =>
  (await sinkNames(store)).map((sink) => {
    const name = eventSinkBinding(sink);
    return { key: eventSinkKeys.sink(sink), name, bindingOf: () => name };
  });
