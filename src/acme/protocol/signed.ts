import { acmeConfig } from "../rows/config.ts";
import { CaError, malformed } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Identity, Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Jws } from "../../jose/flattened.ts";
import { type ClientKey, keyOfJwk, readJwk, thumbprintOf } from "../../jose/jwk.ts";
import { isSignedBy } from "../../jose/signature.ts";
import type { AuditShare } from "../../wire/audits.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { PublicKey } from "../../x509/public-key.ts";
import { acmeKeys, type AccountRow, storedAcme } from "../rows/records.ts";
import type { DirectoryRequest, Directory } from "./directory.ts";
import {
  type Account,
  cachedAccount,
  cachedRows,
  cacheAccount,
  cacheRows,
} from "./account-cache.ts";
import { badNonce, nonceTime } from "./nonce.ts";

/**
 * The key that signs a request: an account's key (`kid`), a key in the header (`jwk`), or either.
 */
export type KeyUse = "kid" | "jwk" | "either";
export type { Account } from "./account-cache.ts";
/** A key in the header of a request. */
export interface NewKey extends ClientKey {
  readonly thumbprint: string;
}
/** A request with a verified signature and a valid nonce. */
export interface VerifiedRequest {
  /** The account of the signer; present with `kid`. */
  readonly account?: Account;
  /** The key in the header; present with `jwk`. */
  readonly jwk?: NewKey;
  readonly nonce: { readonly text: string; readonly createdAt: number };
  /** Keys of additional rows that the endpoint reads. */
  readonly keys: readonly string[];
  /** The rows of `keys`. Absent if the change that spends the nonce reads them. */
  readonly rows?: readonly (Row | undefined)[];
  /** True if the account is cached. */
  readonly usesCachedAccount: boolean;
  /** True if the rows are cached. */
  readonly usesCachedRows: boolean;
}
/** The input for the verification of a request. */
export interface VerificationContext {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly jws: Jws;
  readonly aim: DirectoryRequest;
  readonly use: KeyUse;
  /** Returns the keys of additional rows to read, given the thumbprint of the key in the header. */
  reads(thumbprint: string | undefined): readonly string[];
  /** Earlier results of the signature check, by key thumbprint. */
  readonly signatureChecks: Map<string, boolean>;
  /** True if an earlier run of the handler has spent the nonce. */
  readonly isSpent: boolean;
  /** True if a cached account may be used. */
  readonly mayUseCache: boolean;
}

const accountId = /^[\w-]{1,64}$/;

/**
 * Requires exactly one of `kid` and `jwk`: the one that the endpoint expects (RFC 8555 section
 * 6.2).
 */
function requireKeyUse({ jws: { header }, use }: VerificationContext): "kid" | "jwk" {
  const [kid, jwk] = [Object.hasOwn(header, "kid"), Object.hasOwn(header, "jwk")];
  if (kid === jwk) throw malformed("send exactly one of kid and jwk in the protected header");
  const sent = kid ? "kid" : "jwk";
  if (use !== "either" && use !== sent)
    throw malformed(`send ${use} in the protected header, not ${sent}`);
  return sent;
}
/** Returns the account ID, the last segment of the URL in `kid`. */
function idIn(kid: unknown): string {
  if (typeof kid !== "string") throw malformed("kid must be the URL of the account");
  const id = kid.slice(kid.lastIndexOf("/") + 1);
  if (!accountId.test(id)) throw noAccount();
  return id;
}
const noAccount = (): CaError =>
  new CaError("account_does_not_exist", "there is no account with this kid");
/**
 * Rejects a `kid` that is not the full URL of an account in the directory (RFC 8555 section 6.2). A
 * URL outside the mount, such as one from before the mount was moved, is not an account URL;
 * newAccount returns the current URL.
 */
function requireWholeUrl(kid: unknown, id: string, { prefix, url }: Directory): void {
  const own = url(`/account/${id}`);
  if (kid === own) return;
  const mountUrl = own.slice(0, -`${prefix}/account/${id}`.length);
  throw String(kid).startsWith(mountUrl)
    ? malformed(`kid must be the URL of an account of this directory: ${own}`)
    : noAccount();
}

function requireUrl({ jws: { header }, aim: { directory, suffix } }: VerificationContext): void {
  const expected = directory.url(suffix);
  const { url } = header;
  if (typeof url !== "string") throw malformed("the protected header has no url");
  if (url !== expected)
    throw new CaError(
      "acme_unauthorized",
      `invalid value for 'url' in 'protected': got '${url.slice(0, 256)}' expected '${expected}'`,
    );
}

/** Verifies the signature once for all attempts, because the signed content does not change. */
async function requireSignature(
  { jws, signatureChecks }: VerificationContext,
  key: PublicKey,
  thumbprint: string,
) {
  const isGood = signatureChecks.get(thumbprint) ?? (await isSignedBy(key, jws));
  signatureChecks.set(thumbprint, isGood);
  if (!isGood) throw malformed("the signature of the JWS is invalid");
}

