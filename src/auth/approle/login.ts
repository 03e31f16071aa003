import { CaError } from "../../base/errors.ts";
import { storedLogin } from "../rows/logins.ts";
import type { Method } from "../rows/methods.ts";
import type { Batch } from "../../engine/ports.ts";
import { methodEndpoint, type Caller } from "../../wire/endpoint.ts";
import { secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { requireAddress, isWithin, rangesWithin } from "../method/address.ts";
import { login, type Login } from "../method/login.ts";
import { findRole, type StoredRole, type Role, roleIdKey, storedRole } from "./role.ts";
import { tidyRow } from "./secret-end.ts";
import { findSecret, type StoredSecret, secretIndex } from "./secret-id.ts";

const invalid = () => new CaError("malformed", "invalid role or secret ID");

export const loginAppRole = methodEndpoint({
  id: "loginAppRole",
  audits: { always: true },
  at: ["POST /login"],
  access: "open",
  style: envelope,
  doc: "Logs in with a role ID and a secret ID; the token is returned in `auth`.",
  body: {
    role_id: text.requiredOr("", "Role ID of the role."),
    secret_id: secret.default("", "Secret ID of the role, if the role requires one."),
  },
  reply: {},
  refuses: ["malformed", "forbidden"],
  run: (method, { role_id, secret_id }, caller) => {
    if (role_id === "") throw new CaError("malformed", "missing role_id");
    return login(method, caller, bySecret(method, caller, { role_id, secret_id }));
  },
});

interface Credentials {
  readonly role_id: string;
  readonly secret_id: string;
}
/** Returns a function that verifies a role ID and a secret ID, and returns the login. */
export const bySecret =
  (method: Method, caller: Pick<Caller, "address">, sent: Credentials) => (): Promise<Login> =>
    decide(method, caller, sent);
async function decide(
  method: Method,
  caller: Pick<Caller, "address">,
  { role_id, secret_id }: Credentials,
): Promise<Login> {
  const { role, name, key, rev } = await roleOf(method, role_id);
  const used = role.bind_secret_id
    ? await secretOf(method, caller, { role, secret_id })
    : undefined;
  requireAddress(role.secret_id_bound_cidrs, caller.address);
  // ignores address ranges of the secret ID that the role no longer allows
  const own = rangesWithin(role.token_bound_cidrs, used?.secret.token_bound_cidrs ?? []);
  if (own.length === 0 && used?.secret.token_bound_cidrs.length) throw invalid();
  return {
    alias: { name: role_id },
    display_name: "",
    role: name,
    metadata: { ...used?.secret.metadata, role_name: name },
    source: key,
    token: own.length > 0 ? { ...role, token_bound_cidrs: own } : role,
    more: {
      ...(used ? use(method, used) : {}),
      expect: [[key, rev], ...(used ? [[used.key, used.rev] as const] : [])],
    },
  };
}
/**
 * Returns the role with this role ID. If there is none, returns a placeholder without secret IDs,
 * after the same work.
 */
async function roleOf(
  method: Method,
  roleId: string,
): Promise<StoredRole & { readonly name: string }> {
  const [pointer] = await method.sys.store.get([await roleIdKey(method, roleId)]);
  const name = storedLogin.id(pointer?.value).id || "-";
  const role = await findRole(method, name);
  // the role may have been assigned another ID after the pointer to it was read
  return role?.role.role_id === roleId ? { ...role, name } : { ...noRole, name };
}
const noRole: StoredRole = { key: "", rev: 0, role: storedRole({ id: "-" }) };

interface Presented {
  readonly role: Role;
  readonly secret_id: string;
}
async function secretOf(
  method: Method,
  { address }: Pick<Caller, "address">,
  { role, secret_id }: Presented,
): Promise<StoredSecret> {
  if (secret_id === "") throw new CaError("malformed", "missing secret_id");
  const stored = await findSecret(method, role, secret_id);
  if (!stored || !isWithin(stored.secret.cidr_list, address)) throw invalid();
  return stored;
}
/**
 * Returns the change that counts a use of a secret ID, and deletes the secret ID after its last
 * use.
 */
function use({ sys }: Method, { key, secret: row }: StoredSecret): Batch {
  if (row.num_uses === 0) return {};
  if (row.left <= 1) return { del: [key] };
  const updated = Math.floor(sys.ports.now() / 1000);
  const next = { ...row, left: row.left - 1, updated };
  return { put: [[key, next, secretIndex(next)]] };
}

export const tidySecretIds = methodEndpoint({
  id: "tidySecretIds",
  at: ["POST /tidy/secret-id"],
  access: "token",
  style: envelope,
  status: 202,
  nullable: true,
  doc: "Removes expired secret IDs. A job also does this regularly.",
  audits: { jobs: true },
  body: {},
  reply: {},
  run: async (method, _, caller) => {
    await method.sys.commit({ put: [tidyRow(method)] });
    caller.reply.warn(
      "Tidy operation successfully started. Any information from the operation will be printed to the log.",
    );
    return null;
  },
});
