import { concat } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { parseDuration } from "../base/duration.ts";
import type { Decision, Engine } from "../engine.ts";
import { jobRow, type Job } from "../jobs.ts";
import type { Batch, Row, Scheme } from "../ports.ts";
import { keys, type CrlRow, type IssuerRow, type NoticeRow } from "../records.ts";
import type { Snapshot } from "../snapshot.ts";
import { algorithmIdentifier, schemeFits, schemeFromName, verifySignature } from "../x509/algorithm.ts";
import { assemble } from "../x509/certificate.ts";
import { encodeTbsCrl } from "../x509/crl.ts";
import { authorityKeyIdentifier, crlNumber, freshestCrl } from "../x509/extension.ts";
import type { Caller } from "../wire/endpoint.ts";
import { crlSetsOf, openIssuer, type SigningIssuer } from "./issuer.ts";
import { schemeFor } from "./scheme.ts";
import { urlsFor } from "./urls.ts";

/** Rows of one page of a published list: 1 MiB, half of what a Durable Object's row holds. */
export const chunkSize = 1024 * 1024;

/** The issuer that signs a set's CRL: one that may, the default when it is a member (details B 1.8 rule 2). */
export function crlSigner(config: Snapshot, set: string): IssuerRow | undefined {
  const able = [...config.issuers.values()].filter(
    (row) => row.crl_set === set && row.key_id !== "" && config.keys.has(row.key_id) && row.usage.includes("crl-signing"),
  );
  return able.find((row) => row.id === config.issuersConfig.default) ?? able[0];
}
/** The sets that have a CRL of their own. */
export const crlSets = (config: Snapshot): readonly string[] => crlSetsOf(config.issuers.values());

/** Builds the complete CRL of a set from its encoded entries, signs it, stores it under the next number and publishes it. */
export const crlJob: Job = { kind: "crl", run: (ca, set) => buildCrl(ca, set) };

/** Builds a set's CRL again when the end of the current one comes near and the mount is set to rebuild by itself. */
export const crlRenewal: Job = {
  kind: "crl-renewal",
  run: async (ca, set) => {
    const config = await ca.config();
    const current = await crlState(ca, set);
    const due = current ? renewalDue(config, current.value) : ca.ports.now();
    if (!config.crl.auto_rebuild) return;
    if (due <= ca.ports.now()) await ca.run("crl", set);
    // the grace period got shorter since this was planned
    else await ca.store.commit({ put: [jobRow(due, "crl-renewal", set)] });
  },
};
const seconds = (text: string): number => parseDuration(text) ?? 0;
const renewalDue = (config: Snapshot, crl: CrlRow): number => (crl.next_update - seconds(config.crl.auto_rebuild_grace_period)) * 1000;
/** The jobs that rebuild the lists of a mount before they end, as its configuration has it; for one whose time has come, at once. */
export async function renewalJobs(ca: Engine, config: Snapshot): Promise<readonly ReturnType<typeof jobRow>[]> {
  const sets = crlSets(config);
  const rows = await ca.store.get(sets.map(keys.crl));
  // rows below crl/ have this type
  return sets.map((set, i) => jobRow(rows[i] ? renewalDue(config, rows[i].value as CrlRow) : ca.ports.now(), "crl-renewal", set));
}

async function buildCrl(ca: Engine, set: string): Promise<void> {
  // the jobs are read before the entries: one that is put while this builds, under the same key too, stays for the next build
  const jobs = (await ca.store.list("job/", { values: false })).filter(([key]) => key.endsWith(`/crl/${set}`));
  const built = await ca
    .decide((config) => makeCrl(ca, config, set))
    .catch(async (error: unknown) => {
      if (error instanceof CaError && error.code === "constraint") await holdBack(ca, set);
      throw error;
    });
  await Promise.all(jobs.map(([key, { rev }]) => ca.store.commit({ expect: [[key, rev]], del: [key] })));
  if (built?.resumes) await ca.system.sys.store.commit({ del: [keys.notice(ca.name, `crl/${set}`)] });
  if (built) await publishCrl(ca, set, built);
}

const heldBack = "A CRL stays at its last complete state, because a newer one would have more entries than max_crl_entries.";

/** Notes, once, that the list of a set stays behind its entries, for `sys/health` (decisions.md section 4). */
async function holdBack(ca: Engine, set: string): Promise<void> {
  const current = await crlState(ca, set);
  if (current?.value.held) return;
  // the notice first: a mark without one would never be told
  const notice: NoticeRow = { text: heldBack };
  await ca.system.sys.store.commit({ put: [[keys.notice(ca.name, `crl/${set}`), notice]] });
  if (current) await ca.store.commit({ expect: [[keys.crl(set), current.rev]], put: [[keys.crl(set), { ...current.value, held: true }]] });
}

