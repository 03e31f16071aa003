import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { serialKeyText } from "../../base/ids.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { pageFields, rowsAfter } from "../../pki/request/paging.ts";
import { readerBelow } from "../../wire/access.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { flag, list, listOf, mapOf, records, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { unlist, unlisting } from "../order/open-orders.ts";
import { acmeBelow } from "../rows/prefixes.ts";
import { acmeKeys, type AccountRow, storedAcme } from "../rows/records.ts";
import { ordersOf } from "./orders.ts";

const accountFields = {
  key_id: text.required("ID of the account: the last segment of its URL."),
  status: text.required(
    "`valid`, `deactivated` (by the client) or `revoked` (by tidy or an administrator).",
    ["valid", "deactivated", "revoked"],
  ),
  contacts: list.required("Contact URLs that the client registered."),
  created_time: text.required("Time at which the account was created, RFC 3339."),
  revoked_time: text.required(
    "Time at which the account was revoked or deactivated, RFC 3339; otherwise empty.",
  ),
  directory: text.required(
    "Directory of the account, such as `roles/web/acme/`. The account exists in no other directory.",
  ),
  eab: mapOf({
    eab_id: text.optional("ID of the binding."),
    key_type: text.optional("Key type: always `hs`, an HMAC key."),
    directory: text.optional("Directory that accepts the binding."),
    created_time: text.optional("Time at which the binding was created, RFC 3339."),
  }).required("External account binding used at registration; empty if none."),
} as const;

export const listAccounts = endpoint({
  id: "listAcmeAccounts",
  at: ["LIST /acme/mgmt/account/keyid"],
  access: "token",
  style: envelope,
  doc: "Lists the IDs of the ACME accounts in all directories.",
  body: {
    ...pageFields,
    detailed: flag.default(false, "Whether to return the fields of each account too."),
  },
  reply: {
    keys: list.required("Account IDs, sorted."),
    key_info: records(accountFields).optional(
      "With `detailed`: the fields of each account that the caller may read, by ID.",
    ),
  },
  refuses: ["not_found"],
  run: async (mount, { detailed, ...input }, { identity }) => {
    const prefix = acmeBelow.accounts;
    const rows = await mount.store.list(prefix, { values: detailed, ...rowsAfter(prefix, input) });
    if (rows.length === 0) throw new CaError("not_found", "");
    const keys = rows.map(([key]) => key.slice(prefix.length));
    if (!detailed) return { keys };
    const config = await mount.config();
    const mayRead = readerBelow(identity, `${config.mount.path}/acme/mgmt/account/keyid/`);
    const readable = rows.flatMap(([key, { value }]) => {
      const id = key.slice(prefix.length);
      return mayRead(id) ? [[id, accountOutput(id, storedAcme.account(value))] as const] : [];
    });
    return { keys, key_info: Object.fromEntries(readable) };
  },
});

export const readAccount = endpoint({
  id: "readAcmeAccount",
  at: ["GET /acme/mgmt/account/keyid/:key_id"],
  access: "token",
  style: envelope,
  doc: "Reads an ACME account and its orders.",
  body: {},
  reply: {
    ...accountFields,
    orders: listOf({
      order_id: text.required("ID of the order."),
      status: text.required("`pending`, `ready`, `valid` or `invalid`.", [
        "pending",
        "ready",
        "valid",
        "invalid",
      ]),
      identifiers: list.required("DNS names and IP addresses of the order."),
      order_expiry: text.required("Time at which the order expires, RFC 3339."),
      cert_expiry: text.required(
        "Time at which the certificate expires, RFC 3339; empty if none was issued.",
      ),
      cert_serial_number: text.required(
        "Serial number of the certificate, with colons; empty if none was issued.",
      ),
    }).required("Orders of the account, at most 10,000."),
  },
  refuses: ["not_found"],
  run: async (mount, { key_id: id }) => {
    const { value } = await getAccount(mount, id);
    const now = Math.floor(mount.ports.now() / 1000);
    const orders = await ordersOf(mount.store, id, now);
    return {
      ...accountOutput(id, storedAcme.account(value)),
      orders: orders.map(({ id: order_id, row, status }) => ({
        order_id,
        status,
        identifiers: row.identifiers.map((one) => one.value),
        order_expiry: rfc3339(row.expires),
        cert_expiry: row.ends === undefined ? "" : rfc3339(row.ends),
        cert_serial_number: row.serial === undefined ? "" : serialKeyText(row.serial),
      })),
    };
  },
});

export const writeAccount = endpoint({
  id: "writeAcmeAccount",
  at: ["POST /acme/mgmt/account/keyid/:key_id"],
  access: "token",
  style: envelope,
  doc: "Revokes an ACME account, or reactivates a revoked one. A revoked account cannot make requests.",
  body: { status: text.required("New status: `revoked` or `valid`.", ["revoked", "valid"]) },
  reply: accountFields,
  refuses: ["not_found", "malformed"],
  run: async (mount, { key_id: id, status }) => {
    const { account: output, unlists } = await mount.storeContext.change(
      async () => {
        const { value, rev } = await getAccount(mount, id);
        const account = storedAcme.account(value);
        const row = withStatus(account, status, Math.floor(mount.ports.now() / 1000));
        const key = acmeKeys.account(id);
        const output = accountOutput(id, row);
        // an unchanged account stays in the list of unused accounts
        if (row === account) return { reply: { account: output, unlists: undefined } };
        const { del = [], unlists } = account.unused ? unlisting(mount, id, account) : {};
        const batch = { expect: [[key, rev] as const], put: [[key, row] as const], del };
        return { reply: { account: output, unlists }, batch };
      },
      { what: "the account" },
    );
    await unlist(mount, unlists);
    return output;
  },
});

async function getAccount(mount: Mount, id: string): Promise<Row> {
  const [row] = await mount.store.get([acmeKeys.account(id)]);
  if (!row || storedAcme.account(row.value).registering)
    throw new CaError("not_found", `no ACME account with id ${id}`);
  return row;
}
/**
 * Returns an account with a new status. Accounts deactivated by their client stay deactivated (RFC
 * 8555 section 7.3.6).
 */
function withStatus(account: AccountRow, status: string, now: number): AccountRow {
  if (status !== "valid" && status !== "revoked")
    throw new CaError(
      "malformed",
      `status must be valid or revoked, got: ${truncateForMessage(status)}`,
    );
  if (account.status === "deactivated")
    throw new CaError(
      "malformed",
      "the account cannot be changed: its client has deactivated it permanently",
    );
  if (account.status === status) return account;
  // an account changed by an administrator is never removed to make room for registrations
  const { ended: _, unused: __, ...row } = account;
  return { ...row, status, ...(status === "revoked" ? { ended: now } : {}) };
}
const accountOutput = (
  id: string,
  { status, contact, created, ended, directory, eab }: AccountRow,
) => ({
  key_id: id,
  status,
  contacts: contact,
  created_time: rfc3339(created),
  revoked_time: ended === undefined ? "" : rfc3339(ended),
  directory: `${directory}/`,
  eab: eab
    ? {
        eab_id: eab.id,
        key_type: "hs",
        directory: `${eab.directory}/`,
        created_time: rfc3339(eab.created),
      }
    : {},
});
