import { createCa, memoryStore, sealedVault, type Ca, type Store } from "../src/index.ts";
import { nodeCrypto } from "../src/node/index.ts";
import { encodeRevokedEntry } from "../src/x509/crl.ts";
import { certify } from "../src/pki/issuer/certify.ts";
import { keys } from "../src/pki/rows/records.ts";
import { atLeast, atMost, figure, median, percent, round } from "./figures.ts";
import { leafRequest } from "./leaf.ts";
import { randomSerial } from "./revoked.ts";
import { webRole } from "./server.ts";

const inFlight = 16;

/** Returns the number of operations per second, with `lanes` operations in progress at a time. */
export async function rate(
  run: () => Promise<unknown>,
  ms: number,
  lanes = inFlight,
): Promise<number> {
  const begun = performance.now();
  const end = begun + ms;
  let done = 0;
  const lane = async (): Promise<void> => {
    for (; performance.now() < end; done++) await run();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (done * 1000) / (performance.now() - begun);
}

/** Measures signing and issuing in this process, relative to signing with WebCrypto alone. */
export async function benchProcess(): Promise<void> {
  const { plan, template, serial, signer } = await leafRequest();
  const tbs = crypto.getRandomValues(new Uint8Array(500));
  const raw = () => crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, signer, tbs);
  const leaf = () => certify(plan, template, serial);
  const issue = await issuer(createCa({ stores: memoryStore() }));
  const vault = sealedVault({ key: new Uint8Array(32), crypto: nodeCrypto });
  const direct = await issuer(createCa({ stores: memoryStore(), vault, crypto: nodeCrypto }));
  await Promise.all([rate(raw, 300), rate(leaf, 300), rate(issue, 600), rate(direct, 600)]);
  // Node's WebCrypto signs on four threads, and everything else runs on one, so the comparison is
  // fair only with one operation in progress
  for (const lanes of [inFlight, 1]) {
    const seen: Readonly<Record<"raw" | "leaf" | "issue" | "direct", number[]>> = {
      raw: [],
      leaf: [],
      issue: [],
      direct: [],
    };
    for (let round = 0; round < 5; round++) {
      seen.raw.push(await rate(raw, 400, lanes));
      seen.leaf.push(await rate(leaf, 400, lanes));
      seen.issue.push(await rate(issue, 400, lanes));
      seen.direct.push(await rate(direct, 400, lanes));
    }
    const against = (values: readonly number[]) =>
      median(values.map((value, i) => value / (seen.raw[i] ?? Number.NaN)));
    figure(
      `in process, ${lanes} concurrent: P-256 signatures by WebCrypto alone`,
      `${round(median(seen.raw))}/s`,
    );
    atLeast(
      `in process, ${lanes} concurrent: encode and sign a leaf, relative to that`,
      against(seen.leaf),
      0.5,
      `${round(median(seen.leaf))}/s`,
    );
    atLeast(
      `in process, ${lanes} concurrent: a whole issuance, relative to that`,
      against(seen.issue),
      0.25,
      `${round(median(seen.issue))}/s`,
    );
    figure(
      `in process, ${lanes} concurrent: an issuance with node:crypto, as in the server`,
      `${percent(against(seen.direct))} (${round(median(seen.direct))}/s)`,
    );
  }
}

/** Creates a root and a role, and returns a function that issues one certificate. */
async function issuer(ca: Ca): Promise<() => Promise<unknown>> {
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeRole({ name: "web", ...webRole });
  let n = 0;
  return () => ca.pki.issue({ role: "web", common_name: `h${n++}.example.com` });
}

/** Measures building, signing and storing a complete CRL with 100,000 entries in this process. */
export async function benchCrl(): Promise<void> {
  const stores = memoryStore();
  const opened = new Map<string, Store>();
  const ca = createCa({
    stores: (name) => (opened.set(name, stores(name)), stores(name)),
    sealingKey: new Uint8Array(32),
  });
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  const store = [...opened].find(([name]) => name !== "sys")?.[1];
  const [issuer] = (await store?.list("issuer/")) ?? [];
  const set = (issuer?.[1].value as { crl_set: string } | undefined)?.crl_set ?? "";
  const append: [string, Uint8Array][] = [];
  const put: [string, unknown][] = [];
  for (let i = 0; i < 100_000; i++) {
    const serial = randomSerial();
    append.push([keys.crlPages(set), encodeRevokedEntry({ serial, revokedAt: 1_800_000_000 })]);
    put.push([keys.revoked(serial), { at: 1_800_000_000_000, issuer: "", crl_set: set }]);
  }
  // joined, because otherwise the last page would be copied for each entry
  await store?.commit({ append: joined(append), put });
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    const begun = performance.now();
    await ca.pki.rotateCrl({});
    times.push(performance.now() - begun);
  }
  const crl = await ca.pki.readCrl({});
  atMost(
    "in process: complete CRL of 100,000 entries",
    median(times),
    20,
    "ms",
    `${crl?.length} bytes`,
  );
}

function joined(entries: readonly [string, Uint8Array][]): [string, Uint8Array][] {
  const pages: [string, Uint8Array][] = [];
  for (let at = 0; at < entries.length; at += 1500)
    pages.push([
      entries[0]?.[0] ?? "",
      Buffer.concat(entries.slice(at, at + 1500).map(([, bytes]) => bytes)),
    ]);
  return pages;
}
