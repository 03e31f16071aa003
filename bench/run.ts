/**
 * Runs benches and prints their figures and ratios: `npm run bench -- [names]`. Without names, all
 * `parts` run. The `trials` take a long time or measure little, so they run only by name. README.md
 * describes each bench and its flags.
 */
import { tmpdir } from "node:os";
import { benchAcme } from "./acme.ts";
import { benchBackup } from "./backup.ts";
import { benchCompare } from "./compare.ts";
import { benchEst } from "./est.ts";
import { benchExternal } from "./external.ts";
import { missed } from "./figures.ts";
import { isGiven, names, number, text, workers } from "./flags.ts";
import { benchHttp } from "./http.ts";
import { benchKills } from "./kills.ts";
import { benchGrowth } from "./growth.ts";
import { benchLarge } from "./large.ts";
import { benchLog } from "./log.ts";
import { benchLogCpu } from "./log-cpu.ts";
import { benchLogStorage } from "./log-storage.ts";
import { benchMemory } from "./memory.ts";
import { benchModulus } from "./modulus.ts";
import { benchOcsp } from "./ocsp.ts";
import { benchOcspPages } from "./ocsp-pages.ts";
import { benchPage } from "./page.ts";
import { benchParser } from "./parser.ts";
import { benchPostgres } from "./postgres.ts";
import { benchCrl, benchProcess } from "./process.ts";
import { benchProcesses } from "./processes.ts";
import { benchProfile } from "./profile.ts";
import { benchRevocation } from "./revocation.ts";
import { benchRevocationHttp } from "./revocation-http.ts";
import { benchRuntime } from "./runtime.ts";
import { benchScale } from "./scale.ts";
import { benchDomains, benchSearch } from "./search.ts";
import { benchShards } from "./shards.ts";
import { benchStart } from "./start.ts";
import { benchTokens } from "./tokens.ts";
import { benchVars } from "./vars.ts";
import { benchWalk } from "./walk.ts";

/** Duration of a round in seconds, and number of rounds, for each kind of request. */
const length = { seconds: number("seconds", 2), rounds: number("rounds", 3) };
const certificates = number("certificates", 100_000);
const seed = number("seed", Math.floor(Math.random() * 2 ** 31));

const parts: Readonly<Record<string, () => Promise<void>>> = {
  process: benchProcess,
  modulus: benchModulus,
  external: () => benchExternal(length.seconds),
  crl: benchCrl,
  revocation: async () => {
    await benchRevocation(number("most", 1_000_000));
    await benchRevocationHttp();
  },
  domains: benchDomains,
  search: () => benchSearch(certificates),
  runtime: benchRuntime,
  start: benchStart,
  parser: () => benchParser(length),
  http: () => benchHttp({ ...length, certificates, lists: !isGiven("no-lists") }),
  processes: () => benchProcesses({ ...length, rounds: number("rounds", 5) }),
  scale: () => benchScale(number("rounds", 20)),
  ocsp: () => benchOcsp({ ...length, certificates }),
  acme: () => benchAcme({ ...length, flows: number("flows", 10_000) }),
  est: () => benchEst(length),
  tokens: () => benchTokens(length),
  vars: () => benchVars(length),
  backup: () => benchBackup(number("certificates", 90_000), 5 * length.seconds),
  page: benchPage,
  postgres: benchPostgres,
};
const trials: typeof parts = {
  compare: () =>
    benchCompare({
      ...length,
      rounds: number("rounds", 5),
      before: text("before") ?? fail("compare needs --before=<directory of another checkout>"),
      kinds: text("kinds")?.split(",") ?? [],
      workers: isGiven("workers") ? workers : undefined,
      log: isGiven("log"),
    }),
  memory: () => benchMemory(certificates, isGiven("workers") ? [workers] : [1, 2]),
  profile: () =>
    benchProfile({
      seconds: number("seconds", 5),
      kind: text("kind") ?? "issue",
      top: number("top", 60),
      log: isGiven("log"),
    }),
  kills: () =>
    benchKills({
      rounds: number("rounds", 100),
      seed,
      workers,
      partitions: number("partitions", 1),
    }),
  growth: () => benchGrowth(number("certificates", 100_000)),
  large: () =>
    benchLarge({
      counts: (text("counts") ?? "10000,1000000").split(",").map(Number),
      partitions: number("partitions", 16),
      revoked: number("revoked", 0),
      rounds: number("rounds", 10),
      directory: text("directory") ?? tmpdir(),
    }),
  "ocsp-pages": () => benchOcspPages(number("rounds", 40), number("revoked", 100_000)),
  shards: () =>
    benchShards({
      revoked: number("revoked", 1_000_000),
      shards: number("shards", 16),
      partitions: (text("partitions") ?? "1,4,16").split(",").map(Number),
      rounds: number("rounds", 48),
    }),
  log: () => benchLog({ minutes: number("minutes", 10), seed }),
  "log-cpu": () =>
    benchLogCpu({ rounds: number("rounds", 80), certificates: number("certificates", 240) }),
  "log-storage": () => benchLogStorage(number("certificates", 3000)),
  walk: benchWalk,
};
function fail(why: string): never {
  throw new TypeError(why);
}
for (const name of names.length > 0 ? names : Object.keys(parts)) {
  const part = parts[name] ?? trials[name];
  if (part === undefined)
    throw new TypeError(
      `unknown bench ${name}: ${Object.keys({ ...parts, ...trials }).join(", ")}`,
    );
  const begun = performance.now();
  console.log(`\n${name}`);
  await part();
  console.log(`       (${((performance.now() - begun) / 1000).toFixed(0)} s)`);
}
const all = missed();
console.log(
  all.length === 0
    ? "\nEvery target was met in this run."
    : `\n${all.length} targets missed:\n${all.map((line) => `  ${line}`).join("\n")}`,
);
process.exit();
