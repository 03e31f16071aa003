import { acmeConfig } from "../rows/config.ts";
import { CaError } from "../../base/errors.ts";
import { uuidWithSlot } from "../../base/ids.ts";
import type { Expect, Row } from "../../engine/ports.ts";
import { nameAccount } from "../protocol/caller.ts";
import type { AcmeRequest } from "../protocol/declaration.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { anyJson, exactFlag } from "../protocol/fields.ts";
import { hashSite } from "../protocol/network.ts";
import { acmePaths } from "../protocol/paths.ts";
import { requireActiveAccount } from "../protocol/signed.ts";
import { acmeKeys, type AccountRow, storedAcme } from "../rows/records.ts";
import { accountReply, accountOutput } from "./account-object.ts";
import { countedAt } from "./address-limit.ts";
import { readContact } from "./contact.ts";
import { boundBy, type Bound } from "./eab-binding.ts";
import { roomForAccount } from "./unused-accounts.ts";

export const newAccount = acmeEndpoint({
  id: "acmeNewAccount",
  audits: {},
  at: acmePaths("POST /new-account"),
  doc: "Registers an account for the key that signs the request, or returns the existing account of that key.",
  key: "jwk",
  payload: {
    contact: anyJson.optional("Contact URLs of the account holder: `mailto` or `tel`."),
    termsOfServiceAgreed: exactFlag.optional("Ignored: there are no terms of service."),
    onlyReturnExisting: exactFlag.default(
      false,
      "Return only an existing account; never create one.",
    ),
    externalAccountBinding: anyJson.optional(
      "JWS over the account key, signed with a key from new-eab (RFC 8555 section 7.3.4).",
    ),
  },
  reply: accountReply,
  refuses: [
    "account_does_not_exist",
    "external_account_required",
    "invalid_contact",
    "unsupported_contact",
    "rate_limited",
  ],
  reads: ({ thumbprint = "" }) => [acmeKeys.thumb(thumbprint)],
  run: async (it) => {
    const { account, expect } = await findExistingAccount(it, it.rows[0]);
    if (account) return account;
    if (it.payload.onlyReturnExisting)
      throw new CaError("account_does_not_exist", "the key has no account");
    const contact = readContact(it.payload) ?? [];
    try {
      const bound = await bindingOf(it, it.payload.externalAccountBinding);
      return await registered(it, { contact, bound, expect });
    } catch (error) {
      // if the client sent the request twice, the first request has already created the account
      const [thumb] = await it.ca.store.get([acmeKeys.thumb(it.jwk.thumbprint)]);
      const existing = error instanceof CaError ? await findExistingAccount(it, thumb) : undefined;
      if (!existing?.account) throw error;
      return existing.account;
    }
  },
});

type Registering = Pick<
  AcmeRequest<string, "raw", "jwk">,
  "ca" | "caller" | "config" | "directory" | "jwk" | "now"
>;
/**
 * The contacts and the binding of a new account, and the precondition that its key has no account.
 */
interface Registration {
  readonly contact: readonly string[];
  readonly bound: Bound | undefined;
  readonly expect: readonly Expect[];
}
async function registered(
  { ca, caller, config, directory, jwk: { jwk, thumbprint }, now }: Registering,
  { contact, bound, expect }: Registration,
) {
  const counted = await countedAt(ca, config, caller.address);
  const network = await hashSite(ca, config, caller.address);
  const id = uuidWithSlot(ca.ports.random);
  const room = bound?.use(id) ?? { put: [], ...(await roomForAccount(ca, network, now)) };
  const row: AccountRow = {
    jwk,
    thumbprint,
    status: "valid",
    contact,
    directory: directory.prefix,
    ...(bound ? { eab: bound.eab } : { unused: true, network }),
    created: now,
  };
  nameAccount(caller, id, row);
  if (bound) caller.audit.note(bound.note);
  return {
    ...accountOutput(directory, id, row),
    status: 201,
    account: id,
    batch: {
      expect: [...expect, [acmeKeys.account(id), null] as const, ...counted.expect, ...room.expect],
      put: [
        [acmeKeys.thumb(thumbprint), { account: id }] as const,
        [acmeKeys.account(id), row] as const,
        ...(bound ? [] : [[acmeKeys.unused(id, row), {}] as const]),
        ...counted.put,
        ...room.put,
      ],
      del: room.del,
    },
  };
}

/**
 * Returns the existing account of the key as a response, or the precondition that there is none.
 */
async function findExistingAccount(
  { ca, config, directory, jwk: { thumbprint } }: Registering,
  thumb: Row | undefined,
) {
  const expect: readonly Expect[] = [[acmeKeys.thumb(thumbprint), thumb?.rev ?? null]];
  const id = storedAcme.thumb(thumb?.value).account;
  const key = acmeKeys.account(id);
  const [stored] = thumb ? await ca.store.get([key]) : [];
  if (!stored) return { expect };
  const row = storedAcme.account(stored.value);
  if (row.directory !== directory.prefix)
    throw new CaError("malformed", "account part of different ACME directory path");
  requireActiveAccount(row, config);
  const batch = { expect: [...expect, [key, stored.rev] as const] };
  return { expect, account: { ...accountOutput(directory, id, row), account: id, batch } };
}

/** Returns the binding of a new account, if one was sent or is required (B 5.8). */
async function bindingOf(
  { ca, config, directory, jwk: { jwk } }: Registering,
  sent: unknown,
): Promise<Bound | undefined> {
  if (sent !== undefined) {
    const url = directory.url("/new-account");
    return boundBy({ ca, config, jwk, directory: directory.prefix, url }, sent);
  }
  if (config.get(acmeConfig).eab_policy !== "not-required")
    throw new CaError(
      "external_account_required",
      "an external account binding is required to register an account in this mount",
    );
  return undefined;
}
