import { acmeBelow } from "../../acme/rows/records.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { resealedPolicy } from "../../external/rows/client-key.ts";
import { jobRow } from "../../engine/jobs.ts";
import { resealedKey } from "../rows/key-row.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import { eventLog } from "../../events/event-log.ts";
import { rowPrefixes, keys, storedPki } from "../rows/records.ts";
import { markEntry } from "../../log/rows/new-entry.ts";
import { logConfig, refusePartitions } from "../../log/rows/records.ts";
import { withEntries } from "../../log/rows/signed.ts";
import { lastNumberKey } from "../../base/row-keys.ts";
import type { NewRow, RowsInBackup } from "../../engine/rows-in-backup.ts";
import { reseal } from "../../engine/sealing.ts";
import { externalPolicyConfig } from "../../external/rows/records.ts";
import { crlBuild } from "../crl/crl-build.ts";
import { crlOfId } from "../crl/crl-state.ts";
import { serialKeyBinding } from "../issuer/serial-binding.ts";

/**
 * Amount by which a restore raises CRL numbers, because clients may have seen numbers that were
 * used after the backup.
 */
const jump = 2 ** 20;
const crlNumbers = keys.crlNumber("");
/**
 * Prefixes of rows that are not restored: unused external account binding keys, which may have been
 * used since; spent nonces, whose key is replaced; leases, whose tokens no longer exist; and
 * events, which the sinks of the original mount received.
 */
const leftOut = [acmeBelow.eabs, acmeBelow.nonces, belowLeases, eventLog, keys.config("events")];
const nonces = keys.config("nonces");

function restored(row: NewRow): NewRow | undefined {
  const [key, value] = row;
  if (leftOut.some((prefix) => key.startsWith(prefix))) return undefined;
  if (key.startsWith(crlNumbers))
    return [key, { number: storedCrl.crlNumber(value).number + jump }];
  if (key.startsWith(rowPrefixes.crlChunks)) {
    const [, list = "", number, chunk] = key.split("/");
    return [keys.crlChunk(list, Number(number) + jump, Number(chunk)), value];
  }
  if (!key.startsWith(rowPrefixes.crls)) return row;
  if (crlOfId(key) === key) {
    const state = storedCrl.crl(value);
    return [key, { ...state, number: state.number + jump }];
  }
  const delta = storedCrl.delta(value);
  return [key, { ...delta, number: delta.number + jump, base: delta.base + jump }];
}

/** Backup and restore of a CA mount's rows. */
export const rowsInBackup: RowsInBackup = {
  async resealed(mount, [key, value], { from, to }) {
    if (key.startsWith(rowPrefixes.keys)) {
      const row = await resealedKey(from, mount, storedPki.key(value), to);
      return row && { value: row };
    }
    if (key.startsWith(rowPrefixes.responders)) {
      const row = storedPki.responder(value);
      const own = await resealedKey(from, mount, row.key, to);
      return own && { value: { ...row, key: own } };
    }
    if (key === keys.config("external-policy")) {
      const row = await resealedPolicy(from, mount, externalPolicyConfig.read(value), to);
      return row && { value: row };
    }
    if (key === keys.config("log")) {
      const { key: own, ...log } = logConfig.read(value);
      const moved = own && (await resealedKey(from, mount, own, to));
      return own && !moved ? undefined : { value: moved ? { ...log, key: moved } : log };
    }
    if (key !== keys.config("serial") || !(value instanceof Uint8Array)) return { value };
    const secret = { sealed: value, binding: serialKeyBinding(mount) };
    const sealed = await reseal(from, secret, to);
    return sealed && { value: sealed };
  },
  restored,
  async opening({ now, random }, store) {
    const lists = (await store.list(rowPrefixes.crls, { values: false }))
      .map(([key]) => key.slice(rowPrefixes.crls.length))
      .filter((id) => crlOfId(id) === id);
    const at = now();
    // sinks may have advanced past events that were raised after the backup, so the numbering skips
    // ahead
    const numbered = lastNumberKey(eventLog);
    const [last, log] = await store.get([numbered, logConfig.key]);
    const put: readonly NewRow[] = [
      [nonces, random(16)],
      ...(last ? [] : [[numbered, jump] as const]),
      // until the CRLs are built, clients get them as signed at the time of the backup
      ...lists.map((list) => jobRow({ due: at, now: at }, crlBuild.kind, list)),
    ];
    const { key, enabled } = logConfig.read(log?.value);
    if (enabled) refusePartitions(store);
    // certificates that the mount signed between the backup and the restore may be in another tree,
    // or in none
    return key ? withEntries({ put }, [markEntry("restored", key.spki, at)], at) : { put };
  },
};
