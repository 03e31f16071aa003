import { userpass } from "../types/userpass.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { expectMethod, type Method } from "../rows/methods.ts";
import type { Row } from "../../engine/ports.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { methodEndpoint } from "../../wire/endpoint.ts";
import { list, type Parsed, records, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import {
  plainTokens,
  tokenFields,
  tokenReply,
  type TokenSettings,
  tokenSettingsOf,
  withTokenFields,
} from "../method/token-fields.ts";
import { detailedField, detailedText, listedFields, listRoles } from "../method/role-endpoints.ts";
import { checkHash, raisedCost } from "./imported-hash.ts";
import { failureKey, lockEnd } from "./lockout.ts";
import { hashPassword, placeholderHash, type PasswordHash } from "./password.ts";

/** A stored user of the login method for passwords. */
export interface User extends TokenSettings {
  readonly password: PasswordHash;
  /**
   * An imported bcrypt hash, which the first login replaces with `password`; empty if there is
   * none.
   */
  readonly bcrypt: string;
}
/** Parses the stored row of a user. */
export const storedUser = rowReader<User>({
  ...plainTokens,
  password: placeholderHash,
  bcrypt: "",
});

/** Patterns that path parameters must match. */
export const parameters = { username: /^\w(?:[\w.@-]{0,126}\w)?$/ };
/** Names that could be mistaken for something else in a log or a list (security row 91). */
const reserved: ReadonlySet<string> = new Set(["root", "default", "config", "acme"]);
/** Normalizes a user name to lower case. */
export const userName = (name: string): string => name.toLowerCase();
/** Returns the key of a user's row. */
export const userKey = (method: Method, name: string): string =>
  method.key(`${userpass.rows.users}${name}`);

const passwordHash = secret.default(
  "",
  "A bcrypt hash to send instead of the password: `$2a$`, `$2b$` or `$2y$`, cost 4 to 10. The first login replaces it with the server's own hash.",
);
const shared = {
  access: "token",
  style: envelope,
} as const;

const lockedField = {
  locked_until: text.optional(
    "End of the lock after failed logins, RFC 3339. Present only while the user is locked.",
  ),
} as const;
/** Returns the end of a user's lock, if any. `failures` is the row that counts failed logins. */
function lockOf({ sys }: Method, failures: Row | undefined): Parsed<typeof lockedField> {
  const until = lockEnd(failures, sys.ports.now());
  return until ? { locked_until: rfc3339(until / 1000) } : {};
}

const users = { kind: { below: userpass.rows.users, read: storedUser }, path: "/users" } as const;

export const listUsers = methodEndpoint({
  ...shared,
  id: "listUsers",
  at: ["LIST /users"],
  doc: "Lists the names of the users.",
  body: detailedField,
  reply: {
    keys: list.required("User names, sorted."),
    key_info: records({ ...listedFields, ...lockedField }).optional(detailedText),
  },
  refuses: ["not_found"],
  run: async (method, { detailed }, caller) => {
    const { keys, key_info: info } = await listRoles(method, users, { detailed, caller });
    if (!info) return { keys };
    const failures = new Map(await method.sys.store.list(failureKey(method, "")));
    const all = Object.entries(info).map(
      ([name, one]) =>
        [name, { ...one, ...lockOf(method, failures.get(failureKey(method, name))) }] as const,
    );
    return { keys, key_info: Object.fromEntries(all) };
  },
});

export const readUser = methodEndpoint({
  ...shared,
  id: "readUser",
  at: ["GET /users/:username"],
  doc: "Reads a user.",
  body: {},
  reply: { ...tokenReply, ...lockedField },
  refuses: ["not_found"],
  run: async (method, { username }) => {
    const name = userName(username);
    const keys = [userKey(method, name), failureKey(method, name)];
    const [row, failures] = await method.sys.store.get(keys);
    return row && { ...tokenSettingsOf(storedUser(row.value)), ...lockOf(method, failures) };
  },
});

export const writeUser = methodEndpoint({
  ...shared,
  id: "writeUser",
  at: ["POST /users/:username"],
  doc: "Creates a user, or updates the given fields of an existing user.",
  body: {
    ...tokenFields,
    password: secret.default("", "Password; a new user requires it or `password_hash`."),
    password_hash: passwordHash,
  },
  reply: {},
  refuses: ["malformed", "invalid_field"],
  run: (method, { username, password, password_hash: bcrypt, ...changes }) => {
    const name = userName(username);
    if (reserved.has(name)) throw new CaError("malformed", `the name "${name}" is reserved`);
    return changeUser(method, username, { password, bcrypt, changes, creates: true });
  },
});

export const writePassword = methodEndpoint({
  ...shared,
  id: "writePassword",
  at: ["POST /users/:username/password"],
  doc: "Sets the password of a user and unlocks the user.",
  body: {
    password: secret.default("", "New password; alternatively send `password_hash`."),
    password_hash: passwordHash,
  },
  reply: {},
  refuses: ["malformed"],
  run: (method, { username, password, password_hash: bcrypt }) => {
    if (password === "" && bcrypt === "") throw new CaError("malformed", "missing password");
    return changeUser(method, username, { password, bcrypt, changes: {} });
  },
});

export const writeUserPolicies = methodEndpoint({
  ...shared,
  id: "writeUserPolicies",
  at: ["POST /users/:username/policies"],
  doc: "Sets the policies of a user.",
  body: { token_policies: tokenFields.token_policies, policies: tokenFields.policies },
  reply: {},
  refuses: ["malformed"],
  run: (method, { username, ...changes }) =>
    changeUser(method, username, { password: "", bcrypt: "", changes }),
});

interface UserChange {
  /** The new password; empty to keep the current one. */
  readonly password: string;
  /** A bcrypt hash instead of the password; empty if the request has none. */
  readonly bcrypt: string;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly creates?: boolean;
}
async function changeUser(
  method: Method,
  username: string,
  { password, bcrypt, changes, creates = false }: UserChange,
): Promise<undefined> {
  const { sys } = method;
  const name = userName(username);
  const key = userKey(method, name);
  const hashed = await hashesOf(method, password, bcrypt);
  await sys.change(
    async () => {
      const [enabled, [row]] = [await expectMethod(method), await sys.store.get([key])];
      if (!row && !creates) throw new CaError("malformed", "username does not exist");
      if (!row && !hashed) throw new CaError("malformed", "missing password");
      const stored = storedUser(row?.value);
      const user: User = {
        ...withTokenFields(stored, changes),
        password: stored.password,
        bcrypt: stored.bcrypt,
        ...hashed,
      };
      const cost = bcrypt === "" ? undefined : await raisedCost(method, bcrypt);
      return {
        reply: undefined,
        batch: {
          expect: [enabled, [key, row?.rev ?? null], ...(cost?.expect ?? [])],
          put: [[key, user], ...(cost?.put ?? [])],
          del: hashed ? [failureKey(method, name)] : [],
        },
      };
    },
    { what: "the user" },
  );
  return undefined;
}

/** Returns a new password or hash in its stored form, or undefined if neither was sent. */
async function hashesOf(
  { sys }: Method,
  password: string,
  bcrypt: string,
): Promise<Pick<User, "password" | "bcrypt"> | undefined> {
  if (password !== "" && bcrypt !== "")
    throw new CaError("malformed", "send either password or password_hash, not both");
  if (password !== "")
    return { password: await hashPassword(password, sys.ports.random), bcrypt: "" };
  if (bcrypt === "") return undefined;
  checkHash(bcrypt);
  return { password: placeholderHash, bcrypt };
}

export const deleteUser = methodEndpoint({
  ...shared,
  id: "deleteLoginUser",
  at: ["DELETE /users/:username"],
  doc: "Deletes a user. Existing tokens stay valid until they expire, but cannot be renewed.",
  body: {},
  reply: {},
  run: async (method, { username }) => {
    const name = userName(username);
    await method.sys.commit({ del: [userKey(method, name), failureKey(method, name)] });
    return undefined;
  },
});
