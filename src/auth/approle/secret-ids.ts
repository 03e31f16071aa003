import { uuid } from "../../base/ids.ts";
import { CaError } from "../../base/errors.ts";
import { expectMethod, type Method } from "../rows/methods.ts";
import { type Caller, methodEndpoint } from "../../wire/endpoint.ts";
import { int, list, secret, text, type Parsed } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { checkRanges } from "../method/address.ts";
import { findRole, type StoredRole } from "./role.ts";
import { requireRole, missingRole } from "./roles.ts";
import {
  allSecrets,
  findByAccessor,
  findSecret,
  type StoredSecret,
  newSecret,
  readMetadata,
  secretFields,
  secretIndex,
  secretKey,
  secretReply,
  toSecretReply,
} from "./secret-id.ts";
import { secretEndRow } from "./secret-end.ts";

const shared = {
  access: "token",
  style: envelope,
} as const;
const replyFields = {
  secret_id: secret.required("The secret ID. Returned only once."),
  secret_id_accessor: text.required(
    "Accessor, which identifies the secret ID without revealing it.",
  ),
  secret_id_ttl: int.required("Lifetime in seconds; 0 means no expiry."),
  secret_id_num_uses: int.required("Number of times the secret ID may be used; 0 means unlimited."),
} as const;

export const makeSecretId = methodEndpoint({
  ...shared,
  id: "makeSecretId",
  at: ["POST /role/:name/secret-id"],
  doc: "Generates a secret ID for a role.",
  body: secretFields,
  reply: replyFields,
  refuses: ["malformed", "invalid_field"],
  run: (method, { name, ...fields }, caller) =>
    putSecret(method, caller, { name, fields, text: uuid(method.sys.ports.random) }),
});

export const makeCustomSecretId = methodEndpoint({
  ...shared,
  id: "makeCustomSecretId",
  at: ["POST /role/:name/custom-secret-id"],
  doc: "Creates a secret ID with a value chosen by the caller.",
  body: { ...secretFields, secret_id: secret.required("The secret ID.") },
  reply: replyFields,
  refuses: ["malformed", "invalid_field"],
  run: (method, { name, secret_id, ...fields }, caller) => {
    if (secret_id === "") throw new CaError("malformed", "missing secret_id");
    return putSecret(method, caller, { name, fields, text: secret_id });
  },
});

interface NewSecretId {
  readonly name: string;
  readonly fields: Parsed<typeof secretFields>;
  /** The secret ID itself. */
  readonly text: string;
}
function putSecret(method: Method, caller: Caller, { name, fields, text: secretId }: NewSecretId) {
  const { sys } = method;
  checkRanges("cidr_list", fields.cidr_list);
  checkRanges("token_bound_cidrs", fields.token_bound_cidrs);
  const metadata = readMetadata(fields.metadata);
  return sys.change(
    async () => {
      const [enabled, stored] = [await expectMethod(method), await findRole(method, name)];
      const { key, rev, role } = requireRole(stored, name);
      const row = newSecret(method, role, { ...fields, metadata });
      const own = await secretKey(method, role, secretId);
      const [existing] = await sys.store.get([own]);
      if (existing) throw new CaError("malformed", "this secret_id is already in use");
      caller.audit.note({ secret_id_accessor: row.accessor });
      const reply = {
        secret_id: secretId,
        secret_id_accessor: row.accessor,
        secret_id_ttl: row.ttl,
        secret_id_num_uses: row.num_uses,
      };
      return {
        reply,
        batch: {
          // the commit fails if the role is deleted concurrently
          expect: [enabled, [key, rev], [own, null]],
          put: [[own, row, secretIndex(row)], ...secretEndRow(method, row)],
        },
      };
    },
    { what: "the role" },
  );
}
export const listSecretIds = methodEndpoint({
  ...shared,
  id: "listSecretIds",
  at: ["LIST /role/:name/secret-id"],
  doc: "Lists the accessors of a role's secret IDs.",
  body: {},
  reply: { keys: list.required("Accessors.") },
  refuses: ["not_found", "malformed"],
  run: async (method, { name }) => {
    const { role } = requireRole(await findRole(method, name), name);
    const secrets = await allSecrets(method, role);
    if (secrets.length === 0) throw new CaError("not_found", "");
    return { keys: secrets.map((one) => one.secret.accessor).sort() };
  },
});

