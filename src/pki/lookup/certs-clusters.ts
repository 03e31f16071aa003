import { crlConfig } from "../rows/settings.ts";
import { CaError } from "../../base/errors.ts";
import { serialKeyText } from "../../base/ids.ts";
import { clusterId } from "../../engine/cluster-id.ts";
import { rowPrefixes, storedPki } from "../rows/records.ts";
import { flag, list, records, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { pageFields, serialsAfter, serialsBelow } from "../request/paging.ts";

const serials = list.required("Sorted serial numbers, hexadecimal octets separated by colons.");

export const listRevocationQueue = endpoint({
  id: "listRevocationQueue",
  at: ["LIST /certs/revocation-queue"],
  access: "token",
  style: envelope,
  doc: "Lists requests to revoke certificates that were not in this deployment's store: pending requests, and those that were completed once a client supplied the certificate.",
  body: pageFields,
  reply: {
    keys: serials,
    key_info: records({
      requesting_cluster: text.required("UUID of this deployment."),
      confirmed: flag.optional(
        "True if the certificate is revoked; absent while the request is pending.",
      ),
      confirmation_cluster: text.optional(
        "UUID of this deployment; absent while the request is pending.",
      ),
    }).required("Details of each request, by serial number."),
  },
  refuses: ["not_found"],
  run: async (mount, input) => {
    const { revocationRequests: prefix } = rowPrefixes;
    const rows = await mount.store.list(prefix, serialsAfter(prefix, input));
    if (rows.length === 0) throw new CaError("not_found", "");
    const id = await clusterId(mount.sys);
    const entries = rows.map(([key, { value }]) => {
      const isDone = storedPki.revocationRequest(value).confirmed !== undefined;
      const done = isDone ? { confirmed: true, confirmation_cluster: id } : {};
      return [
        serialKeyText(key.slice(prefix.length)),
        { requesting_cluster: id, ...done },
      ] as const;
    });
    return { keys: entries.map(([serial]) => serial), key_info: Object.fromEntries(entries) };
  },
});

export const listUnifiedRevoked = endpoint({
  id: "listUnifiedRevoked",
  at: ["LIST /certs/unified-revoked"],
  access: "token",
  style: envelope,
  doc: "Lists the serial numbers of revoked certificates in all clusters. These are the revoked certificates of this deployment. Fails with not_found unless unified_crl is enabled in config/crl.",
  body: pageFields,
  reply: {
    keys: serials,
    key_info: records({
      revoking_clusters: list.required("UUID of this deployment."),
    }).required("UUIDs of the clusters that revoked each certificate, by serial number."),
  },
  refuses: ["not_found"],
  run: async (mount, input) => {
    if (!(await mount.config()).get(crlConfig).unified_crl) throw new CaError("not_found", "");
    const keys = await serialsBelow(mount.store, rowPrefixes.revoked, input);
    const info = { revoking_clusters: [await clusterId(mount.sys)] };
    return { keys, key_info: Object.fromEntries(keys.map((serial) => [serial, info])) };
  },
});
