import { ask, list, mount, request, type Reply } from "./api.ts";
import { issuers } from "./pki.ts";
import { readCertificate } from "./decode.ts";

/** An authority that signs with a key, and what its certificate says of the key: `ECDSA P-256`. */
interface User {
  readonly id: string;
  readonly title: string;
  readonly key: string;
}

/** A CA key as the API tells it; the key itself is in no answer. */
export interface KeyRecord {
  readonly id: string;
  /** Empty when it has none. */
  readonly name: string;
  /** `rsa`, `ec`, `ed25519`. */
  readonly type: string;
  /** SHA-1 of the public key, hexadecimal with colons. */
  readonly print: string;
  readonly isDefault: boolean;
  /** Authorities that sign with it. */
  readonly users: readonly User[];
}

interface Read {
  readonly key_id: string;
  readonly key_name: string;
  readonly key_type: string;
  readonly subject_key_id?: string;
}

const below = (id: string): string => mount(`key/${encodeURIComponent(id)}`);

/** Every key of the mount with the authorities that use it: those with a name first, by name. */
export async function keys(): Promise<readonly KeyRecord[]> {
  const { keys: ids, info } = await list<{ is_default: boolean }>(mount("keys"));
  const [records, all] = await Promise.all([Promise.all(ids.map((id) => ask<Read>("GET", below(id)))), ids.length > 0 ? issuers() : []]);
  const used = await Promise.all(
    all.map(async ({ key_id, issuer_id: id, certificate }) => {
      const { title, key } = await readCertificate(certificate);
      return { of: key_id, user: { id, title, key } };
    }),
  );
  return records
    .map(({ key_id: id, key_name: name, key_type: type, subject_key_id: print = "" }) => {
      const users = used.filter(({ of }) => of === id).map(({ user }) => user);
      return { id, name, type, print, isDefault: info[id]?.is_default === true, users };
    })
    .toSorted((a, b) => Number(a.name === "") - Number(b.name === "") || a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}

/** Makes a key that stays inside. `kind` as `ec 256`. */
export function makeKey(name: string, kind: string): Promise<Reply<Read>> {
  const [type = "ec", bits = "0"] = kind.split(" ");
  return request("POST", mount("keys/generate/internal"), { key_type: type, key_bits: Number(bits), ...(name && { key_name: name }) });
}
/** Takes a private key as PEM. */
export const importKey = (name: string, pem: string): Promise<Reply<Read>> =>
  request("POST", mount("keys/import"), { pem_bundle: pem, ...(name && { key_name: name }) });
/** Names a key; an empty name takes the one it has. */
export const nameKey = (id: string, name: string): Promise<Reply<Read>> => request("POST", below(id), { key_name: name });
/** Makes a key the one that is used unless another is named. */
export const setDefaultKey = (id: string): Promise<Reply<unknown>> => request("POST", mount("config/keys"), { default: id });
/** Deletes a key that no authority uses. */
export const deleteKey = (id: string): Promise<Reply<unknown>> => request("DELETE", below(id));

/** What the API takes as a name of a key or an issuer; empty is no name. */
export const wrongName = (name: string): string => (name === "" || /^\w(?:[\w.-]*\w)?$/.test(name) ? "" : `${name}: letters, digits, and . - _ inside`);

/** What to call a key: its name, else the begin of its id. */
export const keyTitle = ({ name, id }: Pick<KeyRecord, "name" | "id">): string => name || id.slice(0, 8);
