import { CaError, recode } from "../../base/errors.ts";
import { acmeKeys, type AccountRow, storedAcme } from "../rows/records.ts";
import type { Row } from "../../engine/ports.ts";
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
    const { ca, directory } = it;
    const { id, rev, ...account } = it.account;
    const { jwk, thumbprint } = await newKeyOf(it);
    const name = acmeKeys.thumb(thumbprint);
    const [thumbRow] = await ca.store.get([name]);
    const owner = storedAcme.thumb(thumbRow?.value).account;
    const [other] = thumbRow ? await ca.store.get([acmeKeys.account(owner)]) : [];
    requireUnusedKey(it, owner, other);
    const row = { ...account, ...formerKeys(it, thumbprint), jwk, thumbprint };
    const key = acmeKeys.account(id);
    return {
      ...accountOutput(directory, id, row),
      batch: {
        expect: [
          [key, rev],
          [name, thumbRow?.rev ?? null],
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
 * Rejects a key that already has an account. The response contains the account's URL (RFC 8555
 * section 7.3.5).
 */
function requireUnusedKey({ config }: Changing, id: string, row: Row | undefined): void {
  // the key of a deleted account may be reused
  if (!row) return;
  const { directory } = storedAcme.account(row.value);
  const there = aimOf(config, `/${directory}/account/${id}`);
  const headers = { location: there.directory.url(there.suffix) };
  throw new AcmeProblem("conflict", "the new key already has an account", { headers });
}
