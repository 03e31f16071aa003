import { acmeConfig } from "../rows/config.ts";
import { CaError } from "../../base/errors.ts";
import { uuidWithSlot } from "../../base/slot-ids.ts";
import { isAtHome, rowsBeside } from "../../engine/placement.ts";
import type { Decision } from "../../engine/store-context.ts";
import type { AcmeAnswer, AcmeRequest } from "../protocol/declaration.ts";
import { requireAcmeEnabled } from "../protocol/directory.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { anyJson, exactFlag } from "../protocol/fields.ts";
import { hashSite } from "../protocol/network.ts";
import { acmePaths } from "../protocol/paths.ts";
import { requireActiveAccount, nameAccount } from "../protocol/signed.ts";
import { selectionOf } from "../protocol/selection.ts";
import { acmeIndexes, acmeKeys, type AccountRow } from "../rows/records.ts";
import { accountReply, accountOutput } from "./account-object.ts";
import { countedAt } from "./address-limit.ts";
import { readContact } from "./contact.ts";
import { boundBy, type Bound } from "./eab-binding.ts";
import {
  accountJobRow,
  type KeyOwner,
  ownerOfKey,
  removeNow,
  settleNow,
  type UnsettledAccount,
} from "./settle.ts";
import { roomForAccount, type Room } from "./unused-accounts.ts";

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
    const { mount, jwk, payload } = it;
    const owner = await ownerOfKey(mount, jwk.thumbprint, it.rows);
    const existing = existingAccount(it, owner);
    if (existing) return existing;
    if (payload.onlyReturnExisting)
      throw new CaError("account_does_not_exist", "the key has no account");
    const contact = readContact(payload) ?? [];
    const { externalAccountBinding: binding } = payload;
    try {
      const bound = await boundAs(it, binding);
      const made = await newAccountOf(it, contact, bound);
      // rejects an account that exceeds a limit before anything is stored
      const change = await registrationChange(it, made, { bound, owner });
      return isAtHome(mount.store, acmeKeys.account(made.id))
        ? registered(it, made, change)
        : registrationElsewhere(it, made, binding);
    } catch (error) {
      return existingAfter(it, error);
    }
  },
});

type Registering = Pick<
  AcmeRequest<string, "raw", "jwk">,
  "mount" | "caller" | "config" | "directory" | "jwk" | "now"
>;
type Answer = AcmeAnswer<typeof accountReply>;

/** A new account that is not registered yet, and the response once it is. */
interface NewAccount {
  readonly id: string;
  readonly row: AccountRow;
  readonly answer: Omit<Answer, "batch">;
}
async function newAccountOf(
  { mount, caller, config, directory, jwk: { jwk, thumbprint }, now }: Registering,
  contact: readonly string[],
  bound: Bound | undefined,
): Promise<NewAccount> {
  const network = await hashSite(mount, config, caller.address);
  const id = uuidWithSlot(mount.ports.random);
  const row: AccountRow = {
    jwk,
    thumbprint,
    status: "valid",
    contact,
    directory: directory.prefix,
    ...(bound ? { eab: bound.eab } : { unused: true, network }),
    created: now,
  };
  return { id, row, answer: { ...accountOutput(directory, id, row), status: 201, account: id } };
}

/** The binding of a new account, and the row of its key, which must not belong to an account. */
interface Registration {
  readonly bound: Bound | undefined;
  readonly owner: KeyOwner;
}
/**
 * Returns the change that registers an account, without the account's own row: it reserves the key,
 * uses the binding and counts the account.
 */
async function registrationChange(
  { mount, caller, config, jwk: { thumbprint }, now }: Registering,
  { id, row }: NewAccount,
  { bound, owner }: Registration,
) {
  const counted = await countedAt(mount, config, caller.address);
  const key = acmeKeys.thumb(thumbprint);
  const { removes, ...room }: Room = bound
    ? bound.use(id)
    : await roomForAccount(mount, row.network ?? "", now);
  nameAccount(caller, id, row);
  if (bound) caller.audit.note(bound.note);
  const batch = {
    expect: [[key, owner.rev] as const, ...counted.expect, ...room.expect],
    put: [
      [key, { account: id }] as const,
      ...(bound ? [] : [[acmeKeys.unused(id, row), {}] as const]),
      ...counted.put,
      ...room.put,
    ],
    del: room.del,
  };
  return { batch, removes };
}

/** Returns the response and the change that registers an account in the mount's own store. */
function registered(
  { mount }: Registering,
  { id, row, answer }: NewAccount,
  { batch, removes }: Awaited<ReturnType<typeof registrationChange>>,
): Answer {
  const own = acmeKeys.account(id);
  const { expect, put, del } = batch;
  return {
    ...answer,
    batch: { expect: [...expect, [own, null]], put: [...put, [own, row]], del },
    ...(removes ? { after: () => removeNow(mount, removes) } : {}),
  };
}

