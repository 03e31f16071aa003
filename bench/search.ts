import { createCa, memoryStore, type Store } from "../src/index.ts";
import { toHex } from "../src/base/bytes.ts";
import { prepareTbs } from "../src/pki/issuer/certify.ts";
import { certIndex, keys, type CertRow } from "../src/pki/rows/records.ts";
import { assembleSigned } from "../src/x509/certificate.ts";
import { atMost, median } from "./figures.ts";
import { leafRequest } from "./leaf.ts";
import { randomSerial } from "./revoked.ts";

const page = 100;
type Ca = ReturnType<typeof createCa>;

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

/**
 * Creates an authority with a root, the `web` role, and certificates for `h<number>.example.com`, a
 * tenth of which are revoked. Their signatures are invalid, but this bench does not verify them.
 */
async function filled(
  certificates: number,
): Promise<{ readonly ca: Ca; readonly issuer: string; readonly soonest: number }> {
  const stores = memoryStore();
  const opened = new Map<string, Store>();
  const ca = createCa({
    stores: (name) => (opened.set(name, stores(name)), stores(name)),
    sealingKey: new Uint8Array(32),
  });
  const { issuer_id: issuer } = await ca.pki.generateRoot({
    common_name: "Bench Root",
    key_type: "ec",
    ttl: "87600h",
  });
  const store = [...opened].find(([name]) => name !== "sys")?.[1];
  const { plan, template: first } = await leafRequest();
  const soonest = first.notAfter;
  for (let from = 0; from < certificates; from += 1000) {
    const put: [string, unknown, ReturnType<typeof certIndex>?][] = [];
    for (let i = from; i < Math.min(from + 1000, certificates); i++) {
      const name = `h${i}.example.com`;
      const serial = randomSerial();
      const notAfter = soonest + i;
      const template = {
        ...first,
        notAfter,
        names: { ...first.names, dns: [name] },
        subject: [[{ oid: "2.5.4.3", value: name }]],
      };
      const row: CertRow = {
        der: assembleSigned(
          prepareTbs(plan, template, serial),
          plan.algorithm,
          new Uint8Array(71).fill(1),
        ),
        issuer,
        crl_set: "",
        role: "web",
      };
      put.push([
        keys.cert(serial),
        row,
        certIndex({ ...row, notBefore: template.notBefore, notAfter, name }),
      ]);
      if (i % 10 === 0) put.push([keys.revoked(serial), { serial: toHex(serial) }]);
    }
    await store?.commit({ put });
  }
  return { ca, issuer, soonest };
}

/**
 * Measures pages of searches among many certificates in this process. Some searches find a hundred
 * certificates; others find none and read the maximum number of rows for a page.
 */
export async function benchSearch(certificates: number): Promise<void> {
  const { ca, issuer, soonest } = await filled(certificates);
  const all = { limit: page };
  const kinds: Readonly<Record<string, Parameters<Ca["pki"]["searchCerts"]>[0]>> = {
    "by the beginning of a name": { ...all, name: "h1" },
    "by role": { ...all, role: "web" },
    "by issuer": { ...all, issuer },
    "by expiry": { ...all, not_after_from: soonest + certificates / 2 },
    "by role, valid ones": { ...all, role: "web", state: "valid" },
    "by role, revoked ones": { ...all, role: "web", state: "revoked" },
    "a name in one of ten": { ...all, san: "7.EXAMPLE" },
    "a name in none": { ...all, san: "nobody.test" },
    "an address in none": { ...all, san: "10.9.8.7" },
    "by name, and by an expiry of none": { ...all, name: "h", not_after_to: 1 },
    "by name, and by a role of none": { ...all, name: "h", role: "web", issuer: "nobody" },
    "expired ones, of which there are none": { ...all, role: "web", state: "expired" },
  };
  for (const [what, query] of Object.entries(kinds)) {
    const times: number[] = [];
    let count = 0;
    let cursor = "";
    for (let i = 0; i < 25; i++) {
      times.push(
        await elapsed(async () => {
          const answer = await ca.pki.searchCerts({ ...query, cursor });
          [cursor, count] = [answer.cursor, Math.max(count, answer.keys.length)];
        }),
      );
    }
    atMost(
      `a page of ${page} of ${certificates}: ${what}`,
      median(times.slice(5)),
      20,
      "ms",
      `${count} found, slowest ${Math.max(...times.slice(5)).toFixed(1)}`,
    );
  }
}

/**
 * Measures the time that a thousand allowed domains (plain domains or identity templates) add to a
 * request that only the last domain allows, or that none allows.
 */
export async function benchDomains(): Promise<void> {
  const entity = { id: "1", name: "ann", metadata: {}, aliases: {}, groups: [] };
  const ca = createCa({
    stores: memoryStore(),
    authenticate: async (id) => ({ id, entity, can: () => true }),
  });
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  const role = {
    key_type: "ec" as const,
    allow_subdomains: true,
    allow_bare_domains: true,
    allow_glob_domains: true,
    no_store: true,
  };
  const plain = Array.from({ length: 999 }, (_, i) => `d${i}*.example.net`);
  const templates = plain.map((domain) => domain.replace("*", ".{{identity.entity.name}}"));
  const common = { ...role, allowed_domains_template: true };
  await ca.pki.writeRole({ ...common, name: "few", allowed_domains: ["example.com"] });
  await ca.pki.writeRole({ ...common, name: "many", allowed_domains: [...plain, "example.com"] });
  await ca.pki.writeRole({
    ...common,
    name: "templates",
    allowed_domains: [...templates, "example.com"],
  });
  for (const [what, common_name] of [
    ["granted", "www.example.com"],
    ["refused", "www.example.org"],
  ] as const) {
    const headers = { "x-service-token": "ann" };
    const body = JSON.stringify({ common_name });
    const issueWith = (name: string) =>
      elapsed(() =>
        ca.fetch(
          new Request(`http://bench/v1/pki/issue/${name}`, { method: "POST", headers, body }),
        ),
      );
    const seen: { readonly few: number[]; readonly many: number[]; readonly templates: number[] } =
      { few: [], many: [], templates: [] };
    // alternating, so that all run under the same conditions
    for (let i = 0; i < 1500; i++)
      for (const name of ["few", "many", "templates"] as const)
        seen[name].push(await issueWith(name));
    const few = median(seen.few.slice(300));
    for (const [name, kind] of [
      ["many", "domains"],
      ["templates", "domain templates"],
    ] as const) {
      const more = (median(seen[name].slice(300)) - few) * 1000;
      atMost(
        `in process: what 1,000 allowed ${kind} add to a request, ${what}`,
        more,
        100,
        "us",
        `${(few * 1000).toFixed(0)} with one domain`,
      );
    }
  }
}
