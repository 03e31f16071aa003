import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Ca } from "../src/index.ts";
import { fromHex } from "../src/base/bytes.ts";
import { decodePem } from "../src/base/pem.ts";
import { keys } from "../src/pki/rows/records.ts";
import { encodeCertId, encodeOcspRequest } from "../src/x509/ocsp-request.ts";
import { parseCertificate } from "../src/x509/certificate.ts";
import { cpuOf, figure, median, round } from "./figures.ts";
import { generatedRole, generateRows, hostName, someKeys, tableBytes } from "./generated-rows.ts";
import { seedRevoked } from "./revoked.ts";
import { webRole, withCa } from "./server.ts";

/** Options for the large-mount benchmark. */
export interface LargeOptions {
  /** Numbers of certificates at which the mount is measured, in ascending order. */
  readonly counts: readonly number[];
  readonly partitions: number;
  /** Number of entries in the mount's CRLs. If 0, CRLs are not measured. */
  readonly revoked: number;
  /** Number of rounds of calls. */
  readonly rounds: number;
  /** Directory for the databases, which are deleted afterwards. */
  readonly directory: string;
}

/** A database file, and the number of certificates of its mount. */
type LargeFile = readonly [file: string, count: number];
const mib = (bytes: number): string => `${round(bytes / 2 ** 20)} MiB`;
const seconds = (since: number): string => `${round((performance.now() - since) / 1000)} s`;
const rss = (): number => process.memoryUsage().rss;

/** Returns the UUID and the number of partitions of the large mount. */
async function largeMount(ca: Ca) {
  const { uuid: mount, config } = await ca.sys.readMount({ path: "big" });
  return { mount, partitions: config.partitions ?? 1 };
}

/**
 * Creates a mount with a root CA, a role, and `partitions * 12 + 1` certificates. Returns the
 * mount's UUID and the serial number of the last certificate.
 */
async function createLarge(file: string, partitions: number) {
  return withCa(file, async (ca) => {
    const config = { partitions, max_lease_ttl: "87600h" };
    await ca.sys.createMount({ path: "big", type: "pki", config });
    const pki = ca.mount("big");
    await pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "80000h" });
    await pki.writeUrls({ crl_distribution_points: ["http://ca.example.com/v1/big/crl"] });
    await pki.writeCrlConfig({ auto_rebuild: true });
    await pki.writeRole({ name: "web", ...webRole });
    // creates the index columns of every partition
    for (let n = 0; n < partitions * 12; n++)
      await pki.issue({ role: "web", common_name: `first${n}.example.com` });
    const { serial_number } = await pki.issue({ role: "web", common_name: hostName(0) });
    const { mount } = await largeMount(ca);
    return { mount, issued: fromHex(serial_number.replaceAll(":", "")) };
  });
}

/** The measured calls by kind. A call receives the number of its repetition. */
type Calls = Readonly<Record<string, (n: number) => Promise<unknown>>>;

/** Returns the calls to measure on a mount with `count` certificates. */
async function callsOf(ca: Ca, [file, count]: LargeFile): Promise<Calls> {
  const pki = ca.mount("big");
  const { certificate } = await pki.readIssuer({ issuer_ref: "default" });
  const issuer = parseCertificate(decodePem(certificate)[0]?.der ?? new Uint8Array());
  // a mount does not revoke its root
  const root = keys.cert(issuer.serial);
  const serials = someKeys({ file, ...(await largeMount(ca)) }, 1000)
    .filter((key) => key !== root)
    .map((key) => key.slice("cert/".length));
  const serialAt = (n: number): string => serials[n % serials.length] ?? "";
  const limit = 100;
  return {
    issue: (n) => pki.issue({ role: "web", common_name: `new${n}.example.com` }),
    "change of the configuration": (n) =>
      pki.writeRole({ name: "other", ...webRole, max_ttl: 3600 + n }),
    "read a certificate": (n) => pki.readCert({ serial: serialAt(n) }),
    "a page of the list": (n) => pki.listCerts({ limit, after: serialAt(n) }),
    "search by the beginning of a name": (n) =>
      pki.searchCerts({ limit, name: hostName(Math.floor((n * count) / 400) % count).slice(0, 7) }),
    "search by a role of one in ten": () => pki.searchCerts({ limit, role: generatedRole(0) }),
    "search the newest": () => pki.searchCerts({ limit, order: "newest" }),
    OCSP: async (n) => {
      const id = await encodeCertId("SHA-1", issuer, fromHex(serialAt(n)));
      const response = await ca.fetch(
        new Request("http://bench/v1/big/ocsp", {
          method: "POST",
          headers: { "content-type": "application/ocsp-request" },
          body: encodeOcspRequest([id]),
        }),
      );
      if (response.status !== 200) throw new Error(`OCSP: ${response.status}`);
      return response.arrayBuffer();
    },
    // excludes the certificates in the OCSP requests
    revoke: (n) => pki.revoke({ serial_number: serialAt(n + 500) }),
  };
}

/** Durations of calls of one kind (ms). */
interface Taken {
  readonly wall: number[];
  cpu: number;
}
/** Number of calls of each kind per round. */
const perRound = 20;

async function runRound(calls: Calls, taken: Map<string, Taken>, round: number): Promise<void> {
  for (const [kind, run] of Object.entries(calls)) {
    const of = taken.get(kind) ?? { wall: [], cpu: 0 };
    taken.set(kind, of);
    const used = await cpuOf(async () => {
      for (let n = 0; n < perRound; n++) {
        const begun = performance.now();
        await run(round * perRound + n);
        of.wall.push(performance.now() - begun);
      }
    });
    of.cpu += used / 1000;
  }
}

