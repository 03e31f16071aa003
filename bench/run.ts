/**
 * Prints figures and ratios of one run on this machine: `npm run bench -- [names]`, names of
 * process, crl, revocation, domains, search, runtime, start, http, ocsp, acme, est, external, vars,
 * tokens, backup, page, postgres; all
 * of these when none is given. `--seconds=2` how long one round of one kind lasts, `--rounds=3` how many,
 * `--certificates=100000`, `--flows=10000`, `--most=1000000` how many are revoked. Only by name: `compare`
 * (`--before=<entry of another Worker>`, `--kinds=issue,sign,…`) measures two Workers in turn,
 * `profile` (`--kind=issue`, `--entry=`) tells where the time of one kind goes, `kills`
 * (`--rounds=100`) kills processes under load and looks for what was lost, `log` (`--minutes=10`)
 * watches the write-ahead logs; `--seed=` repeats their chances.
 */
import { missed } from "./figures.ts";
import { benchAcme } from "./acme.ts";
import { benchBackup } from "./backup.ts";
import { benchCompare } from "./compare.ts";
import { benchEst } from "./est.ts";
import { benchExternal } from "./external.ts";
import { benchHttp } from "./http.ts";
import { benchKills } from "./kills.ts";
import { benchLog } from "./log.ts";
import { benchCrl, benchProcess } from "./process.ts";
import { benchStart } from "./start.ts";
import { benchOcsp } from "./ocsp.ts";
import { benchPage } from "./page.ts";
import { benchPostgres } from "./postgres.ts";
import { benchProfile } from "./profile.ts";
import { benchRevocation } from "./revocation.ts";
import { benchRevocationHttp } from "./revocation-http.ts";
import { benchRuntime } from "./runtime.ts";
import { benchDomains, benchSearch } from "./search.ts";
import { benchTokens } from "./tokens.ts";
import { benchVars } from "./vars.ts";

const flags = new Map(
  process.argv
    .slice(2)
    .flatMap((word) =>
      word.startsWith("--") ? [word.slice(2).split("=") as [string, string]] : [],
    ),
);
const names = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const number = (name: string, otherwise: number): number => Number(flags.get(name) ?? otherwise);

const parts: Readonly<Record<string, () => Promise<void>>> = {
  process: benchProcess,
  external: () => benchExternal(number("seconds", 2)),
  crl: benchCrl,
  revocation: async () => {
    await benchRevocation(number("most", 1_000_000));
    await benchRevocationHttp();
  },
  domains: benchDomains,
  search: () => benchSearch(number("certificates", 100_000)),
  runtime: benchRuntime,
  start: benchStart,
  http: () =>
    benchHttp({
      seconds: number("seconds", 2),
      rounds: number("rounds", 3),
      certificates: number("certificates", 100_000),
      lists: !flags.has("no-lists"),
    }),
  ocsp: () =>
    benchOcsp({
      seconds: number("seconds", 2),
      rounds: number("rounds", 3),
      certificates: number("certificates", 100_000),
    }),
  acme: () =>
    benchAcme({
      seconds: number("seconds", 2),
      rounds: number("rounds", 3),
      flows: number("flows", 10_000),
    }),
  est: () => benchEst({ seconds: number("seconds", 2), rounds: number("rounds", 3) }),
  tokens: () => benchTokens({ seconds: number("seconds", 2), rounds: number("rounds", 3) }),
  vars: () => benchVars({ seconds: number("seconds", 2), rounds: number("rounds", 3) }),
  backup: () => benchBackup(number("certificates", 90_000), 5 * number("seconds", 2)),
  page: benchPage,
  postgres: benchPostgres,
};
const seed = number("seed", Math.floor(Math.random() * 2 ** 31));
/** Trials that take long and measure little: not part of a run of all. */
const trials: typeof parts = {
  compare: () =>
    benchCompare({
      seconds: number("seconds", 2),
      rounds: number("rounds", 5),
      before: flags.get("before") ?? fail("compare needs --before=<entry of the other Worker>"),
      only: flags.get("kinds")?.split(",") ?? [],
    }),
  profile: () =>
    benchProfile({
      seconds: number("seconds", 5),
      kind: flags.get("kind") ?? "issue",
      entry: flags.get("entry"),
    }),
  kills: () => benchKills({ rounds: number("rounds", 100), seed }),
  log: () => benchLog({ minutes: number("minutes", 10), seed }),
};
function fail(text: string): never {
  throw new TypeError(text);
}
for (const name of names.length > 0 ? names : Object.keys(parts)) {
  const part = parts[name] ?? trials[name];
  if (part === undefined)
    throw new TypeError(`no bench ${name}: ${Object.keys({ ...parts, ...trials }).join(", ")}`);
  const begun = performance.now();
  console.log(`\n${name}`);
  await part();
  console.log(`       (${((performance.now() - begun) / 1000).toFixed(0)} s)`);
}
const all = missed();
console.log(
  all.length === 0
    ? "\nEvery target was met in this run."
    : `\n${all.length} missed:\n${all.map((line) => `  ${line}`).join("\n")}`,
);
process.exit();