/** Readers that do not find the published list take the one of the store, so a failure here is only told to the log. */
async function publishCrl(ca: Engine, set: string, { row, der }: Built): Promise<void> {
  const { publish } = ca.ports;
  if (!publish) return;
  const published = chunksOf(der).map((bytes, chunk) => publish.put(`${ca.name}/${keys.crlChunk(set, row.number, chunk)}`, bytes, row.next_update));
  for (const done of await Promise.allSettled(published))
    if (done.status === "rejected") ca.ports.log?.({ endpoint: "publish crl", status: 500, ms: 0, cause: done.reason });
}
interface Built {
  readonly row: CrlRow;
  readonly der: Uint8Array;
  /** Whether the list before may have been the last for being held back. */
  readonly resumes: boolean;
}

async function makeCrl(ca: Engine, config: Snapshot, set: string): Promise<Decision<Built | undefined>> {
  const row = crlSigner(config, set);
  const key = row && row.key_id !== "" ? config.keys.get(row.key_id) : undefined;
  const current = await crlState(ca, set);
  if (!row || !key) return { reply: undefined };
  // switched off: one empty list, then nothing changes (details B 1.8 rule 12)
  if (config.crl.disable && current && current.value.entries === 0) return { reply: undefined };
  const pages = config.crl.disable ? [] : await entryPages(ca, config, set);
  const entries = countEntries(pages);
  const limit = config.crl.max_crl_entries;
  if (limit >= 0 && entries > limit) throw new CaError("constraint", `CRL would contain ${entries} entries, more than max_crl_entries (${limit})`);
  const issuer = await openIssuer(ca, config, row, key);
  const thisUpdate = Math.floor(ca.ports.now() / 1000);
  const number = (current?.value.number ?? 0) + 1;
  const nextUpdate = thisUpdate + seconds(config.crl.expiry);
  const der = await signCrl(issuer, { thisUpdate, nextUpdate, number, pages, deltas: deltaPoints(config, row) });
  const state: CrlRow = { number, issuer: row.id, chunks: chunksOf(der).length, size: der.length, this_update: thisUpdate, next_update: nextUpdate, entries };
  const resumes = !current || current.value.held === true;
  return { reply: { row: state, der, resumes }, batch: await crlBatch(ca, config, set, current, state, der) };
}

/** How an issuer signs its lists: as set for it, else as its key does by itself. */
export function crlScheme(issuer: SigningIssuer): Scheme {
  const named = schemeFromName(issuer.row.revocation_signature_algorithm);
  return named && schemeFits(named, issuer.publicKey) ? named : schemeFor(issuer.publicKey, 0, false);
}
/** Where the deltas of a list lie; nowhere while the addresses cannot be filled in: a list without them is better than none. */
function deltaPoints(config: Snapshot, row: IssuerRow): readonly string[] {
  try {
    return urlsFor(config, row).delta_crl_distribution_points;
  } catch (error) {
    if (error instanceof CaError) return [];
    throw error;
  }
}
async function signCrl(
  issuer: SigningIssuer,
  crl: { thisUpdate: number; nextUpdate: number; number: number; pages: readonly Uint8Array[]; deltas: readonly string[] },
): Promise<Uint8Array> {
  const scheme = crlScheme(issuer);
  const algorithm = algorithmIdentifier(scheme);
  const { thisUpdate, nextUpdate, pages } = crl;
  const extensions = [authorityKeyIdentifier(issuer.keyId), crlNumber(crl.number), freshestCrl(crl.deltas)].filter((extension) => extension !== undefined);
  const tbs = encodeTbsCrl({ algorithm, issuer: issuer.certificate.subject, thisUpdate, nextUpdate, pages, extensions });
  const signature = await issuer.signer.sign(scheme, tbs);
  if (!issuer.signer.platform && !(await verifySignature(issuer.signer.spki, algorithm, tbs, signature)))
    throw new CaError("unusable_issuer", "the key of the issuer made a signature that does not verify");
  return assemble(tbs, algorithm, signature);
}

/** The new list, the removal of the one before the last (readers may still hold the last number), and the job of its renewal. */
async function crlBatch(ca: Engine, config: Snapshot, set: string, current: Row<CrlRow> | undefined, state: CrlRow, der: Uint8Array): Promise<Batch> {
  const chunks = chunksOf(der).map((bytes, chunk) => [keys.crlChunk(set, state.number, chunk), bytes] as const);
  const old = (await ca.store.list(keys.crlChunks(set), { values: false }))
    .map(([key]) => key)
    .filter((key) => current && !key.startsWith(keys.crlChunks(set, current.value.number)));
  const renewal = config.crl.auto_rebuild ? [jobRow(renewalDue(config, state), "crl-renewal", set)] : [];
  const planned = (await ca.store.list("job/", { values: false }))
    .map(([key]) => key)
    .filter((key) => key.endsWith(`/crl-renewal/${set}`) && key !== renewal[0]?.[0]);
  return { expect: [[keys.crl(set), current?.rev ?? null]], put: [[keys.crl(set), state], ...chunks, ...renewal], del: [...old, ...planned] };
}

