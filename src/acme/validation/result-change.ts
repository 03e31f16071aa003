import type { Mount } from "../../engine/mount.ts";
import type { Batch, Expect } from "../../engine/ports.ts";
import { raiseEvents, withEvents } from "../../events/raise.ts";
import type { AuthzRow, OrderRow } from "../rows/records.ts";
import { validationPut } from "./authz-put.ts";
import type { AuthzChange } from "./challenge-state.ts";
import { closeOrder } from "./failed-orders.ts";

/** The result of a validation attempt, with the preconditions for storing it. */
interface ValidationResult {
  /** ID of the authorization. */
  readonly id: string;
  /** Challenge type, such as `http-01`. */
  readonly type: string;
  readonly changed: AuthzChange;
  /** The order of the authorization, as stored. */
  readonly order: OrderRow | undefined;
  /** The revisions of the rows on which the result is based. */
  readonly expect: readonly Expect[];
  /** Additional rows to put. */
  readonly put?: NonNullable<Batch["put"]>;
  /** Current time, Unix milliseconds. */
  readonly now: number;
}
/** The change that stores a result. */
interface ResultChange {
  readonly reply: undefined;
  readonly batch: Batch;
  done(): void;
}

/**
 * Returns the change that stores the result of a validation, closes an order that can no longer be
 * finalized, updates the metrics and raises events.
 */
export async function resultChange(mount: Mount, result: ValidationResult): Promise<ResultChange> {
  const { id, type, changed, order, expect, put: further = [], now } = result;
  const put = [...validationPut({ id, changed, now }), ...further];
  const isOver = changed.row.status === "invalid" && order?.status === "pending";
  const done = () => {
    const { status } = changed.row;
    const counted = status === "pending" ? "retry" : status;
    mount.ports.meter?.count("challenges", [mount.name, type, counted]);
    if (isOver) mount.ports.meter?.count("orders", [mount.name, "invalid"]);
  };
  const events = await failureEvents(mount, changed.row, type);
  const change = { reply: undefined, batch: { expect, put }, done };
  if (!isOver) return withEvents(change, events);
  const closed = await closeOrder(mount.store, changed.row.order, order);
  const batch = {
    expect: [...expect, ...closed.expect],
    put: [...put, ...closed.put],
    del: closed.del,
  };
  return withEvents({ ...change, batch }, events);
}
/** Maximum length of a problem's detail in an event, in characters. */
const maxEventDetail = 1000;
/**
 * Prepares the event of a challenge that failed permanently. Returns undefined for other results.
 */
async function failureEvents(
  mount: Mount,
  { account, order, status, identifier, challenges }: AuthzRow,
  challenge: string,
) {
  const problem = challenges.find(({ type }) => type === challenge)?.error;
  if (status !== "invalid" || !problem) return undefined;
  const config = await mount.config();
  const name = identifier.value;
  const detail = problem.detail.slice(0, maxEventDetail);
  const data = {
    mount: config.mount.path,
    account,
    order,
    name,
    challenge,
    problem: { ...problem, detail },
  };
  const about = { type: "sealwright.acme.challenge.failed", subject: name, data } as const;
  return raiseEvents(mount, config, async () => [about]);
}
