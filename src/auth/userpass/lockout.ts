import { userpass } from "../types/userpass.ts";
import { CaError } from "../../base/errors.ts";
import { hashedName } from "../rows/logins.ts";
import { type Method, methodOn, readMethods } from "../rows/methods.ts";
import type { Row } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";

/** Number of consecutive failures that locks a user, and the duration of the lock in ms. */
const [maxFailures, lockedFor] = [5, 15 * 60_000];

/** Failed logins of a user since the last successful one. Times are in Unix ms. */
interface FailureRow {
  readonly failures: number;
  readonly last: number;
  /** End of the lock, or 0 if the user is not locked. */
  readonly until: number;
}
const storedFailures = rowReader<FailureRow>({ failures: 0, last: 0, until: 0 });

/** Returns the key of the row that counts a user's failures. */
export const failureKey = (method: Method, name: string): string =>
  method.key(`${userpass.rows.failures}${name}`);
/**
 * Returns the key of one of a few rows that count failures for unknown names. Logins with unknown
 * names thus take as long as those of existing users, but cannot fill the store.
 */
const unknownNamesKey = async (method: Method, name: string): Promise<string> =>
  method.key(`${userpass.rows.failures}-${(await hashedName(name)).slice(0, 1)}`);

/** Maximum clock skew between the hosts of a deployment in ms. */
const maxSkew = 60_000;
/**
 * Returns the end of a user's lock in Unix milliseconds, or 0 if the user is not locked. Ignores a
 * lock that ends too far in the future, because it was set by a clock that was ahead.
 */
export const lockEnd = (row: Row | undefined, now: number): number => {
  const { until } = storedFailures(row?.value);
  const left = until - now;
  return left > 0 && left <= lockedFor + maxSkew ? until : 0;
};
/** Reports whether a user is locked. `now` is in Unix milliseconds. */
export const isLocked = (row: Row | undefined, now: number): boolean => lockEnd(row, now) > 0;

/**
 * Counts a failed login. The count is exact even if logins fail concurrently. `isKnown` is true if
 * the user exists.
 */
export async function countFailure(method: Method, name: string, isKnown: boolean): Promise<void> {
  // the change is not audited, because guesses by anonymous callers would displace other events
  const sys = method.sys.self;
  const [own, unknownNames] = [failureKey(method, name), await unknownNamesKey(method, name)];
  await sys.change(
    async () => {
      const now = sys.ports.now();
      const rows = await sys.store.get([own, unknownNames]);
      // failures during a lock do not extend it
      const counts = isKnown && !isLocked(rows[0], now);
      const [key, row] = counts ? [own, rows[0]] : [unknownNames, rows[1]];
      const { failures, last, until } = storedFailures(row?.value);
      const before = Math.abs(now - last) < lockedFor && until === 0 ? failures : 0;
      const locks = counts && before + 1 >= maxFailures;
      const next = { failures: before + 1, last: now, until: locks ? now + lockedFor : 0 };
      return {
        reply: undefined,
        batch: { expect: [[key, row?.rev ?? null]], put: [[key, next satisfies FailureRow]] },
      };
    },
    { what: "the count of failed logins" },
  );
}

export const unlockUser = systemEndpoint({
  id: "unlockUser",
  at: ["POST /locked-users/:mount_accessor/unlock/:alias_identifier"],
  access: "token",
  style: envelope,
  doc: "Unlocks a user of a login method after too many failed logins.",
  body: {},
  reply: {},
  refuses: ["no_mount"],
  run: async (deployment, { mount_accessor: accessor, alias_identifier: name }) => {
    const rows = [...(await readMethods(deployment.sys)).values()];
    const row = rows.find((one) => one.accessor === accessor && one.type === "userpass");
    if (!row) throw new CaError("no_mount", "no login method with users has this accessor");
    await deployment.sys.commit({
      del: [failureKey(methodOn(deployment, row), name.toLowerCase())],
    });
    return undefined;
  },
});
