import type { Order } from "./calls.ts";
import { toText } from "../../lib/to-text.ts";
import { visible } from "../../lib/visible-text.ts";

/** The label and the icon for the status of an order. */
interface OrderState {
  readonly text: string;
  readonly tone: "info" | "ok" | "warn" | "danger" | "quiet";
  readonly icon: "clock" | "check" | "warn" | "x" | "info";
}

const states: Readonly<Record<string, OrderState>> = {
  pending: { text: "waiting for validation", tone: "info", icon: "clock" },
  ready: { text: "validated, certificate not requested yet", tone: "info", icon: "clock" },
  valid: { text: "certificate issued", tone: "ok", icon: "check" },
  invalid: { text: "failed", tone: "danger", icon: "x" },
};

const retried: OrderState = {
  text: "validation failed and is being retried",
  tone: "warn",
  icon: "warn",
};

/** Returns the label and the icon for the status of an order. */
export const stateOf = (order: Pick<Order, "status" | "authorizations" | "error">): OrderState =>
  order.status === "pending" && reasonsOf(order).length > 0
    ? retried
    : (states[order.status] ?? { text: visible(order.status), tone: "quiet", icon: "info" });

/** Formats a list of identifiers as `one.example` or `one.example and 3 more`. */
export function namesOf(identifiers: readonly string[]): string {
  const [first = "No name", ...more] = identifiers.map(visible);
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

/** Returns the last part of a problem type, such as `dns`. */
const problemType = (type: string): string =>
  visible(type.replace(/^urn:ietf:params:acme:error:/, ""));

/** An error of a challenge or an order, and its title. */
interface Reason {
  readonly of: string;
  readonly type: string;
  readonly detail: string;
}

const times = (n: number): string =>
  n <= 1 ? "" : n === 2 ? ", tried twice" : `, tried ${n} times`;

/**
 * Returns the errors of challenges that failed or are being retried, and the error of the order
 * itself.
 */
export function reasonsOf({
  authorizations,
  error,
}: Pick<Order, "authorizations" | "error">): readonly Reason[] {
  const challenges = authorizations.flatMap(({ identifier, challenges }) =>
    challenges.flatMap(({ type, attempts, error }) =>
      error
        ? [
            {
              of: `${visible(identifier)}, ${visible(type)}${times(attempts)}`,
              type: problemType(toText(error["type"])),
              detail: visible(toText(error["detail"])),
            },
          ]
        : [],
    ),
  );
  const own = error
    ? [
        {
          of: "Order",
          type: problemType(toText(error["type"])),
          detail: visible(toText(error["detail"])),
        },
      ]
    : [];
  return [...challenges, ...own];
}
