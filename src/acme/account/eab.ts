import { toBase64Url } from "../../base/bytes.ts";
import { rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import { acmeBelow, acmeKeys, type EabRow, storedAcme } from "../rows/records.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { list, records, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { aimOf } from "../protocol/directory.ts";
import { acmePaths } from "../protocol/paths.ts";
import { acmeMac } from "../protocol/secret.ts";
import { pageFields, rowsAfter } from "../../pki/request/paging.ts";
import { eabKey } from "./eab-key.ts";

/** Loads the audit module on first use. */
const audit = () => import("../../wire/audited-run.ts");

const keyType = text.required("Key type: always `hs`, an HMAC key.");
const directory = text.required(
  "The only directory that accepts the key, relative to the mount, such as `roles/web/acme/directory`.",
);
const created = text.required("When the key was created, RFC 3339.");

export const newEab = endpoint({
  id: "newEab",
  at: acmePaths("POST /new-eab"),
  access: "token",
  style: envelope,
  doc: "Creates an external account binding key, with which one ACME account can register at this directory only. ACME need not be enabled yet.",
  body: {},
  reply: {
    id: text.required("Key identifier to configure in the ACME client."),
    key_type: keyType,
    key: secret.required(
      "HMAC key to configure in the ACME client: 32 bytes, base64url. Returned only once.",
    ),
    acme_directory: directory,
    created_on: created,
  },
  run: (ca, _, caller) =>
    ca.decide(async (config) => {
      const now = Math.floor(ca.ports.now() / 1000);
      const id = uuid(ca.ports.random);
      const row: EabRow = {
        directory: aimOf(config, caller.path).directory.prefix,
        created: now,
        owner: (await audit()).ownerName(caller.identity),
      };
      const mac = await acmeMac(ca, config, "eab");
      const reply = {
        id,
        key_type: "hs",
        key: toBase64Url(await eabKey(mac, id)),
        acme_directory: `${row.directory}/directory`,
        created_on: rfc3339(now),
      };
      await caller.reply.wrapReply?.(reply);
      return {
        reply,
        batch: { expect: [[acmeKeys.eab(id), null]], put: [[acmeKeys.eab(id), row]] },
      };
    }),
});

export const listEab = endpoint({
  id: "listEab",
  at: ["LIST /eab"],
  access: "token",
  style: envelope,
  doc: "Lists the unused external account bindings.",
  body: pageFields,
  reply: {
    keys: list.required("IDs of the bindings, sorted."),
    key_info: records({
      key_type: keyType,
      acme_directory: directory,
      created_on: created,
    }).required("Details of each binding by ID, without its key."),
  },
  refuses: ["not_found"],
  run: async (ca, input) => {
    const prefix = acmeBelow.eabs;
    const rows = await ca.store.list(prefix, rowsAfter(prefix, input));
    if (rows.length === 0) throw new CaError("not_found", "");
    const bindings = rows.map(([key, { value }]) => {
      const row = storedAcme.eab(value);
      return [
        key.slice(prefix.length),
        {
          key_type: "hs",
          acme_directory: `${row.directory}/directory`,
          created_on: rfc3339(row.created),
        },
      ] as const;
    });
    return { keys: bindings.map(([id]) => id), key_info: Object.fromEntries(bindings) };
  },
});

export const deleteEab = endpoint({
  id: "deleteEab",
  at: ["DELETE /eab/:key_id"],
  access: "token",
  style: envelope,
  doc: "Deletes an unused external account binding.",
  body: {},
  reply: {},
  run: async (ca, { key_id: id }, caller) => {
    const key = acmeKeys.eab(id);
    const isHere = await ca.storeContext.change(async () => {
      const [row] = await ca.store.get([key]);
      return row
        ? { reply: true, batch: { expect: [[key, row.rev]], del: [key] } }
        : { reply: false };
    });
    if (!isHere) caller.reply.warn(`No key id found with id: ${id}`);
    return null;
  },
});