/** Returns the account of a request. Rejects an account of another directory (B 5.5). */
function accountOf(
  row: Row | undefined,
  { id, directory }: { readonly id: string; readonly directory: Directory },
): Account {
  if (!row) throw noAccount();
  const account = { ...storedAcme.account(row.value), id, rev: row.rev };
  if (account.registering) throw noAccount();
  if (account.directory !== directory.prefix)
    throw malformed("the account belongs to another ACME directory");
  return account;
}
/** Rejects an account that is no longer valid (security rows 25 and 28). */
export function requireActiveAccount(
  { status, eab }: Pick<AccountRow, "status" | "eab">,
  config: Snapshot,
): void {
  if (status !== "valid") throw new CaError("acme_unauthorized", `the account is ${status}`);
  if (config.get(acmeConfig).eab_policy === "always-required" && !eab)
    throw new CaError(
      "external_account_required",
      "the account has no external account binding, but one is now required",
    );
}

/**
 * Verifies a request with a cached account. Returns undefined if the stored account must be read. A
 * request without a payload only spends its nonce, in the same call that reads its rows.
 */
async function verifyWithCachedAccount(
  context: VerificationContext,
  account: Account,
): Promise<Omit<VerifiedRequest, "nonce"> | undefined> {
  const { mount, config, jws, aim } = context;
  if (account.directory !== aim.directory.prefix) return undefined;
  try {
    requireUrl(context);
    await requireSignature(context, keyOfJwk(account.jwk), account.thumbprint);
    requireActiveAccount(account, config);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
  const keys = context.reads(undefined);
  const verified = { account, keys, usesCachedAccount: true };
  if (jws.payload.length === 0) return { ...verified, usesCachedRows: false };
  const rows = cachedRows(config, keys);
  return rows
    ? { ...verified, rows, usesCachedRows: true }
    : { ...verified, rows: await mount.store.get(keys), usesCachedRows: false };
}

/**
 * Verifies header, nonce, key, URL and signature of a request (B 5.5). Throws CaError; the nonce is
 * spent later, by the batch of the request (D 5).
 */
export async function verifyRequest(context: VerificationContext): Promise<VerifiedRequest> {
  const { mount, config, jws, aim } = context;
  const { directory } = aim;
  const use = requireKeyUse(context);
  const id = use === "kid" ? idIn(jws.header["kid"]) : undefined;
  const { nonce } = jws.header;
  // checked first, because verifying a signature with a long key takes milliseconds
  const createdAt = context.isSpent
    ? 0
    : await nonceTime(mount, config, { directory: directory.prefix, nonce });
  const text = String(nonce);
  if (id !== undefined) requireWholeUrl(jws.header["kid"], id, directory);
  const cached = id !== undefined && context.mayUseCache ? cachedAccount(config, id) : undefined;
  const verified = cached && (await verifyWithCachedAccount(context, cached));
  if (verified) return { ...verified, nonce: { text, createdAt } };
  const sent = use === "jwk" ? await keyIn(jws) : undefined;
  const keys = context.reads(sent?.thumbprint);
  const [spent, row, ...rows] = await mount.store.get([
    acmeKeys.nonce(text),
    // without an account, reads a key that has no row
    id === undefined ? acmeKeys.nonce("") : acmeKeys.account(id),
    ...keys,
  ]);
  const account = id === undefined ? undefined : accountOf(row, { id, directory });
  if (spent && !context.isSpent) throw badNonce("the nonce was already used");
  requireUrl(context);
  if (account) await requireSignature(context, keyOfJwk(account.jwk), account.thumbprint);
  else if (sent) await requireSignature(context, sent.key, sent.thumbprint);
  if (account) {
    requireActiveAccount(account, config);
    cacheAccount(config, account);
    cacheRows(config, keys, rows);
  }
  return {
    ...(account ? { account } : {}),
    ...(sent ? { jwk: sent } : {}),
    nonce: { text, createdAt },
    keys,
    rows,
    usesCachedAccount: false,
    usesCachedRows: false,
  };
}
/**
 * Returns the key in the header of a JWS and checks that it permits `alg`. Throws CaError
 * `bad_public_key` if the key is not valid, and `bad_signature_algorithm` if it does not permit
 * `alg`.
 */
export async function keyIn({ header, alg }: Jws): Promise<NewKey> {
  const sent = readJwk(header["jwk"]);
  // the key itself may restrict its use (RFC 7517 section 4.4)
  const own = Object.entries(header["jwk"] ?? {}).find(([name]) => name === "alg")?.[1];
  if (own !== undefined && own !== alg)
    throw new CaError("bad_signature_algorithm", "the key's alg differs from the header's");
  return { ...sent, thumbprint: await thumbprintOf(sent.jwk) };
}

/** Returns the identity that log and audit events show for the signer of a request. */
export const signerOf = (id: string): Identity => ({ id, can: () => false });

/**
 * Returns the audit quota of an account's events. Accounts whose bindings were created by the same
 * caller also share a quota. Anyone can create accounts without a binding, so the events of such an
 * account count towards the quota of the network that registered it.
 */
export const shareOf = (id: string, { eab, network = "" }: AccountRow): AuditShare =>
  eab
    ? { log: "acme", name: `account ${id}`, owner: eab.owner }
    : { log: "public", name: `network ${network}` };

/** Sets the account as the caller in log and audit events. */
export function nameAccount(caller: Caller, id: string, row: AccountRow): void {
  caller.audit.note({ account: id });
  caller.audit.setIdentity(signerOf(`acme account ${id}`), shareOf(id, row));
}
