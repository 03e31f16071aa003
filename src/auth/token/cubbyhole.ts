import { asBytes, concat, fromUtf8, utf8 } from "../../base/bytes.ts";
import type { RandomBytes } from "../../base/random-text.ts";
import { CaError } from "../../base/errors.ts";
import { reseal, type ResealResult } from "../../engine/sealing.ts";
import { belowTokens, tokenKeys } from "../rows/tokens.ts";
import type { Decision, StoreContext } from "../../engine/store-context.ts";
import { systemEndpoint, type Caller } from "../../wire/endpoint.ts";
import { list, map } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { hashOf } from "./secret.ts";

/** Maximum number of values per token, and maximum size of a value as JSON in bytes. */
const [maxValues, maxValueBytes] = [1000, 512 * 1024];
/** Maximum length of a value's path, which is part of its row key. */
const maxPathLength = 256;
const nonceLength = 12;

/** The cubbyhole of a token: the location and encryption of its values. */
interface Hole {
  readonly sys: StoreContext;
  /**
   * Hash of the token. For a root token in the deployment's configuration, a prefix and the hash of
   * its identity's ID, which stays the same if the token is changed.
   */
  readonly hash: string;
  /**
   * Key of the token's row. The row must exist when a value is stored. Absent if the token has no
   * row.
   */
  readonly holder?: string;
  seal(plain: Uint8Array, key: string): Promise<Uint8Array>;
  open(sealed: Uint8Array, key: string): Promise<Uint8Array>;
}
async function holeOf(sys: StoreContext, { identity }: Caller): Promise<Hole> {
  const { id, token, policies, derive } = identity;
  if (!token && policies.includes("root")) return rootHole(sys, id);
  if (token?.hash === undefined || !derive)
    throw new CaError(
      "malformed",
      'cubbyhole operations are only supported by "service" type tokens',
    );
  const { hash } = token;
  return {
    sys,
    hash,
    holder: tokenKeys.token(hash),
    ...sealedBy(await derive("cubbyhole"), sys.ports.random),
  };
}
/** Prefix of `hash` for a root token that is set in the deployment's configuration. */
const rootHash = "root-";
/**
 * Returns the cubbyhole of a root token that is set in the deployment's configuration. Such a token
 * may be guessable, so no key is derived from it, and the vault seals the values instead. They
 * remain readable after the token is changed.
 */
async function rootHole(sys: StoreContext, id: string): Promise<Hole> {
  const { vault } = sys.ports;
  return {
    sys,
    hash: `${rootHash}${await hashOf(id)}`,
    seal: (plain, key) => vault.seal(plain, key),
    open: (sealed, key) => vault.unseal(sealed, key),
  };
}
function keyOf({ hash }: Pick<Hole, "hash">, path: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/").replaceAll("~", "%7E");
  if (encoded.length > maxPathLength)
    throw new CaError("malformed", `the path must have at most ${maxPathLength} characters`);
  return tokenKeys.cubbyhole(hash) + encoded;
}
/** Returns AES-GCM parameters with the row key as associated data. */
const gcm = (nonce: Uint8Array, rowKey: string): AesGcmParams => ({
  name: "AES-GCM",
  iv: asBytes(nonce),
  additionalData: utf8(rowKey),
});

/** Returns functions that encrypt and decrypt values with a key that is derived from the token. */
const sealedBy = (key: CryptoKey, random: RandomBytes): Pick<Hole, "seal" | "open"> => ({
  seal: async (plain, rowKey) => {
    const nonce = random(nonceLength);
    const sealed = await crypto.subtle.encrypt(gcm(nonce, rowKey), key, asBytes(plain));
    return concat([nonce, new Uint8Array(sealed)]);
  },
  open: async (sealed, rowKey) => {
    const [nonce, text] = [sealed.subarray(0, nonceLength), asBytes(sealed.subarray(nonceLength))];
    try {
      return new Uint8Array(await crypto.subtle.decrypt(gcm(nonce, rowKey), key, text));
    } catch (cause) {
      if (!(cause instanceof DOMException)) throw cause;
      throw new CaError("damaged", "the stored value cannot be decrypted: it was modified", {
        cause,
      });
    }
  },
});

