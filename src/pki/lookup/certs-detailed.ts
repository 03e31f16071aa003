import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../rows/records.ts";
import type { Page } from "../../engine/ports.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { int, list, records, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { serialsAfter } from "../request/paging.ts";
import {
  certificateDetail,
  detailOf,
  intactRows,
  limitOf,
  pageLimit,
  serialOf,
  type Candidate,
} from "./cert-detail.ts";

const listedDetail = {
  ...certificateDetail,
  lease_id: text.optional(
    "ID of the lease with which the certificate was issued, if the caller may look up the lease. The lease may have been revoked since.",
  ),
} as const;

export const listCertDetails = endpoint({
  id: "listCertDetails",
  at: ["LIST /certs/detailed"],
  access: "token",
  style: envelope,
  doc: "Lists the stored certificates with details, up to 1000 per page.",
  body: {
    after: text.default(
      "",
      "Return only certificates after this serial number, which need not exist.",
    ),
    limit: int.default(0, "Maximum number of certificates to return, up to 1000; 0 means 1000."),
  },
  reply: {
    keys: list.required("Sorted serial numbers, hexadecimal octets separated by colons."),
    key_info: records(listedDetail).required("Details of each certificate, by serial number."),
  },
  refuses: ["not_found", "malformed", "damaged"],
  run: async (mount, input, caller) => {
    const limit = limitOf(input.limit, pageLimit);
    const rows = await page(
      mount,
      serialsAfter(rowPrefixes.certs, { after: input.after, limit }),
      caller,
    );
    const { path } = (await mount.config()).mount;
    const shown = rows.map(({ key, row }) => {
      const detail = detailOf(row, parseCertificate(row.der));
      const lease = row.lease === undefined ? undefined : `${path}/${row.lease}`;
      const isShown = lease !== undefined && mayLookUp(caller, lease);
      return [serialOf(key), { ...detail, ...(isShown && { lease_id: lease }) }] as const;
    });
    return { keys: shown.map(([serial]) => serial), key_info: Object.fromEntries(shown) };
  },
});

/** Reports whether a caller may look up a lease. */
const mayLookUp = ({ identity }: Caller, lease_id: string): boolean =>
  identity.allows({
    capability: "update",
    path: "sys/leases/lookup",
    parameters: { lease_id },
  });

/**
 * Maximum number of altered rows that a page skips, and minimum number of rows to read at a time
 * after the first read.
 */
const [maxAltered, step] = [2500, 250];

/**
 * Returns the certificates of a page. Replaces altered rows with the rows that follow, because a
 * client could not continue after a page without certificates. Throws `not_found` if there are no
 * rows, or `damaged` if too many rows in succession are altered.
 */
async function page(
  mount: Mount,
  { after, limit = pageLimit }: Page,
  caller: Caller,
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (
    let at = after, rowsRead = 0, rowLimit = limit;
    ;
    rowLimit = Math.max(limit - candidates.length, step)
  ) {
    const from = at === undefined ? {} : { after: at };
    const rows = await mount.store.list(rowPrefixes.certs, { ...from, limit: rowLimit });
    if (rowsRead === 0 && rows.length === 0) throw new CaError("not_found", "");
    rowsRead += rows.length;
    candidates.push(...intactRows(rows, caller));
    if (candidates.length >= limit || rows.length < rowLimit) return candidates.slice(0, limit);
    at = rows.at(-1)?.[0];
    if (rowsRead - candidates.length < maxAltered) continue;
    if (candidates.length > 0) return candidates;
    throw new CaError(
      "damaged",
      `the next ${rowsRead} stored certificates were altered in storage; to skip them, list the certificates after ${serialOf(at ?? "")}`,
    );
  }
}
