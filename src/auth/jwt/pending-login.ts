import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { siteNetwork } from "../../base/network.ts";
import type { Job } from "../../engine/deployment.ts";
import { expiredRowsJob, expiredRowsJobRow } from "../rows/expired-rows.ts";
import { expectMethod, type Method } from "../rows/methods.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { hashedName } from "../rows/logins.ts";
import { jwt } from "../types/jwt.ts";

/** A browser login that waits for the provider's response. Times are in Unix seconds. */
interface PendingRow {
  /** SHA-256 of the state. The state itself is not stored. */
  readonly state: string;
  readonly role: string;
  /** The client's redirect URI, and the redirect URI that was sent to the provider. */
  readonly redirect_uri: string;
  readonly provider_redirect_uri: string;
  readonly nonce: string;
  /** SHA-256 of the client's `client_nonce`; empty if the client sent none. */
  readonly client_nonce: string;
  /** The PKCE code verifier. */
  readonly sealed_verifier: Uint8Array;
  /** The authorization code, if the provider posted it to this server. */
  readonly sealed_code?: Uint8Array;
  /**
   * SHA-256 of the ticket that the client redeems in place of a code from a `form_post` response.
   */
  readonly ticket?: string;
  readonly created: number;
  readonly expires: number;
}
const storedPending = rowReader<PendingRow>({
  state: "",
  role: "",
  redirect_uri: "",
  provider_redirect_uri: "",
  nonce: "",
  client_nonce: "",
  sealed_verifier: new Uint8Array(),
  created: 0,
  expires: 0,
});

/** Time in seconds within which a user must log in at the provider. */
const lifetime = 600;
/**
 * Maximum number of pending logins in a bucket. Each client network maps to one of 256 buckets, so
 * a method has at most 16,384 rows of 600 bytes (10 MB), however many logins anonymous callers
 * begin. In a full bucket, a new login replaces the oldest login.
 */
const slots = 64;
/** Length of a state in bytes: one byte for the bucket, one for the slot, and a secret part. */
const stateLength = 2 + 32;
/** Name of the index on the expiry of pending logins (Unix seconds). */
const pendingEnds = "oidc_login_end";

const prefixOf = (method: Method): string => method.key(jwt.rows.pending);
const twoDigits = (byte: number): string => byte.toString(16).padStart(2, "0");
const bindingOf = (state: string, member: string): string => `oidc-login/${state}/${member}`;

/** The values of a new pending login. */
interface NewPendingLogin extends Pick<
  PendingRow,
  "role" | "redirect_uri" | "provider_redirect_uri"
> {
  readonly clientNonce: string;
  readonly address: string | undefined;
}
/** The secrets of a pending login from which its authorization request is built. */
interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Stores a new pending login, and returns its secrets. */
export async function addPendingLogin(
  method: Method,
  { clientNonce, address = "", ...login }: NewPendingLogin,
): Promise<LoginSecrets> {
  const { sys } = method;
  const { random, now, vault } = sys.ports;
  const [nonce, verifier] = [toBase64Url(random(32)), toBase64Url(random(32))];
  const secret = random(32);
  const network = await crypto.subtle.digest("SHA-256", utf8(siteNetwork(address)));
  const [bucket = 0] = new Uint8Array(network);
  return await sys.change(
    async () => {
      const created = Math.floor(now() / 1000);
      const { slot, key, rev } = await freeSlot(method, bucket, created);
      const state = toBase64Url(Uint8Array.of(bucket, slot, ...secret));
      const hash = await hashedName(state);
      const row: PendingRow = {
        ...login,
        state: hash,
        nonce,
        client_nonce: clientNonce === "" ? "" : await hashedName(clientNonce),
        sealed_verifier: await vault.seal(utf8(verifier), bindingOf(hash, "verifier")),
        created,
        expires: created + lifetime,
      };
      return {
        reply: { state, nonce, verifier },
        batch: {
          expect: [await expectMethod(method), [key, rev]],
          put: [
            [key, row, { [pendingEnds]: row.expires }],
            expiredRowsJobRow(expiringLogins, row.expires, now()),
          ],
        },
      };
    },
    { what: "the list of pending logins" },
  );
}

/**
 * Returns a random empty slot of a bucket, so that concurrent callers rarely collide, or the slot
 * of the oldest login if the bucket is full.
 */
async function freeSlot(method: Method, bucket: number, now: number) {
  const prefix = `${prefixOf(method)}${twoDigits(bucket)}/`;
  const rows = new Map(await method.sys.store.list(prefix));
  const [first = 0] = method.sys.ports.random(1);
  const all = Array.from({ length: slots }, (_, step) => {
    const slot = (first + step) % slots;
    const key = `${prefix}${twoDigits(slot)}`;
    const row = rows.get(key);
    const login = row && storedPending(row.value);
    const age = login && login.expires > now ? login.created : -Infinity;
    return { slot, key, rev: row?.rev ?? null, age };
  });
  return all.reduce((oldest, one) => (one.age < oldest.age ? one : oldest));
}