type Find = (stored: StoredRole) => Promise<StoredSecret | undefined>;
const bySecret = (method: Method, secretId: string): Find => {
  if (secretId === "") throw new CaError("malformed", "missing secret_id");
  return ({ role }) => findSecret(method, role, secretId);
};
const byAccessor = (method: Method, accessor: string): Find => {
  if (accessor === "") throw new CaError("malformed", "missing secret_id_accessor");
  return ({ role }) => findByAccessor(method, role, accessor);
};
/** Finds a secret ID of the named role. Throws `unknown_app_role` if the role does not exist. */
async function findIn(method: Method, name: string, find: Find): Promise<StoredSecret | undefined> {
  const role = await findRole(method, name);
  if (!role) throw new CaError("unknown_app_role", missingRole(name));
  return find(role);
}
async function lookUpSecret(method: Method, name: string, find: Find) {
  const stored = await findIn(method, name, find);
  return stored && toSecretReply(stored.secret);
}
async function destroy(method: Method, name: string, find: Find): Promise<undefined> {
  const stored = await findIn(method, name, find);
  if (stored) await method.sys.commit({ del: [stored.key] });
  return undefined;
}
const own = { secret_id: secret.requiredOr("", "The secret ID.") } as const;
const accessed = {
  secret_id_accessor: text.requiredOr("", "Accessor of the secret ID."),
} as const;

export const lookupSecretId = methodEndpoint({
  ...shared,
  id: "lookupSecretId",
  at: ["POST /role/:name/secret-id/lookup"],
  doc: "Returns the properties of a secret ID.",
  body: own,
  reply: secretReply,
  refuses: ["malformed", "unknown_app_role"],
  run: (method, { name, secret_id }) => lookUpSecret(method, name, bySecret(method, secret_id)),
});
export const lookupSecretAccessor = methodEndpoint({
  ...shared,
  id: "lookupSecretAccessor",
  at: ["POST /role/:name/secret-id-accessor/lookup"],
  doc: "Returns the properties of a secret ID, given its accessor.",
  body: accessed,
  reply: secretReply,
  refuses: ["malformed", "unknown_app_role", "not_found"],
  run: async (method, { name, secret_id_accessor: accessor }) => {
    const stored = await lookUpSecret(method, name, byAccessor(method, accessor));
    if (!stored)
      throw new CaError("not_found", "failed to find accessor entry for the secret_id_accessor");
    return stored;
  },
});
export const destroySecretId = methodEndpoint({
  ...shared,
  id: "destroySecretId",
  at: ["POST /role/:name/secret-id/destroy", "DELETE /role/:name/secret-id/destroy"],
  doc: "Deletes a secret ID.",
  body: own,
  reply: {},
  refuses: ["malformed", "unknown_app_role"],
  run: (method, { name, secret_id }) => destroy(method, name, bySecret(method, secret_id)),
});
export const destroySecretAccessor = methodEndpoint({
  ...shared,
  id: "destroySecretAccessor",
  at: [
    "POST /role/:name/secret-id-accessor/destroy",
    "DELETE /role/:name/secret-id-accessor/destroy",
  ],
  doc: "Deletes a secret ID, given its accessor.",
  body: accessed,
  reply: {},
  refuses: ["malformed", "unknown_app_role"],
  run: (method, { name, secret_id_accessor: accessor }) =>
    destroy(method, name, byAccessor(method, accessor)),
});