/**
 * Measures calls to mounts with different numbers of certificates. Alternates between the mounts,
 * so that other work on the machine affects all of them.
 */
async function measureCalls(mounts: readonly LargeFile[], rounds: number) {
  const seen: (readonly [count: number, calls: Calls, taken: Map<string, Taken>])[] = [];
  const measure = async ([next, ...rest]: typeof mounts): Promise<void> => {
    if (next)
      return withCa(next[0], async (ca) => {
        seen.push([next[1], await callsOf(ca, next), new Map()]);
        await measure(rest);
      });
    // a first, unmeasured round loads modules and fills caches
    for (const [, calls] of seen) await runRound(calls, new Map(), 0);
    for (let round = 1; round <= rounds; round++)
      for (const [, calls, taken] of seen) await runRound(calls, taken, round);
  };
  await measure(mounts);
  const first = seen[0]?.[2];
  for (const [count, , taken] of seen)
    for (const [kind, { wall, cpu }] of taken) {
      const each = cpu / wall.length;
      const of = first?.get(kind);
      const ratio = of ? `; ${round(median(wall) / median(of.wall) || 0)} times the first` : "";
      figure(
        `${count} certificates: ${kind}`,
        `p50 ${round(median(wall))} ms, CPU ${round(each)} ms${ratio}`,
      );
    }
}

/** Runs a function, and returns its result and the peak increase in resident memory. */
async function memoryDuring<T>(run: () => Promise<T>): Promise<readonly [T, number]> {
  const before = rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, rss())), 20);
  try {
    return [await run(), Math.max(peak, rss()) - before];
  } finally {
    clearInterval(timer);
  }
}

/** Measures CRLs with 16 shards, from revocation rows without certificates. */
async function measureCrls(file: string, count: number): Promise<void> {
  const shards = 16;
  await withCa(file, async (ca, stores) => {
    const store = stores((await largeMount(ca)).mount);
    const pki = ca.mount("big");
    await pki.writeCrlConfig({ auto_rebuild: true, shards });
    const [begun, before] = [performance.now(), statSync(file).size];
    await seedRevoked(store, { count, shards });
    const grown = mib(statSync(file).size - before);
    figure(`${count} revocations: to write their rows`, `${seconds(begun)}, ${grown}`);
    for (const what of ["first", "again"]) {
      const started = performance.now();
      const [, more] = await memoryDuring(() => pki.rotateCrl({}));
      const [took, memory] = [seconds(started), mib(more)];
      figure(`${count} revocations in ${shards} shards: all CRLs, ${what}`, `${took}, ${memory}`);
    }
    const sizes: number[] = [];
    for (let shard = 0; shard < shards; shard++) {
      const path = `http://bench/v1/big/crl/shard/${shards}-${shard}`;
      const response = await ca.fetch(new Request(path));
      if (response.ok) sizes.push((await response.arrayBuffer()).byteLength);
    }
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    figure(
      `${count} revocations: ${sizes.length} CRLs`,
      `${mib(total)}, the largest ${mib(Math.max(0, ...sizes))}`,
    );
    const started = performance.now();
    await pki.issue({ role: "web", common_name: "a.example.com" });
    figure(
      `${count} revocations: an issuance afterwards`,
      `${round(performance.now() - started)} ms`,
    );
  });
}

/** Runs a function, and returns its duration and CPU time as text. */
async function timeText(run: () => Promise<unknown>): Promise<string> {
  const begun = performance.now();
  const used = await cpuOf(run);
  return `${seconds(begun)}, CPU ${round(used / 1e6)} s`;
}

/** Measures a backup of a mount, and a restore of the backup into another file. */
async function measureBackup([file, count]: LargeFile, directory: string): Promise<void> {
  const parts: Uint8Array[] = [];
  const backup = await timeText(() =>
    withCa(file, async (ca) => {
      for await (const part of ca.backup("big")) parts.push(part);
    }),
  );
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  figure(`${count} certificates: a backup`, `${mib(bytes)} in ${backup}`);
  const restore = await timeText(() =>
    withCa(join(directory, "restored.db"), async (ca) => ca.restore("big", parts)),
  );
  figure(`${count} certificates: its restore`, restore);
}

/**
 * Generates the database files: one mount grows to each number of certificates in turn, and its
 * file is copied at each size.
 */
async function generateFiles({ counts, partitions }: LargeOptions, directory: string) {
  const file = join(directory, "ca.db");
  const { mount, issued } = await createLarge(file, partitions);
  let from = 0;
  const files: LargeFile[] = [];
  for (const to of counts) {
    const begun = performance.now();
    generateRows({ file, mount, partitions, issued, from, to });
    figure(`${to} certificates: to write ${to - from} rows`, seconds(begun));
    from = to;
    const copy = join(directory, `${to}.db`);
    copyFileSync(file, copy);
    files.push([copy, to]);
  }
  return files;
}

/**
 * Measures calls to mounts with different numbers of generated certificates, a backup of the
 * smallest mount, and the CRLs of the largest one.
 */
export async function benchLarge(options: LargeOptions): Promise<void> {
  const { revoked, rounds } = options;
  const directory = mkdtempSync(join(options.directory, "sealwright-bench-"));
  try {
    const files = await generateFiles(options, directory);
    for (const [file, count] of files)
      figure(`${count} certificates: size of the file`, mib(statSync(file).size));
    await measureCalls(files, rounds);
    const [first] = files;
    if (first) await measureBackup(first, directory);
    const last = files.at(-1)?.[0];
    if (last === undefined) return;
    if (revoked > 0) await measureCrls(last, revoked);
    const sizes = [...tableBytes(last)].map(([tree, bytes]) => `${tree} ${mib(bytes)}`);
    figure("bytes of tables and B-trees", sizes.join(", "));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