/** A pending login with the key and the revision of its row. */
interface StoredPendingLogin {
  readonly key: string;
  readonly rev: number;
  readonly row: PendingRow;
}
const missingState = (): CaError =>
  new CaError("malformed", "expired or missing OAuth state: begin the login again");
/** Finds a pending login by its state. Throws `malformed` if there is none. */
async function pendingLogin(method: Method, state: string): Promise<StoredPendingLogin> {
  const bytes = fromBase64Url(state);
  const [bucket = 0, slot = 0] = bytes ?? [];
  if (bytes?.length !== stateLength) throw missingState();
  const key = `${prefixOf(method)}${twoDigits(bucket)}/${twoDigits(slot)}`;
  const [stored] = await method.sys.store.get([key]);
  const row = stored && storedPending(stored.value);
  if (!stored || row?.state !== (await hashedName(state))) throw missingState();
  if (row.expires * 1000 <= method.sys.ports.now()) throw missingState();
  return { key, rev: stored.rev, row };
}

/** A login that the client is about to finish. */
interface FinishedLogin extends Pick<
  PendingRow,
  "role" | "redirect_uri" | "provider_redirect_uri" | "nonce"
> {
  readonly verifier: string;
  /** The provider's authorization code; empty if there is none. */
  readonly code: string;
}
/**
 * Deletes a pending login and returns it. The state cannot be used again, even if a later check
 * fails. `code` is the provider's code, or the ticket for a code from a `form_post` response.
 * Throws `malformed` if no pending login has the state, or if another client began the login.
 */
export async function consumePendingLogin(
  method: Method,
  { state, code, clientNonce }: Record<"state" | "code" | "clientNonce", string>,
): Promise<FinishedLogin> {
  const { key, rev, row } = await pendingLogin(method, state);
  const { vault } = method.sys.ports;
  // commits without the call's audit event, which belongs to the commit of the login itself
  if (!(await method.sys.self.commit({ expect: [[key, rev]], del: [key] }))) throw missingState();
  if (row.client_nonce !== "" && row.client_nonce !== (await hashedName(clientNonce)))
    throw new CaError("malformed", "invalid client_nonce: another client began this login");
  const { state: hash, sealed_verifier, sealed_code, ticket } = row;
  // the user whose browser posted the code may not be the one who began the login
  if (sealed_code && ticket !== (await hashedName(code)))
    throw new CaError(
      "malformed",
      "invalid code: send the code from the redirect that follows the provider's form_post response",
    );
  const opened = async (sealed: Uint8Array, member: string) =>
    fromUtf8(await vault.unseal(sealed, bindingOf(hash, member)));
  return {
    ...row,
    verifier: await opened(sealed_verifier, "verifier"),
    code: sealed_code ? await opened(sealed_code, "code") : code,
  };
}

/** The redirect that follows a `form_post` response. */
interface PostedLogin {
  readonly redirect_uri: string;
  /**
   * The value of `code` in the redirect. Only the browser that posted the code receives the ticket.
   */
  readonly ticket: string;
}
/**
 * Stores the code that the provider posted for a pending login. Throws `malformed` if no pending
 * login has the state, if the login already has a code, or if its authorization request did not use
 * this server's redirect URI.
 */
export async function storePostedCode(
  method: Method,
  state: string,
  code: string,
): Promise<PostedLogin> {
  const { key, rev, row } = await pendingLogin(method, state);
  // if the URIs are equal, the provider should have redirected to the client
  if (row.sealed_code || row.redirect_uri === row.provider_redirect_uri) throw missingState();
  const { vault, random } = method.sys.ports;
  const ticket = toBase64Url(random(32));
  const sealed_code = await vault.seal(utf8(code), bindingOf(row.state, "code"));
  const posted: PendingRow = { ...row, sealed_code, ticket: await hashedName(ticket) };
  const put = [[key, posted, { [pendingEnds]: row.expires }]] as const;
  if (!(await method.sys.self.commit({ expect: [[key, rev]], put }))) throw missingState();
  return { redirect_uri: row.redirect_uri, ticket };
}

const expiringLogins = {
  kind: "oidc-login-end",
  id: "logins",
  index: pendingEnds,
  expiresOf: (value: unknown) => storedPending(value).expires,
} as const;
/** The job that deletes the expired pending logins of all methods. */
export const pendingLoginEnd: Job = expiredRowsJob(expiringLogins);
