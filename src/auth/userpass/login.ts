import { CaError } from "../../base/errors.ts";
import type { Method } from "../../engine/methods.ts";
import type { Row } from "../../engine/ports.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { secret } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { login, type Login } from "../method/login.ts";
import { countFailure, failureKey, isLocked } from "./lockout.ts";
import { isPassword, nobodys } from "./password.ts";
import { storedUser, userKey, userName } from "./users.ts";

export const loginUser = methodEndpoint({
  id: "loginUser",
  audits: { always: true },
  at: ["POST /login/:username"],
  access: "open",
  style: envelope,
  doc: "Logs in with a password; the token stands in `auth`. Five failures in a row lock a user for 15 minutes.",
  body: { password: secret.requiredOr("", "The password.") },
  reply: {},
  refuses: ["malformed", "forbidden", "busy"],
  run: (method, { username, password }, caller) => {
    if (password === "") throw new CaError("malformed", "missing password");
    return login(method, caller, byPassword(method, username, password));
  },
});

/** Decides who logs in by a name and a password, as often as it is asked. */
export function byPassword(
  method: Method,
  username: string,
  password: string,
): () => Promise<Login> {
  const name = userName(username);
  // hashed once for each password that the user has had meanwhile
  const judged = new Map<number | undefined, boolean>();
  const isRight = async (row: Row | undefined): Promise<boolean> => {
    const known = judged.get(row?.rev);
    if (known !== undefined) return known;
    const stored = row ? storedUser(row.value).password : nobodys;
    const right = (await isPassword(password, stored)) && row !== undefined;
    judged.set(row?.rev, right);
    return right;
  };
  return () => decide(method, name, isRight);
}

/**
 * Who is unknown, whose password is wrong and who is locked gets one text after the same work: a
 * hash, and the count of a failure.
 */
async function decide(
  method: Method,
  name: string,
  isRight: (row: Row | undefined) => Promise<boolean>,
): Promise<Login> {
  const { sys } = method;
  const [key, failures] = [userKey(method, name), failureKey(method, name)];
  const [row, failed] = await sys.store.get([key, failures]);
  const right = await isRight(row);
  if (!row || !right || isLocked(failed, sys.ports.now())) {
    await countFailure(method, name, row !== undefined);
    throw new CaError("malformed", "invalid username or password");
  }
  return {
    alias: { name },
    display_name: name,
    metadata: { username: name },
    source: key,
    token: storedUser(row.value),
    more: {
      // of guesses that come at once, none gets in once the others have locked the user
      expect: [
        [key, row.rev],
        [failures, failed?.rev ?? null],
      ],
      del: failed ? [failures] : [],
    },
  };
}
