import { CaError } from "../../base/errors.ts";
import { siteNetwork } from "../../base/network.ts";
import type { Method } from "../rows/methods.ts";
import type { Row } from "../../engine/ports.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { secret } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { login, type Login } from "../method/login.ts";
import { countFailure, failureKey, isLocked } from "./lockout.ts";
import { passwordChecks } from "./hashing-queue.ts";
import { costKey, highestCost } from "./imported-hash.ts";
import { hashPassword, isPassword, placeholderHash, type PasswordHash } from "./password.ts";
import { storedUser, type User, userKey, userName } from "./users.ts";

export const loginUser = methodEndpoint({
  id: "loginUser",
  audits: { always: true },
  at: ["POST /login/:username"],
  access: "open",
  style: envelope,
  doc: "Logs in with a password; the token is returned in `auth`. Five failures in a row lock the user for 15 minutes.",
  body: { password: secret.requiredOr("", "The password.") },
  reply: {},
  refuses: ["malformed", "forbidden", "busy"],
  run: (method, { username, password }, caller) => {
    if (password === "") throw new CaError("malformed", "missing password");
    return login(method, caller, byPassword(method, { username, password }, caller.address));
  },
});

/** A user name and a password from a request. */
interface Credentials {
  readonly username: string;
  readonly password: string;
}
/**
 * Returns a function that verifies a user name and a password, and returns the login. The function
 * may run several times. `address` is the client's address; the queue shares its turns among client
 * networks.
 */
export function byPassword(
  method: Method,
  { username, password }: Credentials,
  address = "",
): () => Promise<Login> {
  const name = userName(username);
  const origin = { network: siteNetwork(address), method: method.uuid };
  // one verdict for each revision of the user's row during this login
  const verdicts = new Map<number | undefined, Verdict>();
  const check = async (row: Row | undefined, how: Pick<Check, "isBlocked" | "highest">) => {
    const cached = verdicts.get(row?.rev);
    if (cached) return cached;
    const user = row ? storedUser(row.value) : placeholderUser;
    const verdict = await passwordChecks.check(origin, () =>
      verdictOn(method, { user, password, ...how }),
    );
    if (how.isBlocked || !verdict.isRight) passwordChecks.noteFailure(origin.network);
    verdicts.set(row?.rev, verdict);
    return verdict;
  };
  return () => decide(method, name, check);
}

interface Verdict {
  readonly isRight: boolean;
  /** The hash that replaces an imported hash. */
  readonly replacement?: PasswordHash;
}
const placeholderUser = { password: placeholderHash, bcrypt: "" };
interface Check {
  readonly user: Pick<User, "password" | "bcrypt">;
  readonly password: string;
  /** Whether the login fails regardless of the password. */
  readonly isBlocked: boolean;
  /** Highest cost of the bcrypt hashes imported into the method, or 0 if there are none. */
  readonly highest: number;
}
/**
 * Verifies a password. A failing login does the same work for every name: one PBKDF2 hash, and one
 * bcrypt hash of the highest cost if any hash was imported into the method.
 */
async function verdictOn(
  { sys }: Method,
  { user, password, isBlocked, highest }: Check,
): Promise<Verdict> {
  const isImported = user.bcrypt !== "";
  const isNative = isImported ? false : await isPassword(password, user.password);
  if (!isImported && (highest === 0 || (isNative && !isBlocked))) return { isRight: isNative };
  const { fillUp, isPasswordOf } = await import("./bcrypt.ts");
  const isRight = isImported ? await isPasswordOf(password, user.bcrypt) : isNative;
  if (isImported && isRight && !isBlocked)
    return { isRight, replacement: await hashPassword(password, sys.ports.random) };
  if (isImported) await isPassword(password, placeholderHash);
  await fillUp(password, isImported ? user.bcrypt : undefined, highest);
  return { isRight };
}

/**
 * Returns the login, or throws `malformed`. An unknown user, a wrong password and a locked user are
 * indistinguishable, because the error and the work are the same.
 */
async function decide(
  method: Method,
  name: string,
  check: (row: Row | undefined, how: Pick<Check, "isBlocked" | "highest">) => Promise<Verdict>,
): Promise<Login> {
  const { sys } = method;
  const [key, failures] = [userKey(method, name), failureKey(method, name)];
  const [row, failed, cost] = await sys.store.get([key, failures, costKey(method)]);
  const isBlocked = !row || isLocked(failed, sys.ports.now());
  const { isRight, replacement } = await check(row, { isBlocked, highest: highestCost(cost) });
  if (!row || !isRight || isLocked(failed, sys.ports.now())) {
    await countFailure(method, name, row !== undefined);
    throw new CaError("malformed", "invalid username or password");
  }
  const user = storedUser(row.value);
  return {
    alias: { name },
    display_name: name,
    metadata: { username: name },
    source: key,
    token: user,
    more: {
      // the commit fails if concurrent failures lock the user
      expect: [
        [key, row.rev],
        [failures, failed?.rev ?? null],
      ],
      del: failed ? [failures] : [],
      put: replacement
        ? [[key, { ...user, password: replacement, bcrypt: "" } satisfies User]]
        : [],
    },
  };
}
