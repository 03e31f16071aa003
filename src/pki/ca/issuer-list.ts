import { serialText } from "../../base/ids.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { flag, list, records, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { isBelowRevoked } from "../issuer/revoked-path.ts";
import { pageFields, pageOf } from "../request/paging.ts";
import { issuersById, type IssuerRow } from "../rows/records.ts";
import { issuersConfig } from "../rows/settings.ts";
import { validity, validityOf } from "./issuers.ts";

export const listIssuers = endpoint({
  id: "listIssuers",
  at: ["LIST /issuers"],
  access: "open",
  style: envelope,
  doc: "Lists the issuers of the mount.",
  body: pageFields,
  reply: {
    keys: list.required("Sorted IDs of the issuers."),
    key_info: records({
      issuer_name: text.required("Name of the issuer, or empty if it has none."),
      is_default: flag.required("Whether this is the default issuer."),
      serial_number: text.required("Serial number of the issuer's certificate."),
      key_id: text.required("ID of the issuer's key, or empty if the mount does not have it."),
      revoked: flag.required("Whether the issuer is revoked."),
      issuer_revoked: flag.required(
        "Whether every certification path from the issuer to a root contains a revoked CA above the issuer.",
      ),
      ...validity,
    }).required("Details of each issuer, by ID."),
  },
  refuses: ["not_found"],
  run: async (ca, input) => {
    const config = await ca.config();
    const rows = pageOf([...config.get(issuersById).keys()].toSorted(), input).flatMap(
      (id) => config.get(issuersById).get(id) ?? [],
    );
    const info = (row: IssuerRow) => ({
      issuer_name: row.name,
      is_default: row.id === config.get(issuersConfig).default,
      serial_number: serialText(certificateOf(row).serial),
      key_id: row.key_id,
      revoked: row.revoked !== undefined,
      issuer_revoked: isBelowRevoked(row, config.get(issuersById)),
      ...validityOf(row),
    });
    return {
      keys: rows.map((row) => row.id),
      key_info: Object.fromEntries(rows.map((row) => [row.id, info(row)])),
    };
  },
});
