import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { AccessRequest } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { isRequestAllowed, readerBelow } from "../../wire/access.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { flag, list, listOf, optionalMembers, records, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { isBelowRevoked } from "../issuer/revoked-path.ts";
import { pageFields, pageOf } from "../request/paging.ts";
import { issuersById, type IssuerRow } from "../rows/records.ts";
import { issuersConfig } from "../rows/settings.ts";
import { certificateMember, issuerMembers, issuerReply, validityOf } from "./issuers.ts";
import { listedCrl, readListedCrls } from "./listed-crls.ts";

const {
  ca_chain: _chain,
  issuer_name,
  key_id,
  revoked,
  not_before,
  not_after,
  ...settingMembers
} = issuerReply;

export const listIssuers = endpoint({
  id: "listIssuers",
  at: ["LIST /issuers"],
  access: "open",
  style: envelope,
  doc: "Lists the issuers of the mount.",
  body: {
    ...pageFields,
    detailed: flag.default(
      false,
      "Whether to also return certificates and CRLs, and the settings of issuers that the caller may read.",
    ),
  },
  reply: {
    keys: list.required("Sorted IDs of the issuers."),
    key_info: records({
      issuer_name,
      is_default: flag.required("Whether this is the default issuer."),
      serial_number: text.required("Serial number of the issuer's certificate."),
      key_id,
      revoked,
      issuer_revoked: flag.required(
        "Whether every certification path from the issuer to a root contains a revoked CA above the issuer.",
      ),
      not_before,
      not_after,
      crls: listOf(listedCrl).optional(
        "With `detailed`, the CRL and the delta CRL, without shards.",
      ),
      ...optionalMembers(settingMembers),
    }).required("Details of each issuer, by ID."),
  },
  refuses: ["not_found"],
  run: async (mount, { detailed, ...input }, caller) => {
    const config = await mount.config();
    const rows = pageOf([...config.get(issuersById).keys()].toSorted(), input).flatMap(
      (id) => config.get(issuersById).get(id) ?? [],
    );
    const details = detailed ? await readDetails(mount, config, rows, caller) : undefined;
    const info = (row: IssuerRow) => ({
      ...details?.(row),
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

/**
 * Returns a function that returns the additional members of an issuer in a detailed list. Anyone
 * may read certificates and CRLs, but the settings require a token that may read the issuer.
 */
async function readDetails(
  mount: Mount,
  config: Snapshot,
  rows: readonly IssuerRow[],
  caller: Caller,
) {
  const identity = await caller.tokenIdentity();
  const allows = (request: AccessRequest): boolean =>
    identity !== undefined && isRequestAllowed(identity, request);
  const mayRead = readerBelow({ allows }, `${config.mount.path}/issuer/`);
  const crlsOf = await readListedCrls(mount, rows);
  return (row: IssuerRow) => ({
    ...(mayRead(row.id) ? issuerMembers(row) : { certificate: certificateMember(row) }),
    crls: crlsOf(row),
  });
}