/**
 * Returns the response and the change that begins to register an account in another partition. The
 * job that settles the account finishes the registration after a crash. It takes four commits:
 *
 * 1. spend the nonce, and store a row that allows the registration;
 * 2. store the account as not registered;
 * 3. store its key and use its binding, in the mount's own store;
 * 4. store the account as registered.
 */
function registrationElsewhere(it: Registering, made: NewAccount, binding: unknown): Answer {
  const now = it.mount.ports.now();
  const key = acmeKeys.registration(made.id);
  const job = accountJobRow(made.id, now);
  return {
    batch: { put: [[key, {}], job], upkeep: [key] },
    after: () => register(it, made, { binding, job: job[0] }),
  };
}
/**
 * Time in seconds after which an account that is still stored as not registered is removed. The job
 * that settles the account has long finished by then. It misses an account that a slow request
 * stores after the job has run, and a backup may contain the account without the job.
 */
const maxRegistering = 30 * 86_400;
async function register(
  it: Registering,
  made: NewAccount,
  { binding, job }: { readonly binding: unknown; readonly job: string },
): Promise<Answer> {
  const { mount, caller } = it;
  const { id, row } = made;
  const own = acmeKeys.account(id);
  const stored = { ...row, registering: true } satisfies AccountRow;
  const end = row.created + maxRegistering;
  // requires the epoch of the configuration, so that no rows are stored for a deleted mount
  await mount.self.decide(async () => ({
    reply: undefined,
    batch: { expect: [[own, null]], put: [[own, stored, { [acmeIndexes.end]: end }]] },
  }));
  const { answer, removes } = await mount
    .decideFor(caller, async (config, buffered) =>
      registrationDecision({ ...it, config, caller: buffered }, made, binding),
    )
    .catch(async (error: unknown) => {
      // after a storage failure, only the job can determine whether the account was registered
      if (error instanceof CaError && error.code !== "storage") await settleNow(mount, { id, job });
      throw error;
    });
  await settleNow(mount, { id, job });
  if (removes) await removeNow(mount, removes);
  return answer;
}
/** Decides on the registration of an account that is stored as not registered. */
async function registrationDecision(
  it: Registering,
  made: NewAccount,
  binding: unknown,
): Promise<Decision<{ readonly answer: Answer; readonly removes?: UnsettledAccount | undefined }>> {
  const { mount, config, directory, jwk } = it;
  requireAcmeEnabled(mount, config);
  await selectionOf(config, directory);
  const key = acmeKeys.registration(made.id);
  const [thumb, allowed] = await mount.store.get([acmeKeys.thumb(jwk.thumbprint), key]);
  const owner = await ownerOfKey(mount, jwk.thumbprint, [thumb]);
  const found = existingAccount(it, owner);
  if (found) return { reply: { answer: found } };
  if (!allowed) throw new CaError("busy", "the registration took too long; try again");
  try {
    const bound = await boundAs(it, binding);
    const { batch, removes } = await registrationChange(it, made, { bound, owner });
    const expect = [...batch.expect, [key, allowed.rev] as const];
    return {
      reply: { answer: made.answer, removes },
      batch: { ...batch, expect, del: [...batch.del, key] },
    };
  } catch (error) {
    return { reply: { answer: await existingAfter(it, error) } };
  }
}
/** Returns the response to a request with the key of an existing account, if it is one. */
function existingAccount(
  { mount, config, directory, jwk: { thumbprint } }: Registering,
  { rev, account }: KeyOwner,
): Answer | undefined {
  if (!account) return undefined;
  const { id, row } = account;
  if (row.directory !== directory.prefix)
    throw new CaError("malformed", "account part of different ACME directory path");
  requireActiveAccount(row, config);
  const key = acmeKeys.thumb(thumbprint);
  const read = [[key, rev] as const, [acmeKeys.account(id), account.rev] as const];
  const batch = { expect: rowsBeside(mount.store, key, read) };
  return { ...accountOutput(directory, id, row), account: id, batch };
}
/** Returns the existing account after a failed registration. Rethrows the error if none exists. */
async function existingAfter(it: Registering, error: unknown): Promise<Answer> {
  // if the client sent the request twice, the first request has already created the account
  const owner =
    error instanceof CaError ? await ownerOfKey(it.mount, it.jwk.thumbprint) : undefined;
  const existing = owner && existingAccount(it, owner);
  if (!existing) throw error;
  return existing;
}

/** Returns the binding of a new account, if one was sent or is required (B 5.8). */
async function boundAs(
  { mount, config, directory, jwk: { jwk } }: Registering,
  sent: unknown,
): Promise<Bound | undefined> {
  if (sent !== undefined) {
    const url = directory.url("/new-account");
    return boundBy({ mount, config, jwk, directory: directory.prefix, url }, sent);
  }
  if (config.get(acmeConfig).eab_policy !== "not-required")
    throw new CaError(
      "external_account_required",
      "an external account binding is required to register an account in this mount",
    );
  return undefined;
}
