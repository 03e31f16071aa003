import type { KeyReply, ListKeysReply, ReadKeyReply } from "../../../src/client/pki.ts";
import { call, listing, readData } from "../../api/call.ts";
import * as pki from "../../api/endpoints/pki.ts";
import { distinctNames } from "../../lib/distinct-names.ts";
import { issuers } from "../../api/issuers.ts";
import type { Reply } from "../../api/transport.ts";
import { readCertificate } from "../../lib/x509/decode.ts";
import { fieldsOfKind } from "../../lib/key-types.ts";
import { keyTypeText } from "../../lib/key-label.ts";
import { visible } from "../../lib/visible-text.ts";

/** A CA that uses a key, with the type of the key in its certificate, such as `ECDSA P-256`. */
interface User {
  readonly id: string;
  readonly title: string;
  readonly key: string;
}

/** A CA key. The API never returns the private key. */
export interface KeyRecord {
  readonly id: string;
  /** Name of the key; empty if it has none. */
  readonly name: string;
  /** Type of the key, such as `rsa`, `ec` or `ed25519`. */
  readonly type: string;
  /** SHA-1 of the public key in hexadecimal with colons. */
  readonly print: string;
  readonly isDefault: boolean;
  /** Name of the managed key; empty for a key stored in the mount. */
  readonly managed: string;
  /** The CAs that use the key. */
  readonly users: readonly User[];
}

type ListedKey = ListKeysReply["key_info"][string];

const sortName = ({ name, users }: KeyRecord): string => name || (users[0]?.title ?? "");

/** Returns a listed key. Older servers require a request for it. */
async function recordOf(id: string, listed: ListedKey | undefined): Promise<ReadKeyReply> {
  const { key_type: type, subject_key_id: print } = listed ?? {};
  return listed && type !== undefined && print !== undefined
    ? { ...listed, key_id: id, key_type: type, subject_key_id: print }
    : readData(pki.readKey, { key_ref: id });
}

/**
 * Returns all keys of the mount with the CAs that use them. Named keys come first, sorted by name;
 * the others are sorted by their CAs.
 */
export async function keys(): Promise<readonly KeyRecord[]> {
  const { keys: ids, info } = await listing(pki.listKeys, { detailed: true });
  const [records, all] = await Promise.all([
    Promise.all(ids.map((id) => recordOf(id, info[id]))),
    ids.length > 0 ? issuers() : [],
  ]);
  const used = await Promise.all(
    all.map(async ({ key_id, issuer_id: id, issuer_name: name, certificate }) => {
      const { title, key } = await readCertificate(certificate);
      return { of: key_id, name, id, title, key };
    }),
  );
  const titles = distinctNames(used.map(({ id, name, title }) => [id, name, title]));
  return records
    .map(({ key_id: id, key_name: name, key_type: type, ...rest }) => {
      const { subject_key_id: print, managed_key_name: managed = "" } = rest;
      const users = used
        .filter(({ of }) => of === id)
        .map(({ id: user, title, key }) => ({ id: user, title: titles.get(user) ?? title, key }));
      return { id, name, type, print, managed, isDefault: info[id]?.is_default === true, users };
    })
    .toSorted(
      (a, b) =>
        Number(a.name === "") - Number(b.name === "") ||
        sortName(a).localeCompare(sortName(b)) ||
        a.id.localeCompare(b.id),
    );
}

/** Generates a key of the given type, such as `ec 256`, or adds a managed key. */
export function makeKey(name: string, kind: string): Promise<Reply<KeyReply>> {
  const key = fieldsOfKind(kind);
  const key_name = name || undefined;
  return "managed_key_name" in key
    ? call(pki.generateManagedCaKey, { ...key, key_name })
    : call(pki.generateCaKey, { ...key, key_name });
}
/** Imports a private key in PEM. */
export const importKey = (name: string, pem: string): Promise<Reply<KeyReply>> =>
  call(pki.importKey, { pem_bundle: pem, key_name: name || undefined });
/** Sets the name of a key. An empty name removes the current name. */
export const nameKey = (id: string, name: string): Promise<Reply<KeyReply>> =>
  call(pki.writeKey, { key_ref: id, key_name: name });
/** Makes a key the default key. */
export const setDefaultKey = (id: string): Promise<Reply<unknown>> =>
  call(pki.writeKeysConfig, { default: id });
/** Deletes a key that no issuer uses. */
export const deleteKey = (id: string): Promise<Reply<unknown>> =>
  call(pki.deleteKey, { key_ref: id });

/**
 * Describes the type of a key. Includes the size only if a certificate contains the key, because
 * the API does not return the size.
 */
export const kindOf = ({ type, users }: KeyRecord): string =>
  users[0]?.key ?? keyTypeText(type) ?? visible(type);

/**
 * Returns the text that follows "key" in a title: the name of the key, its CA, or the beginning of
 * its ID.
 */
export const keyTitle = ({ name, id, users: [user] }: KeyRecord): string =>
  name || (user ? `of ${user.title}` : id.slice(0, 8));
