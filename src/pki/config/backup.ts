import { acmeBelow } from "../../acme/rows/prefixes.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { jobRow } from "../../engine/jobs.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import { eventLog } from "../../events/event-log.ts";
import { rowPrefixes, keys } from "../rows/records.ts";
import { markEntry } from "../../log/rows/new-entry.ts";
import {
  entryLog,
  entryPrefix,
  logConfig,
  logKeys,
  entrySpreadOf,
  storedLogState,
  type FormerEntries,
  type LogState,
} from "../../log/rows/records.ts";
import { withEntries } from "../../log/rows/signed.ts";
import { lastNumberKey } from "../../base/row-keys.ts";
import type { NewRow, RowsInBackup } from "../../engine/rows-in-backup.ts";
import { resealRow } from "../../engine/sealing.ts";
import { crlBuild } from "../crl/crl-build.ts";
import { crlOfId } from "../crl/crl-state.ts";
import { secretOfRow } from "./sealed-rows.ts";

/**
 * Amount by which a restore raises CRL numbers, because clients may have seen numbers that were
 * used after the backup.
 */
const jump = 2 ** 20;
const crlNumbers = keys.crlNumber("");
/**
 * Prefixes of rows that are not restored:
 *
 * - unused external account binding keys, which may have been used since the backup,
 * - spent nonces, because the restored mount gets a new nonce key,
 * - leases, whose tokens no longer exist,
 * - events, which the sinks of the original mount have already received,
 * - rows that state where CRL entries are, because the backup may have later entries.
 */
const leftOut = [
  acmeBelow.eabs,
  acmeBelow.nonces,
  belowLeases,
  eventLog,
  keys.config("events"),
  keys.crlSpread(""),
];
const nonces = keys.config("nonces");

function restored(row: NewRow): NewRow | undefined {
  const [key, value] = row;
  if (leftOut.some((prefix) => key.startsWith(prefix))) return undefined;
  if (key.startsWith(crlNumbers))
    return [key, { number: storedCrl.crlNumber(value).number + jump }];
  if (key.startsWith(rowPrefixes.crlChunks)) {
    const [, crlId = "", number, chunk] = key.split("/");
    return [keys.crlChunk(crlId, Number(number) + jump, Number(chunk)), value];
  }
  if (!key.startsWith(rowPrefixes.crls)) return row;
  if (crlOfId(key) === key) {
    const state = storedCrl.crl(value);
    return [key, { ...state, number: state.number + jump }];
  }
  const delta = storedCrl.delta(value);
  return [key, { ...delta, number: delta.number + jump, base: delta.base + jump }];
}

/**
 * Returns the state row of a restored log if other partitions also have entries of the log.
 * `former` lists the entries of partitions that the restored mount does not have.
 */
function treeRows(stored: unknown, former: readonly FormerEntries[]): readonly NewRow[] {
  const tree = storedLogState(stored);
  if (!tree.spread && former.length === 0) return [];
  const spread = { ...entrySpreadOf(tree), former };
  return [[logKeys.state, { ...tree, segments: null, spread } satisfies LogState]];
}

/** Backup and restore of a CA mount's rows. */
export const rowsInBackup: RowsInBackup = {
  logs: [entryPrefix],
  async resealed(mount, row, { from, to }) {
    const secret = secretOfRow(mount, row);
    if (!secret) return { value: row[1] };
    const value = await resealRow(from, secret, to);
    return value === undefined ? undefined : { value };
  },
  restored,
  async opening({ now, random }, store, former) {
    const crlIds = (await store.list(rowPrefixes.crls, { values: false }))
      .map(([key]) => key.slice(rowPrefixes.crls.length))
      .filter((id) => crlOfId(id) === id);
    const at = now();
    // sinks may have advanced past events that were raised after the backup, so the numbering skips
    // ahead
    const numbered = lastNumberKey(eventLog);
    const [last, log, tree] = await store.get([numbered, logConfig.key, logKeys.state]);
    const entries = former.flatMap(({ partition, log: name, last: number }) =>
      name === entryLog ? [{ partition, last: number }] : [],
    );
    const put: readonly NewRow[] = [
      ...treeRows(tree?.value, entries),
      [nonces, random(16)],
      ...(last ? [] : [[numbered, jump] as const]),
      // until these jobs have rebuilt the CRLs, the server returns the CRLs in the backup
      ...crlIds.map((crlId) => jobRow({ due: at, now: at }, crlBuild.kind, crlId)),
    ];
    const { key } = logConfig.read(log?.value);
    // certificates that the mount signed between the backup and the restore may be in the log of
    // the original mount, or in no log
    return key ? withEntries({ put }, [markEntry("restored", key.spki, at)], at) : { put };
  },
};
