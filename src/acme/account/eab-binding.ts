import { asBytes } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { uuidPattern } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Expect, Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { parseMembers, parseFlattened, type Jws } from "../../jose/flattened.ts";
import { canonicalJwk, readJwk, type Jwk } from "../../jose/jwk.ts";
import { isCurrent, metadataNote } from "../order/binding.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import { acmeMac } from "../protocol/secret.ts";
import { acmeKeys, type AccountRow, storedAcme } from "../rows/records.ts";
import { eabKey } from "./eab-key.ts";
import { freeNumber } from "../protocol/free-number.ts";

/** MAC algorithms of bindings (RFC 8555 section 7.3.4). */
const hashes: Readonly<Record<string, string>> = {
  HS256: "SHA-256",
  HS384: "SHA-384",
  HS512: "SHA-512",
};
function requireMac(alg: unknown): string {
  if (typeof alg === "string" && Object.hasOwn(hashes, alg)) return alg;
  const algorithms = Object.keys(hashes);
  throw new AcmeProblem(
    "bad_signature_algorithm",
    `externalAccountBinding has an unsupported alg: use ${algorithms.join(", ")}`,
    { algorithms },
  );
}
const malformed = (why: string): CaError =>
  new CaError("malformed", `externalAccountBinding ${why}`);

/** The registration of an account with an external account binding. */
interface Registration {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly jwk: Jwk;
  /** Path of the directory, relative to the mount, without `/directory`. */
  readonly directory: string;
  /** The directory's newAccount URL. */
  readonly url: string;
}
/** A verified external account binding. */
export interface Bound {
  readonly eab: NonNullable<AccountRow["eab"]>;
  /** Fields to add to log and audit events. */
  readonly note: Readonly<Record<string, string>>;
  /** Returns the change that uses the binding for an account. */
  use(account: string): Required<Pick<Batch, "expect" | "put" | "del">>;
}

/**
 * Verifies the binding of a registration (RFC 8555 section 7.3.4): its MAC must cover the
 * newAccount URL and the account key, and use an unused key of this directory (security row 24).
 * Throws CaError
 * - `malformed` if the binding is not a JWS of this form,
 * - `bad_signature_algorithm` if `alg` is not an HMAC algorithm,
 * - `acme_unauthorized` if the binding cannot be verified.
 */
export async function boundBy(of: Registration, sent: unknown): Promise<Bound> {
  const binding = flattened(sent);
  const jws = parseFlattened(binding, requireMac);
  const id = idIn(jws, of.url);
  const key = acmeKeys.eab(id);
  const [row, limits] = uuidPattern.test(id)
    ? await of.mount.store.get([key, acmeKeys.binding(id)])
    : [];
  const eab = storedAcme.eab(row?.value);
  // an unknown ID takes as long as a wrong key and causes the same error
  const isOurs = await isSignedWith(
    await eabKey(await acmeMac(of.mount, of.config, "eab"), id),
    jws,
  );
  if (!row || !isOurs || eab.directory !== of.directory) throw unverified();
  if (canonicalJwk(readJwk(parseMembers(jws.payload, "its payload")).jwk) !== canonicalJwk(of.jwk))
    throw malformed("has a payload other than the key that signs the request");
  const bound = { eab: { ...eab, id, binding }, note: {} };
  const expect: Expect = [key, row.rev];
  if (!eab.limited) return { ...bound, use: () => ({ expect: [expect], put: [], del: [key] }) };
  return { ...bound, ...(await limitedUse(of.mount, { id, expect, limits })) };
}
const unverified = (): CaError => new CaError("acme_unauthorized", "failed to verify eab");

/**
 * Returns the change that uses a binding with limits. The last use removes the key. Rejects a
 * binding that was revoked, has expired or is used up, with the same error as an unknown binding.
 */
async function limitedUse(
  mount: Mount,
  {
    id,
    expect,
    limits,
  }: { readonly id: string; readonly expect: Expect; readonly limits: Row | undefined },
): Promise<Pick<Bound, "note" | "use">> {
  const row = limits && storedAcme.binding(limits.value);
  if (!row || !isCurrent(row, Math.floor(mount.ports.now() / 1000))) throw unverified();
  const below = acmeKeys.bindingUses(id);
  const { max_uses: max } = row;
  const keys = (await mount.store.list(below, { values: false })).map(([key]) => key);
  if (keys.length >= max) throw unverified();
  const key = below + freeNumber(mount, below, { keys, max });
  return {
    note: { binding: id, ...metadataNote(row) },
    use: (account) => ({
      expect: [expect, [acmeKeys.binding(id), limits.rev], [key, null]],
      put: [[key, { account }]],
      del: keys.length + 1 < max ? [] : [expect[0]],
    }),
  };
}

/**
 * Maximum length of a part of the JWS in characters. An 8192-bit key takes 1,900, and URLs are
 * rarely longer.
 */
const maxPartLength = 8192;

/** Returns the three strings of a flattened JWS, which are stored with the account. */
function flattened(sent: unknown): Readonly<Record<string, string>> {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent))
    throw malformed("must be a flattened JWS");
  const members: Readonly<Record<string, unknown>> = { ...sent };
  if (Object.hasOwn(members, "signatures") || Object.hasOwn(members, "header"))
    throw malformed("must have one signature, and its whole header in `protected`");
  return Object.fromEntries(
    ["protected", "payload", "signature"].map((name) => {
      const value = members[name];
      if (typeof value !== "string") throw malformed(`must have a string ${name}`);
      if (value.length > maxPartLength) throw malformed(`${name} is too long`);
      return [name, value];
    }),
  );
}

/** Returns the binding ID in the header after checking the other members of the header. */
function idIn({ header }: Jws, url: string): string {
  const { kid, nonce, jwk } = header;
  if (nonce !== undefined) throw malformed("must not have a nonce");
  if (jwk !== undefined || typeof kid !== "string") throw malformed("must have a kid and no jwk");
  if (header["url"] !== url)
    throw new CaError("acme_unauthorized", `the url of externalAccountBinding must be ${url}`);
  return kid;
}

async function isSignedWith(secret: Uint8Array, { alg, data, signature }: Jws): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: hashes[alg] ?? "" };
  const key = await crypto.subtle.importKey("raw", asBytes(secret), algorithm, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, asBytes(signature), asBytes(data));
}