async function write(hole: Hole, path: string, value: unknown): Promise<void> {
  const { sys, hash, holder } = hole;
  const text = utf8(JSON.stringify(value));
  if (text.length > maxValueBytes)
    throw new CaError(
      "too_large",
      `a cubbyhole value must be at most ${maxValueBytes} bytes long as JSON`,
    );
  const key = keyOf({ hash }, path);
  const sealed = await hole.seal(text, key);
  await sys.change(async () => {
    const below = tokenKeys.cubbyhole(hash);
    const [[token], values] = await Promise.all([
      sys.store.get(holder === undefined ? [] : [holder]),
      sys.store.list(below, { values: false, limit: maxValues }),
    ]);
    // values stored for a revoked or expired token would never be deleted
    if (holder !== undefined && !token) throw new CaError("forbidden", "bad token");
    if (values.length === maxValues && !values.some(([one]) => one === key))
      throw new CaError("malformed", `a cubbyhole must have at most ${maxValues} values`);
    const expect = holder !== undefined && token ? [[holder, token.rev] as const] : [];
    return { reply: undefined, batch: { expect, put: [[key, sealed]] } };
  });
}
async function readValue(hole: Hole, path: string): Promise<unknown> {
  const key = keyOf(hole, path);
  const [row] = await hole.sys.store.get([key]);
  // cubbyhole rows contain bytes
  const sealed = row?.value as Uint8Array | undefined;
  return sealed && JSON.parse(fromUtf8(await hole.open(sealed, key)));
}

/**
 * Reseals the cubbyhole values of the deployment's root tokens with the current sealing key,
 * including values that are written concurrently and may use the previous key.
 */
export async function resealRootHoles(sys: StoreContext): Promise<ResealResult> {
  const unopened: string[] = [];
  let resealed = 0;
  for (const [key] of await sys.store.list(belowTokens.cubbyholes + rootHash, {
    values: false,
  })) {
    const done = await sys.change(() => resealHole(sys, key));
    if (done === false) unopened.push(`sys/${key}`);
    else if (done) resealed += 1;
  }
  return { resealed, unopened };
}
/**
 * Returns the change that reseals a value. The reply of the change is whether the value could be
 * decrypted, or undefined if the value no longer exists.
 */
async function resealHole(
  { store, ports }: StoreContext,
  key: string,
): Promise<Decision<boolean | undefined>> {
  const [row] = await store.get([key]);
  if (!row) return { reply: undefined };
  // cubbyhole rows contain bytes
  const secret = { sealed: row.value as Uint8Array, binding: key };
  const sealed = await reseal(ports.vault, secret);
  if (!sealed) return { reply: false };
  return { reply: true, batch: { expect: [[key, row.rev]], put: [[key, sealed]] } };
}

const at = "/:cubbyhole_path+";
const shared = { access: "token", style: envelope, body: {} } as const;

export const readCubbyhole = systemEndpoint({
  ...shared,
  id: "readCubbyhole",
  at: [`GET ${at}`],
  doc: "Returns a value stored with the caller's token. No other token can read it.",
  reply: {},
  whole: map.required("The value, as written."),
  run: async ({ sys }, { cubbyhole_path }, caller) => {
    const value = await readValue(await holeOf(sys, caller), cubbyhole_path);
    // values are written as objects
    return value as Readonly<Record<string, unknown>> | undefined;
  },
});
export const writeCubbyhole = systemEndpoint({
  ...shared,
  id: "writeCubbyhole",
  audits: { own: true },
  at: [`POST ${at}`],
  doc: "Stores the body until the caller's token expires, encrypted with a key derived from that token.",
  rest: true,
  reply: {},
  refuses: ["malformed", "too_large"],
  run: async ({ sys }, input, caller) => {
    const hole = await holeOf(sys, caller);
    const { rest } = input as { readonly rest?: object }; // undeclared members
    if (!rest || Object.keys(rest).length === 0)
      throw new CaError("malformed", "missing data fields");
    await write(hole, input.cubbyhole_path, rest);
    return undefined;
  },
});
export const deleteCubbyhole = systemEndpoint({
  ...shared,
  id: "deleteCubbyhole",
  audits: { own: true },
  at: [`DELETE ${at}`],
  doc: "Deletes a value stored with the caller's token.",
  reply: {},
  run: async ({ sys }, { cubbyhole_path }, caller) => {
    await sys.commit({ del: [keyOf(await holeOf(sys, caller), cubbyhole_path)] });
    return undefined;
  },
});
export const listCubbyhole = systemEndpoint({
  ...shared,
  id: "listCubbyhole",
  at: ["LIST /", `LIST ${at}`],
  doc: "Lists the names under a path of the caller's cubbyhole; folders end with a slash.",
  reply: { keys: list.required("Names.") },
  run: async ({ sys }, { cubbyhole_path = "" }, caller) => {
    const hole = await holeOf(sys, caller);
    const below =
      cubbyhole_path === "" ? tokenKeys.cubbyhole(hole.hash) : `${keyOf(hole, cubbyhole_path)}/`;
    const rows = await sys.store.list(below, { values: false });
    const names = rows.map(([key]) => /^[^/]+\/?/.exec(key.slice(below.length))?.[0] ?? "");
    const keys = [...new Set(names.map(decodeURIComponent))].sort();
    return keys.length ? { keys } : undefined;
  },
});
