import { crlConfig } from "../rows/settings.ts";
import { listForm, lowerCaseForm, serialForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowPrefixes } from "../rows/records.ts";
import { certificateEnd } from "../../x509/certificate.ts";
import { flag, withNormalForm, int, list, text } from "../../wire/field.ts";
import { endpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { tooLargeWarnings } from "../crl/crl-overdue.ts";
import { rebuildNow } from "../crl/crl-schedule.ts";
import { crlWarnings } from "../crl/crl-set.ts";
import { isTooOldToRevoke, readReason, reasonNames } from "../revoke/revocation.ts";
import { ownSerials, revokeMany, type RevocationOutcomes } from "../revoke/revoke-many.ts";
import { revocationCounter, revokeNamed, certificatesPerBatch } from "./revoke-named.ts";
import { readCursor, tagOf, writeCursor } from "./search-cursor.ts";
import { queryOf, searchFields, type SearchRequest } from "./search-fields.ts";
import { pageOf, type Query } from "./search-index.ts";
import { partsOf, positionOf, type SearchMatch } from "./search-walk.ts";

/**
 * Maximum number of certificates that a request revokes, and of rows that it reads to find them.
 */
const [maxRevoked, maxRead] = [10_000, 25_000];
/** Maximum number of certificates to read at a time. */
const maxCertificates = 500;

const body = {
  ...searchFields,
  all: flag.default(
    false,
    "Revoke every certificate of the mount. Cannot be combined with filters.",
  ),
  serial_numbers: withNormalForm(list, listForm(serialForm)).default(
    [],
    "Serial numbers of the certificates to revoke, at most 1000. Cannot be combined with filters.",
  ),
  reason: withNormalForm(text, lowerCaseForm).optional(
    "Reason for all revocations, with the same names as in `revoke`.",
    reasonNames,
  ),
  dry_run: flag.default(false, "Only report what the request would do."),
  cursor: text.default(
    "",
    "`cursor` of the previous response, to continue where that request stopped.",
  ),
} as const;

export const revokeFound = endpoint({
  id: "revokeFound",
  at: ["POST /certs/revoke"],
  access: "token",
  style: envelope,
  doc: "Revokes the certificates that match a search, at most 10,000 per request, or those with the given serial numbers, then builds the CRLs once. Skips and counts certificates that are already revoked, have expired, or belong to issuers or OCSP responders. Requires a filter (`state` alone does not count as one), serial numbers, or `all`.",
  body,
  reply: {
    dry_run: flag.required("Whether this was a dry run."),
    revoked: int.required("Number of certificates that were (or would be) revoked."),
    keys: list.required(
      "Serial numbers with colons of the first hundred certificates that are, or would be, revoked.",
    ),
    already_revoked: int.required("Number of matches that were already revoked."),
    expired: int.required("Number of matches that were skipped because they have expired."),
    issuers: int.required(
      "Number of matches that were skipped because they belong to issuers of the mount. Revoke issuers with issuer/:issuer_ref/revoke.",
    ),
    responders: int.required(
      "Number of matches that were skipped because they belong to active OCSP responders. Revoke these by serial number, or replace them with issuer/:issuer_ref/ocsp-responder.",
    ),
    left: int.required(
      "Number of certificates that this request found but did not revoke. A warning says whether there may be more.",
    ),
    cursor: text.required(
      "Value to send as `cursor` to continue; empty when the search is complete.",
    ),
    unknown: list.optional("Serial numbers in the request for which no certificate is stored."),
  },
  refuses: ["invalid_field", "malformed"],
  run: async (mount, input, caller) => {
    refuseWide(input, caller);
    const reason = readReason(input.reason);
    const { cursor, dry_run, serial_numbers: named } = input;
    const done =
      named.length > 0
        ? await revokeNamed(mount, named, { reason, dry_run }, caller)
        : await revokeAll(mount, await queryOf(mount, input), { cursor, reason, dry_run }, caller);
    if (!dry_run) await buildOrWarn(mount, caller, done.crlIds);
    caller.audit.note({ revoked: dry_run ? 0 : done.revoked });
    return { ...done.output, dry_run };
  },
});

type Wide = SearchRequest & {
  readonly all: boolean;
  readonly cursor: string;
  readonly serial_numbers: readonly string[];
};
/** Rejects requests that might revoke more than intended. */
function refuseWide(input: Wide, caller: Caller): void {
  const unknown = [...caller.sentFields].filter((name) => !Object.hasOwn(body, name)).toSorted();
  if (unknown.length > 0)
    throw new CaError(
      "malformed",
      `unknown field ${unknown[0]?.slice(0, 64) ?? ""}: the request is rejected because without this filter it could revoke too many certificates`,
    );
  const { name, issuer, role, san, source, acme_account, fingerprint } = input;
  const { not_after_from, not_after_to, not_before_from, not_before_to } = input;
  const isFiltered =
    [name, issuer, role, san, source, acme_account, fingerprint].some((text) => text !== "") ||
    [not_after_from, not_after_to, not_before_from, not_before_to].some(
      (time) => time !== undefined,
    );
  if (input.serial_numbers.length > 0) {
    if (isFiltered || input.all || input.state !== "" || input.cursor !== "")
      throw new CaError(
        "malformed",
        "serial_numbers cannot be combined with a filter: send either serial numbers or a search",
      );
    return;
  }
  if (!isFiltered && !input.all)
    throw new CaError(
      "malformed",
      "no filter was sent: send name, issuer, role, san, source, acme_account, fingerprint, not_after_from, not_after_to, not_before_from or not_before_to, or all to revoke every certificate",
    );
  if (isFiltered && input.all)
    throw new CaError("malformed", "'all' cannot be combined with a filter: send one or the other");
}

interface RevocationInput {
  readonly cursor: string;
  readonly reason: number | undefined;
  readonly dry_run: boolean;
}
async function revokeAll(
  mount: Mount,
  query: Query,
  { cursor, reason, dry_run }: RevocationInput,
  caller: Caller,
) {
  const tag = tagOf(query);
  const from = readCursor(cursor, pageOf(query), tag);
  const classifyRest = await classifier(mount);
  const { totals, crlIds, count } = revocationCounter();
  let [at, rowsRead, left, isLast] = [from, 0, 0, false];
  for await (const part of partsOf(mount, query, { from, step: maxCertificates }, caller)) {
    const isFull = totals.revoked === maxRevoked;
    let rest = part.matches;
    while (rest.length > 0 && totals.revoked < maxRevoked) {
      const some = rest.slice(0, Math.min(certificatesPerBatch, maxRevoked - totals.revoked));
      count(dry_run ? classifyRest(some) : await revokeMany(mount, some.map(keyOf), reason));
      rest = rest.slice(some.length);
      const last = some.at(-1);
      at = last && positionOf(query, last);
      await yieldToEventLoop();
    }
    if (rest.length === 0 && !isFull) at = part.at;
    left += classifyRest(rest).revoked.length;
    rowsRead += part.rowsRead;
    isLast = part.isLast;
    if (rowsRead >= maxRead) break;
  }
  const next = at && !(isLast && left === 0) ? writeCursor(at, tag) : "";
  if (next !== "") caller.reply.warn(continuationWarning(left, isLast));
  return {
    output: { ...totals, left, cursor: next },
    revoked: totals.revoked,
    crlIds: [...crlIds],
  };
}
const keyOf = ({ key }: SearchMatch): string => key;

const continuationWarning = (left: number, isAll: boolean): string =>
  left === 0
    ? "not all certificates were checked: send another request with the cursor to continue"
    : `${isAll ? "" : "at least "}${left} more certificates remain to be revoked: send another request with the cursor to continue`;

/** Returns a function that classifies certificates by the outcome that revoking them would have. */
async function classifier(
  mount: Mount,
): Promise<(matches: readonly SearchMatch[]) => RevocationOutcomes> {
  const config = await mount.config();
  const own = ownSerials(config);
  const outcomeOf = ({ key, row, state }: SearchMatch) =>
    state === "revoked"
      ? "alreadyRevoked"
      : (own.get(key.slice(rowPrefixes.certs.length)) ??
        (isTooOldToRevoke(config, certificateEnd(row.der), mount.ports.now())
          ? "expired"
          : "revoked"));
  return (matches) => {
    const all = matches.map((one) => [outcomeOf(one), one.key] as const);
    const keysOf = (outcome: keyof RevocationOutcomes) =>
      all.filter(([of]) => of === outcome).map(([, key]) => key);
    return {
      revoked: keysOf("revoked"),
      alreadyRevoked: keysOf("alreadyRevoked"),
      expired: keysOf("expired"),
      issuers: keysOf("issuers"),
      responders: keysOf("responders"),
      damaged: [],
      crlIds: [],
    };
  };
}

/**
 * Builds the CRLs that have new entries. With `auto_rebuild`, only warns about CRLs that would
 * exceed max_crl_entries.
 */
async function buildOrWarn(mount: Mount, caller: Caller, crlIds: readonly string[]): Promise<void> {
  const config = await mount.config();
  if (!config.get(crlConfig).auto_rebuild) {
    crlWarnings(config, [...crlIds]).forEach((warning) => caller.reply.warn(warning));
    return rebuildNow(mount, caller, crlIds);
  }
  for (const crlId of crlIds)
    for (const warning of await tooLargeWarnings(mount, config, crlId)) caller.reply.warn(warning);
}
