import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromHex } from "../src/base/bytes.ts";
import { decodePem } from "../src/base/pem.ts";
import { placementOf } from "../src/engine/placement-rules.ts";
import { partitionName } from "../src/engine/partition-stores.ts";
import type { Ca, Store, Stores } from "../src/index.ts";
import { pkiPlacement } from "../src/pki/config/row-placement.ts";
import { partitionedStore } from "../src/store/partitions/partitioned-store.ts";
import { parseCertificate } from "../src/x509/certificate.ts";
import { encodeCertId, encodeOcspRequest } from "../src/x509/ocsp-request.ts";
import { cpuOf, figure, median, round } from "./figures.ts";
import { liveBytes } from "./live-bytes.ts";
import { seedRevoked } from "./revoked.ts";
import { withCa } from "./server.ts";

const partitions = 4;
/** The mounts: the number of shards, and whether a page of entries is damaged. */
const mounts = {
  "entries in 64 pages": { shards: 0, isDamaged: false },
  // a number that is not a power of two, so that each shard has pages for all 64 slots
  "entries in 4,032 pages": { shards: 63, isDamaged: false },
  // the pages cannot be used, so that rows are read
  "rows instead of pages": { shards: 0, isDamaged: true },
} as const;
/** Number of requests that are enough to read all pages. */
const maxWarmUp = 2000;
const perRound = 50;

/** An OCSP request for another serial number on each call. */
type Query = () => Promise<void>;

async function prepare(
  ca: Ca,
  stores: Stores,
  path: string,
  { shards, isDamaged, count }: { shards: number; isDamaged: boolean; count: number },
): Promise<Query> {
  await ca.sys.createMount({ path, type: "pki", config: { partitions } });
  const pki = ca.mount(path);
  const { certificate } = await pki.generateRoot({ common_name: "Root", key_type: "ec" });
  const { uuid } = await ca.sys.readMount({ path });
  const all = Array.from({ length: partitions }, (_, at) => stores(partitionName(uuid, at)));
  const store = partitionedStore(all, placementOf(pkiPlacement, partitions));
  await seedRevoked(store, { count, shards });
  if (isDamaged) await damage(store);
  const issuer = parseCertificate(decodePem(certificate)[0]?.der ?? new Uint8Array());
  const revoked = await store.list("revoked/", { values: false, limit: 5000 });
  const requests = await Promise.all(
    revoked.map(async ([key]) =>
      encodeOcspRequest([await encodeCertId("SHA-1", issuer, fromHex(key.slice(8)))]),
    ),
  );
  let next = 0;
  return async () => {
    const response = await ca.fetch(
      new Request(`http://bench/v1/${path}/ocsp`, {
        method: "POST",
        headers: { "content-type": "application/ocsp-request" },
        body: requests[next++ % requests.length] ?? null,
      }),
    );
    if (!response.ok) throw new Error(`OCSP: ${response.status}`);
    await response.arrayBuffer();
  };
}
async function damage(store: Store): Promise<void> {
  const [page] = await store.list("crlpage/", { values: false, limit: 1 });
  if (page) await store.commit({ put: [[page[0], Uint8Array.of(0x30, 0x80)]] });
}

/**
 * Compares OCSP responses for revoked certificates whose entries are in few pages, in the pages of
 * many shards, and in pages that cannot be used. Also measures the memory that the cache takes.
 */
export async function benchOcspPages(rounds: number, count: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sealwright-bench-"));
  try {
    await withCa(join(directory, "ca.db"), async (ca, stores) => {
      const queries: (readonly [string, Query, number[]])[] = [];
      for (const [at, [name, of]] of Object.entries(mounts).entries()) {
        const query = await prepare(ca, stores, `mount-${at}`, { ...of, count });
        const before = liveBytes();
        const begun = performance.now();
        const cpu = await cpuOf(async () => {
          for (let n = 0; n < maxWarmUp; n++) await query();
        });
        const text = `${round((performance.now() - begun) / 1000)} s, CPU ${round(cpu / 1e6)} s`;
        figure(`${count} ${name}: the first ${maxWarmUp} responses`, text);
        figure(
          `${count} ${name}: memory`,
          `${round((liveBytes() - before) / 2 ** 20)} MiB, with cached responses`,
        );
        queries.push([name, query, []]);
      }
      for (let n = 0; n < rounds; n++)
        for (const [, query, times] of queries)
          times.push(
            await cpuOf(async () => {
              for (let call = 0; call < perRound; call++) await query();
            }),
          );
      const [first] = queries;
      for (const [name, , times] of queries) {
        const ratio = median(times) / median(first?.[2] ?? times);
        const each = round(median(times) / perRound / 1000);
        figure(`${count} ${name}: a response`, `CPU ${each} ms; ${round(ratio)} times the first`);
      }
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
