import { CaError, recode } from "../../base/errors.ts";
import { isAtHome } from "../../engine/placement.ts";
import { acmeKeys, type AccountRow } from "../rows/records.ts";
import type { AcmeRequest } from "../protocol/declaration.ts";
import { aimOf } from "../protocol/directory.ts";
import { acmeEndpoint } from "../protocol/endpoint.ts";
import { acmePaths } from "../protocol/paths.ts";
import { hasPersistentRecords } from "../protocol/persistent-records.ts";
import { keyIn, type NewKey } from "../protocol/signed.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import { canonicalJwk, readJwk } from "../../jose/jwk.ts";
import { parseMembers, parseFlattened, type Jws } from "../../jose/flattened.ts";
import { isSignedBy } from "../../jose/signature.ts";
import { accountReply, accountOutput } from "./account-object.ts";
import { keyJobRow, type KeyOwner, ownerOfKey, releaseKey } from "./settle.ts";

export const keyChange = acmeEndpoint({
  id: "acmeKeyChange",
  audits: {},
  at: acmePaths("POST /key-change"),
  doc: "Replaces the key of the account. The payload is a JWS signed with the new key that contains the account URL and the old key (RFC 8555 section 7.3.5).",
  key: "kid",
  payload: "raw",
  reply: accountReply,
  refuses: ["bad_public_key", "conflict", "malformed"],
  run: async (it) => {
    const { mount, directory } = it;
    const { id, rev, ...account } = it.account;
    const { jwk, thumbprint } = await newKeyOf(it);
    const owner = await unownedKey(it, thumbprint);
    const row = { ...account, ...formerKeys(it, thumbprint), jwk, thumbprint };
    const answer = accountOutput(directory, id, row);
    const [key, name] = [acmeKeys.account(id), acmeKeys.thumb(thumbprint)];
    if (!owner || !isAtHome(mount.store, key))
      return { ...answer, after: () => changeElsewhere(it, row) };
    return {
      ...answer,
      batch: {
        expect: [
          [key, rev],
          [name, owner.rev],
        ],
        put: [
          [key, row],
          [name, { account: id }],
        ],
        del: [acmeKeys.thumb(account.thumbprint)],
      },
    };
  },
});
type Changing = AcmeRequest<string, "raw", "kid">;

/**
 * Changes the key of an account in another partition: reserves the new key, changes the account,
 * and releases the old key. The jobs that settle both keys finish this after a crash. Returns
 * "again" if the account or the configuration has changed since the request was verified, also if a
 * concurrent request has given the account the new key.
 */
async function changeElsewhere(it: Changing, row: AccountRow): Promise<"again" | undefined> {
  const { mount, config, account: before } = it;
  const own = acmeKeys.account(before.id);
  const now = mount.ports.now();
  const jobs = [row.thumbprint, before.thumbprint].map((key) => keyJobRow(key, now));
  // requires the epoch of the configuration, so that no rows are stored for a deleted mount
  const isReserved = await mount.self.decide(async () => {
    const key = acmeKeys.thumb(row.thumbprint);
    const owner = await unownedKey(it, row.thumbprint);
    if (!owner) return { reply: false };
    const put = [[key, { account: before.id }] as const, ...jobs];
    return { reply: true, batch: { expect: [[key, owner.rev]], put } };
  });
  if (isReserved) {
    const changed = await mount.storeContext.commit({
      onlyAtEpoch: config.epoch,
      expect: [[own, before.rev]],
      put: [[own, row]],
    });
    const released = changed ? before.thumbprint : row.thumbprint;
    await releaseKey(
      mount,
      released,
      jobs.map(([key]) => key),
    );
    if (changed) return undefined;
  }
  mount.forget();
  return "again";
}

/** Maximum number of earlier keys of an account whose dns-persist-01 records remain valid. */
const maxFormerKeys = 100;
/**
 * Returns the thumbprints of an account's earlier keys, if dns-persist-01 records may refer to
 * them.
 */
function formerKeys(
  { config, account: { thumbprint, former_thumbprints: earlier = [] } }: Changing,
  next: string,
): Pick<AccountRow, "former_thumbprints"> {
  if (!hasPersistentRecords(config)) return {};
  const keys = [thumbprint, ...earlier].filter((one) => one !== next);
  return { former_thumbprints: keys.slice(0, maxFormerKeys) };
}

const malformed = (why: string): CaError => new CaError("malformed", `the inner JWS ${why}`);

/** Returns the new key after verifying that it signed the inner JWS (security row 26). */
async function newKeyOf({ payload, directory, account }: Changing): Promise<NewKey> {
  const inner = parseFlattened(payload);
  requireHeader(inner, directory.url("/key-change"));
  const key = await keyIn(inner);
  if (!(await isSignedBy(key.key, inner))) throw malformed("was not signed with its jwk");
  const change = parseMembers(inner.payload, "the payload of the inner JWS");
  if (change["account"] !== directory.url(`/account/${account.id}`))
    throw malformed("is for a different account than the outer JWS");
  const old = oldKeyIn(change["oldKey"]);
  if (old !== canonicalJwk(account.jwk))
    throw malformed("has an oldKey that is not the account's key");
  return key;
}
function requireHeader({ header }: Jws, url: string): void {
  if (Object.hasOwn(header, "kid") || !Object.hasOwn(header, "jwk"))
    throw malformed("must have a jwk and no kid");
  if (Object.hasOwn(header, "nonce")) throw malformed("must not have a nonce");
  if (header["url"] !== url) throw malformed("must have the same url as the outer JWS");
}
const oldKeyIn = (sent: unknown): string =>
  recode(
    "malformed",
    () => canonicalJwk(readJwk(sent).jwk),
    "the inner JWS has an invalid oldKey: ",
  );

/**
 * Returns the row of a key without an account. Returns undefined if a concurrent request has given
 * the account this key since the request was verified. Rejects a key that has an account; the
 * response has the account's URL (RFC 8555 section 7.3.5).
 */
async function unownedKey(
  { mount, config, account }: Changing,
  thumbprint: string,
): Promise<KeyOwner | undefined> {
  const owner = await ownerOfKey(mount, thumbprint);
  if (!owner.account) return owner;
  const { id, row } = owner.account;
  if (id === account.id && account.thumbprint !== thumbprint) return undefined;
  const there = aimOf(config, `/${row.directory}/account/${id}`);
  const headers = { location: there.directory.url(there.suffix) };
  throw new AcmeProblem("conflict", "the new key already has an account", { headers });
}
