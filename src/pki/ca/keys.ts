import { keyTypeDoc } from "../../algorithms/table.ts";
import { CaError } from "../../base/errors.ts";
import { colonHex } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import { readMislabelledKeyBlock, readPrivateKey, traditionalPem } from "../../keys/read.ts";
import { resealedKey } from "../../engine/key-row.ts";
import { keys, type KeyRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { keyIdentifier } from "../../x509/spki.ts";
import { flag, list, records, secret, text } from "../../wire/field.ts";
import { endpoint, type Input } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { newKey, sealKey } from "./ca-key.ts";
import { checkKeyName, findKey, keyRows, keyWithSpki, missingKey } from "./mount-keys.ts";
import { keyFields } from "../request/fields.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { revokedBelow } from "./issuer-revoke.ts";
import { issuerRows } from "../issuer/new-issuer.ts";
import { pageFields, pageOf } from "../request/paging.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";

export const listKeys = endpoint({
  id: "listKeys",
  at: ["LIST /keys"],
  access: "token",
  style: envelope,
  doc: "Lists the CA keys of the mount.",
  body: pageFields,
  reply: {
    keys: list.required("Ids, sorted."),
    key_info: records({
      key_name: text.required("Its name, or empty."),
      is_default: flag.required("Whether it is the default key."),
    }).required("What is known of each."),
  },
  refuses: ["not_found"],
  run: async (ca, input) => {
    const config = await ca.config();
    const rows = pageOf([...config.keys.keys()].toSorted(), input).flatMap(
      (id) => config.keys.get(id) ?? [],
    );
    const info = (row: KeyRow) => ({
      key_name: row.name,
      is_default: row.id === config.keysConfig.default,
    });
    return {
      keys: rows.map((row) => row.id),
      key_info: Object.fromEntries(rows.map((row) => [row.id, info(row)])),
    };
  },
});

const keyReply = {
  key_id: text.required("Its id."),
  key_name: text.required("Its name, or empty."),
  key_type: text.required(`${keyTypeDoc}.`),
} as const;
const keyOutput = (row: KeyRow) => ({
  key_id: row.id as string,
  key_name: row.name,
  key_type: row.type as string,
});

const generated = {
  access: "token",
  style: envelope,
  body: keyFields,
  refuses: ["invalid_field", "malformed", "already_exists"],
} as const;
type KeyInput = Input<typeof keyFields, "POST /keys/generate/internal">;
/** `shown`: what the caller gets of a key that is about to be stored. */
async function generate<T>(
  ca: Mount,
  input: KeyInput,
  shown: (reply: ReturnType<typeof keyOutput>, pkcs8: Uint8Array) => Promise<T>,
): Promise<T> {
  let key: Awaited<ReturnType<typeof newKey>> | undefined;
  return ca.configure(
    async (config) => {
      const name = checkKeyName(config, input.key_name);
      try {
        const { key_type: type, key_bits: bits } = input;
        key ??= await newKey(ca, config.mount.uuid, { name, type, bits });
      } catch (error) {
        if (error instanceof CaError && error.code === "invalid_field")
          throw new CaError(
            "invalid_field",
            `Validation for key_type, key_bits failed: ${error.message}`,
          );
        throw error;
      }
      return {
        reply: await shown(keyOutput(key.row), key.pkcs8),
        batch: { put: keyRows(config, [key.row]) },
      };
    },
    { exact: true },
  );
}

export const generateCaKey = endpoint({
  ...generated,
  id: "generateCaKey",
  at: ["POST /keys/generate/internal"],
  doc: "Makes a CA key, which stays inside.",
  reply: keyReply,
  run: (ca, input) => generate(ca, input, async (reply) => reply),
});

export const generateExportedCaKey = endpoint({
  ...generated,
  id: "generateExportedCaKey",
  at: ["POST /keys/generate/exported"],
  doc: "Makes a CA key and returns it this once.",
  reply: { ...keyReply, private_key: secret.required("The private key, PEM.") },
  run: (ca, input, caller) =>
    generate(ca, input, async (key, pkcs8) => {
      const reply = { ...key, private_key: traditionalPem(pkcs8) };
      await caller.keep?.(reply);
      return reply;
    }),
});

export const importKey = endpoint({
  id: "importKey",
  at: ["POST /keys/import"],
  access: "token",
  style: envelope,
  doc: "Takes a private key as a CA key. Issuers with its public key can sign from then on.",
  body: {
    pem_bundle: secret.needed("", "The private key, PEM: PKCS#8, PKCS#1 or SEC1."),
    key_name: text.optional("Name of the key."),
  },
  reply: keyReply,
  refuses: ["malformed", "bad_key", "already_exists"],
  run: async (ca, input, caller) => {
    if (input.pem_bundle.length < 64)
      throw new CaError(
        "malformed",
        "provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file",
      );
    const key = await readPrivateKey(input.pem_bundle, readMislabelledKeyBlock);
    const { reply, sets } = await ca.configure(
      async (config) => {
        const held = keyWithSpki(config.keys.values(), key.spki);
        if (held) {
          caller.warn("Key already imported, use key/ endpoint to update name.");
          return { reply: { reply: keyOutput(held), sets: [] } };
        }
        const row = await sealKey(ca, config.mount.uuid, checkKeyName(config, input.key_name), key);
        const linked = linkedIssuers(config, [row]);
        const rows = linked.length ? await issuerRows(ca, config, linked) : [];
        const below = await revokedBelow(ca, config, linked);
        const batch = {
          put: [...keyRows(config, [row]), ...rows, ...below.put],
          append: below.append,
        };
        return {
          reply: { reply: keyOutput(row), sets: linked.map((issuer) => issuer.crl_set) },
          batch,
        };
      },
      { exact: true },
    );
    await rebuildNow(ca, caller, [...new Set(sets)]);
    return reply;
  },
});

/** Issuers without a key whose public key one of these keys holds, with that key (A 2.1). */
export function linkedIssuers(config: Snapshot, rows: readonly KeyRow[]) {
  return [...config.issuers.values()].flatMap((issuer) => {
    const key = issuer.key_id === "" ? keyWithSpki(rows, certificateOf(issuer).spki) : undefined;
    return key ? [{ ...issuer, key_id: key.id }] : [];
  });
}

export const readKey = endpoint({
  id: "readKey",
  at: ["GET /key/:key_ref"],
  access: "token",
  style: envelope,
  doc: "Reads what is known of a CA key, never the key.",
  body: {},
  reply: {
    ...keyReply,
    subject_key_id: text.required("SHA-1 of its public key, hexadecimal with colons."),
  },
  refuses: ["unknown_key"],
  run: async (ca, input) => {
    const config = await ca.config();
    const row = findKey(config, input.key_ref);
    if (!row) throw new CaError("unknown_key", missingKey(config, input.key_ref));
    return { ...keyOutput(row), subject_key_id: colonHex(await keyIdentifier(row.spki)) };
  },
});

export const writeKey = endpoint({
  id: "writeKey",
  at: ["POST /key/:key_ref"],
  access: "token",
  style: envelope,
  doc: "Names a CA key. Without a name it loses the one it has.",
  body: { key_name: text.default("", "The new name.") },
  reply: keyReply,
  refuses: ["unknown_key", "malformed", "already_exists"],
  run: (ca, input, caller) =>
    ca.configure(
      async (config) => {
        const row = findKey(config, input.key_ref);
        if (!row) throw new CaError("unknown_key", missingKey(config, input.key_ref));
        const name = input.key_name.trim();
        if (name !== "" && !/^\w(?:[\w.-]*\w)?$/.test(name))
          throw new CaError("malformed", "new key name outside of valid character limits");
        if (name === "" && row.name !== "")
          caller.warn(
            `Name successfully deleted, you will now need to reference this key by it's Id: ${row.id}`,
          );
        // sealed under the current sealing key, so that the previous one loses its use with time
        const anew = await resealedKey(ca.ports.vault, config.mount.uuid, row);
        if (!anew)
          throw new CaError(
            "storage",
            `the key ${row.id} cannot be opened: it was sealed under another sealing key, or altered`,
          );
        const next: KeyRow = {
          ...anew,
          name: name === "" ? "" : checkKeyName(config, name, row.id),
        };
        return { reply: keyOutput(next), batch: { put: [[keys.key(row.id), next]] } };
      },
      { exact: true },
    ),
});

export const deleteKey = endpoint({
  id: "deleteKey",
  at: ["DELETE /key/:key_ref"],
  access: "token",
  style: envelope,
  doc: "Deletes a CA key that no issuer uses. It cannot be brought back.",
  body: {},
  reply: {},
  refuses: ["in_use"],
  run: (ca, input, caller) =>
    ca.configure(
      (config) => {
        const row = findKey(config, input.key_ref);
        if (!row) return { reply: undefined };
        for (const issuer of config.issuers.values())
          if (issuer.key_id === row.id)
            throw new CaError(
              "in_use",
              `Failed to Delete Key.  Key in Use by Issuer: ${issuer.id}`,
            );
        const wasDefault = config.keysConfig.default === row.id;
        if (wasDefault)
          caller.warn(
            `Deleted key ${row.id} (via key_ref ${input.key_ref}); this was configured as the default key. Operations without an explicit key will not work until a new default is configured.`,
          );
        return {
          reply: undefined,
          batch: {
            del: [keys.key(row.id)],
            ...(wasDefault ? { put: [[keys.config("keys"), { default: "" }]] } : {}),
          },
        };
      },
      { exact: true },
    ),
});

const keysConfigReply = { default: text.required("Id of the default key, or empty.") } as const;
export const readKeysConfig = endpoint({
  id: "readKeysConfig",
  at: ["GET /config/keys"],
  access: "token",
  style: envelope,
  doc: "Reads which key is the default.",
  body: {},
  reply: keysConfigReply,
  run: async (ca) => (await ca.config()).keysConfig,
});

export const writeKeysConfig = endpoint({
  id: "writeKeysConfig",
  at: ["POST /config/keys"],
  access: "token",
  style: envelope,
  doc: "Chooses the default key.",
  body: { default: text.needed("", "Id or name of the new default key.") },
  reply: keysConfigReply,
  refuses: ["malformed"],
  run: (ca, input) =>
    ca.configure(
      (config) => {
        const ref = input.default.trim();
        if (ref === "" || ref.toLowerCase() === "default")
          throw new CaError(
            "malformed",
            "Invalid key specification; must be non-empty and can't be 'default'.",
          );
        const row = findKey(config, ref);
        if (!row)
          throw new CaError(
            "malformed",
            `Error resolving key reference: ${missingKey(config, ref)}`,
          );
        return {
          reply: { default: row.id },
          batch: { put: [[keys.config("keys"), { default: row.id }]] },
        };
      },
      { exact: true },
    ),
});
