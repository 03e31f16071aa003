import { keysConfig } from "../rows/settings.ts";
import { issuersById, keysById, keys, type KeyRow } from "../rows/records.ts";
import { trimmedForm } from "../../base/forms.ts";
import { colonHex } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { resealedKey } from "../rows/key-row.ts";
import { keyIdentifier } from "../../x509/public-key.ts";
import { readerBelow } from "../../wire/access.ts";
import {
  flag,
  list,
  optionalMembers,
  type Parsed,
  records,
  text,
  withNormalForm,
} from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { pageFields, pageOf } from "../request/paging.ts";
import { keyOutput, keyReply, checkKeyName, findKey, missingKey } from "./mount-keys.ts";

const readReply = {
  ...keyReply,
  subject_key_id: text.required("SHA-1 of the public key, hexadecimal with colons."),
  managed_key_id: text.optional("UUID of the managed key; absent for other keys."),
  managed_key_name: text.optional("Name of the managed key; absent for other keys."),
} as const;
const { key_name, ...detailMembers } = readReply;
/** Returns the response that describes a CA key and the managed key that backs it, if any. */
async function readOutput(row: KeyRow): Promise<Parsed<typeof readReply>> {
  const { managed } = row;
  return {
    ...keyOutput(row),
    subject_key_id: colonHex(await keyIdentifier(row.spki)),
    ...(managed && { managed_key_id: managed.uuid, managed_key_name: managed.name }),
  };
}

export const listKeys = endpoint({
  id: "listKeys",
  at: ["LIST /keys"],
  access: "token",
  style: envelope,
  doc: "Lists the CA keys of the mount.",
  body: {
    ...pageFields,
    detailed: flag.default(
      false,
      "Whether to return all members of keys that the caller may read.",
    ),
  },
  reply: {
    keys: list.required("Sorted IDs of the keys."),
    key_info: records({
      key_name,
      is_default: flag.required("Whether this is the default key."),
      ...optionalMembers(detailMembers),
    }).required("Details of each key, by ID."),
  },
  refuses: ["not_found"],
  run: async (mount, { detailed, ...input }, { identity }) => {
    const config = await mount.config();
    const ids = pageOf([...config.get(keysById).keys()].toSorted(), input);
    const mayRead = readerBelow(identity, `${config.mount.path}/key/`);
    const info = async (row: KeyRow) => ({
      ...(detailed && mayRead(row.id) && (await readOutput(row))),
      key_name: row.name,
      is_default: row.id === config.get(keysConfig).default,
    });
    const rows = ids.flatMap((id) => config.get(keysById).get(id) ?? []);
    return {
      keys: rows.map((row) => row.id),
      key_info: Object.fromEntries(
        await Promise.all(rows.map(async (row) => [row.id, await info(row)] as const)),
      ),
    };
  },
});

export const readKey = endpoint({
  id: "readKey",
  at: ["GET /key/:key_ref"],
  access: "token",
  style: envelope,
  doc: "Reads the ID, name and type of a CA key, but not the private key.",
  body: {},
  reply: readReply,
  refuses: ["unknown_key"],
  run: async (mount, input) => {
    const config = await mount.config();
    const row = findKey(config, input.key_ref);
    if (!row) throw new CaError("unknown_key", missingKey(config, input.key_ref));
    return readOutput(row);
  },
});

export const writeKey = endpoint({
  id: "writeKey",
  at: ["POST /key/:key_ref"],
  access: "token",
  style: envelope,
  doc: "Sets the name of a CA key. An empty name removes the current name.",
  body: { key_name: withNormalForm(text, trimmedForm).default("", "The new name.") },
  reply: keyReply,
  refuses: ["unknown_key", "malformed", "already_exists"],
  run: (mount, input, caller) =>
    mount.configureFor(
      caller,
      async (config, caller) => {
        const row = findKey(config, input.key_ref);
        if (!row) throw new CaError("unknown_key", missingKey(config, input.key_ref));
        const name = input.key_name.trim();
        if (name !== "" && !/^\w(?:[\w.-]*\w)?$/.test(name))
          throw new CaError("malformed", "new key name outside of valid character limits");
        if (name === "" && row.name !== "")
          caller.reply.warn(
            `Name successfully deleted, you will now need to reference this key by it's Id: ${row.id}`,
          );
        // resealed with the current sealing key, so that older sealing keys eventually become
        // unnecessary
        const resealed = await resealedKey(mount.ports.vault, mount.name, row);
        if (!resealed)
          throw new CaError(
            "storage",
            `the key ${row.id} cannot be decrypted: it was sealed with another sealing key, or altered`,
          );
        const next: KeyRow = {
          ...resealed,
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
  doc: "Deletes a CA key that no issuer uses. This cannot be undone.",
  body: {},
  reply: {},
  refuses: ["in_use"],
  run: (mount, input, caller) =>
    mount.configureFor(
      caller,
      (config, caller) => {
        const row = findKey(config, input.key_ref);
        if (!row) return { reply: undefined };
        for (const issuer of config.get(issuersById).values())
          if (issuer.key_id === row.id)
            throw new CaError(
              "in_use",
              `Failed to Delete Key.  Key in Use by Issuer: ${issuer.id}`,
            );
        const wasDefault = config.get(keysConfig).default === row.id;
        if (wasDefault)
          caller.reply.warn(
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