/** Pages of a set's entries; the default issuer's list also takes those of sets that have no issuer any more (details B 1.8 rule 4). */
async function entryPages(ca: Engine, config: Snapshot, set: string): Promise<readonly Uint8Array[]> {
  const own = await ca.store.list(keys.crlPages(set));
  const isDefault = config.issuers.get(config.issuersConfig.default)?.crl_set === set;
  const orphans: (readonly [string, Row])[] = [];
  if (isDefault) {
    const held = new Set(crlSets(config));
    const sets = new Set((await ca.store.list("crlpage/", { values: false })).map(([key]) => key.split("/")[1] ?? ""));
    for (const other of sets) if (other !== set && !held.has(other)) orphans.push(...(await ca.store.list(keys.crlPages(other))));
  }
  // pages are written by `append` only, which holds bytes
  return [...own, ...orphans].map(([, row]) => row.value as Uint8Array);
}

function countEntries(pages: readonly Uint8Array[]): number {
  let count = 0;
  for (const page of pages)
    for (let at = 0; at < page.length; count++) {
      const first = page[at + 1] ?? 0;
      // entries are short: a length in one octet, or in the one or two that follow
      at += first < 0x80 ? 2 + first : first === 0x81 ? 3 + (page[at + 2] ?? 0) : 4 + ((page[at + 2] ?? 0) << 8) + (page[at + 3] ?? 0);
    }
  return count;
}

const chunksOf = (der: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(der.length / chunkSize) }, (_, i) => der.subarray(i * chunkSize, (i + 1) * chunkSize));

async function crlState(ca: Engine, set: string): Promise<Row<CrlRow> | undefined> {
  const [row] = await ca.store.get([keys.crl(set)]);
  // rows below crlstate/ are written only here
  return row as Row<CrlRow> | undefined;
}

/** A published list: its DER, and when it was made, Unix milliseconds. */
export interface PublishedCrl {
  readonly der: Uint8Array;
  readonly row: CrlRow;
}
/** The current CRL of a set, its number at most a second old. */
export async function currentCrl(ca: Engine, set: string): Promise<PublishedCrl | undefined> {
  const state = await ca.fresh(`crl/${set}`, () => crlState(ca, set));
  if (!state) return undefined;
  const row = state.value;
  const at = `crl/${set}/${row.number}`;
  // written below, under a number that never names other bytes
  const held = ca.memory.get(at) as Uint8Array | undefined;
  if (held) return { row, der: held };
  for (const old of ca.memory.keys()) if (old.startsWith(`crl/${set}/`)) ca.memory.delete(old);
  return {
    row,
    der: await ca.keep(
      at,
      () => readChunks(ca, set, row),
      (der) => der,
    ),
  };
}
async function readChunks(ca: Engine, set: string, row: CrlRow): Promise<Uint8Array> {
  const names = Array.from({ length: row.chunks }, (_, chunk) => keys.crlChunk(set, row.number, chunk));
  const parts = await Promise.all(names.map(async (name) => ca.ports.publish?.get(`${ca.name}/${name}`).catch(() => undefined)));
  if (parts.every((part) => part !== undefined)) {
    const whole = concat(parts);
    if (whole.length === row.size) return whole;
  }
  const rows = await Promise.all(names.map(async (name) => (await ca.store.get([name]))[0]));
  // a list that was replaced twice while it was read: the caller's next read finds the new number
  if (rows.some((found) => !found)) throw new CaError("busy", "the CRL was replaced; try again");
  return concat(rows.map((found) => found?.value as Uint8Array));
}

/** Builds lists now, after a change that is already stored: a failure is a warning, and the stored job builds again. */
export async function rebuildNow(ca: Engine, caller: Caller, sets: readonly string[]): Promise<void> {
  for (const [i, set] of sets.entries()) {
    try {
      await ca.once("crl", set);
    } catch (error) {
      // what is no refusal may speak of the inside
      caller.warn(`Warning ${i + 1} during CRL rebuild: ${error instanceof CaError ? error.message : "the list was not built"}`);
    }
  }
}
/** What to tell of a set's list that waits for the clock: whether the last build was held back (decisions.md section 4). */
export async function heldWarnings(ca: Engine, { crl }: Snapshot, set: string): Promise<readonly string[]> {
  return crl.max_crl_entries >= 0 && (await crlState(ca, set))?.value.held ? [heldBack] : [];
}
/** What hinders lists: sets whose issuers hold a key but none of them may sign CRLs. */
export function crlWarnings(config: Snapshot, sets = crlSets(config)): readonly string[] {
  return sets
    .filter((set) => !crlSigner(config, set))
    .map((set) => {
      const ids = [...config.issuers.values()].filter((row) => row.crl_set === set).map((row) => row.id);
      return `Issuer equivalency set with associated keys lacked an issuer with CRL Signing KeyUsage; refusing to rebuild CRL for this group of issuers: ${ids.join(",")}`;
    });
}
