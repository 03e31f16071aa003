import { issuersById, keysById, type IssuerRow, type KeyRow } from "../rows/records.ts";
import { trimmedForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { readMislabelledKeyBlock, readPrivateKey, type PrivateKey } from "../../keys/read.ts";
import { withNormalForm, secret, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { issuerRows } from "../issuer/new-issuer.ts";
import type { IssuanceContext } from "../request/rule-checker.ts";
import { configureCrls } from "../crl/crl-schedule.ts";
import { sealKey } from "./ca-key.ts";
import { keyOutput, keyReply, checkKeyName, keyRows, keyWithSpki } from "./mount-keys.ts";
import { crlIdsOf, revokedBelow } from "./revoked-issuers.ts";

export const importKey = endpoint({
  id: "importKey",
  audits: { always: true },
  at: ["POST /keys/import"],
  access: "token",
  style: envelope,
  doc: "Imports a private key as a CA key. Issuers that have its public key can then sign.",
  body: {
    pem_bundle: secret.requiredOr("", "The private key, PEM: PKCS#8, PKCS#1 or SEC1."),
    key_name: withNormalForm(text, trimmedForm).optional("Name of the key."),
  },
  reply: keyReply,
  refuses: ["malformed", "bad_key", "already_exists"],
  run: async (mount, input, caller) => {
    if (input.pem_bundle.length < 64)
      throw new CaError(
        "malformed",
        "provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file",
      );
    const key = await readPrivateKey(input.pem_bundle, readMislabelledKeyBlock);
    return configureCrls(mount, caller, (config, caller) =>
      imported({ mount, config, caller }, key, input.key_name),
    );
  },
});

async function imported(
  { mount, config, caller }: Pick<IssuanceContext<unknown>, "mount" | "config" | "caller">,
  key: PrivateKey,
  name: string | undefined,
) {
  const existing = keyWithSpki(config.get(keysById).values(), key.spki);
  if (existing) {
    caller.reply.warn("Key already imported, use key/ endpoint to update name.");
    return { reply: keyOutput(existing), crlIds: [] };
  }
  const row = await importedKey(mount, key, checkKeyName(config, name));
  const linked = linkedIssuers(config, [row]);
  const rows = linked.length ? await issuerRows(mount, config, linked) : [];
  const below = await revokedBelow(mount, config, linked);
  return {
    reply: keyOutput(row),
    crlIds: [...new Set([...linked.map((issuer) => issuer.crl_set), ...crlIdsOf(below)])],
    batch: { put: [...keyRows(config, [row]), ...rows, ...below.put], append: below.append },
  };
}

/** Seals an imported key, and returns its row. */
export const importedKey = async (
  mount: Mount,
  key: PrivateKey,
  name: string,
): Promise<KeyRow> => ({ ...(await sealKey(mount, name, key)), imported: true });

/**
 * Returns the members of an issuer row that state its key. If the key was imported, the issuer
 * counts as imported too (D 4).
 */
export const withKey = (key: KeyRow | undefined): Pick<IssuerRow, "key_id" | "imported"> => ({
  key_id: key?.id ?? "",
  ...(key?.imported ? { imported: true } : {}),
});

/**
 * Returns the issuers that have no key but whose public key matches one of the given keys, linked
 * to that key (A 2.1).
 */
export function linkedIssuers(config: Snapshot, rows: readonly KeyRow[]): readonly IssuerRow[] {
  return [...config.get(issuersById).values()].flatMap((issuer) => {
    const key = issuer.key_id === "" ? keyWithSpki(rows, certificateOf(issuer).spki) : undefined;
    return key ? [{ ...issuer, ...withKey(key) }] : [];
  });
}
