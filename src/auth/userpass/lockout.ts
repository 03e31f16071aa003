import { userpass } from "../types/userpass.ts";
import { CaError } from "../../base/errors.ts";
import { hashedName } from "../rows/logins.ts";
import { type Method, methodOn, readMethods } from "../../engine/methods.ts";
import type { Row } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";

/** Failures in a row after which a user is locked, and for how long, milliseconds. */
const [maxFailures, lockedFor] = [5, 15 * 60_000];

/** Logins of a user that failed since one succeeded. Times are Unix milliseconds. */
interface FailureRow {
  readonly failures: number;
  readonly last: number;
  /** Until when every login is refused; 0: none is. */
  readonly until: number;
}
const storedFailures = rowReader<FailureRow>({ failures: 0, last: 0, until: 0 });

/** Key of the row that counts the failures of a user. */
export const failureKey = (method: Method, name: string): string =>
  method.key(`${userpass.rows.failures}${name}`);
/**
 * Key of one of few rows that count those of names nobody has: a failure takes as long as that of a
 * user, and strangers cannot fill the store.
 */
const strangersKey = async (method: Method, name: string): Promise<string> =>
  method.key(`${userpass.rows.failures}-${(await hashedName(name)).slice(0, 1)}`);

/** How far the clocks of two hosts of one deployment may differ, milliseconds. */
const maxSkew = 60_000;
/**
 * Whether a user is locked by such a row. `now`: Unix milliseconds. A lock that would last longer
 * than locks do was made while a clock was ahead, and does not count.
 */
export const isLocked = (row: Row | undefined, now: number): boolean => {
  const left = storedFailures(row?.value).until - now;
  return left > 0 && left <= lockedFor + maxSkew;
};

/** Counts a failure, exactly however many come at once. `isKnown`: there is a user of the name. */
export async function countFailure(method: Method, name: string, isKnown: boolean): Promise<void> {
  // a call without a token puts nothing into the audit: guesses would drive out all other events
  const sys = method.sys.self;
  const [own, strangers] = [failureKey(method, name), await strangersKey(method, name)];
  await sys.change(
    async () => {
      const now = sys.ports.now();
      const rows = await sys.store.get([own, strangers]);
      // a lock is not made longer by those who come meanwhile
      const counts = isKnown && !isLocked(rows[0], now);
      const [key, row] = counts ? [own, rows[0]] : [strangers, rows[1]];
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
  doc: "Unlocks a user of a login method that too many failed logins have locked.",
  body: {},
  reply: {},
  refuses: ["no_mount"],
  run: async (ca, { mount_accessor: accessor, alias_identifier: name }) => {
    const rows = [...(await readMethods(ca.sys)).values()];
    const row = rows.find((one) => one.accessor === accessor && one.type === "userpass");
    if (!row) throw new CaError("no_mount", "no login method with users has this accessor");
    await ca.sys.commit({ del: [failureKey(methodOn(ca, row), name.toLowerCase())] });
    return undefined;
  },
});
