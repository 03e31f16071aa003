import { deepEqual } from "../../base/deep-equal.ts";
import { CaError } from "../../base/errors.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { acmePaths } from "../protocol/paths.ts";
import { acmeKeys, type AccountRow } from "../rows/records.ts";
import { accountReply, requireOwnAccount, accountOutput } from "./account-object.ts";
import { readContact } from "./contact.ts";

export const changeAccount = acmeEndpoint({
  id: "acmeAccount",
  audits: {},
  at: acmePaths("POST /account/:account_id"),
  doc: "Reads the account if the payload is empty. Otherwise replaces `contact` if sent, or deactivates the account permanently if `status` is `deactivated`.",
  key: "kid",
  payload: "either",
  reply: accountReply,
  refuses: ["invalid_contact", "unsupported_contact", "malformed"],
  run: async ({ account: { id, rev, ...stored }, directory, params, payload, now }) => {
    requireOwnAccount(id, params.account_id);
    const row = payload ? changed(stored, payload, now) : stored;
    const key = acmeKeys.account(id);
    return {
      ...accountOutput(directory, id, row),
      ...(deepEqual(row, stored) ? {} : { batch: { expect: [[key, rev]], put: [[key, row]] } }),
    };
  },
});

/** Returns the account with the changes of a client (RFC 8555 sections 7.3.2 and 7.3.6). */
function changed(account: AccountRow, payload: JsonMembers, now: number): AccountRow {
  if (Object.hasOwn(payload, "externalAccountBinding"))
    throw new CaError(
      "malformed",
      "externalAccountBinding is only allowed when registering an account",
    );
  const row = { ...account, contact: readContact(payload) ?? account.contact };
  // any other status is ignored (B 5.7)
  return payload["status"] === "deactivated" ? { ...row, status: "deactivated", ended: now } : row;
}
