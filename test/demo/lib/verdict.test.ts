import { beforeAll, describe, expect, it } from "vitest";
import {
  verdictOnKey,
  verdictOnLifetime,
  verdictOnName,
  kindOf,
} from "../../../demo/lib/verdict.ts";
import { clean, fieldsOf } from "../../../demo/lib/request-fields.ts";
import { createCa, memoryStore, RefusedError, type Ca } from "../../../src/index.ts";

const seed = Number(process.env["SEED"] ?? 20261121);

/** Returns a seeded random generator (mulberry32). */
function generator(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const names = [
  "corp.test",
  "api.corp.test",
  "API.corp.test",
  "CORP.test",
  "x.api.corp.test",
  "*.corp.test",
  "a*.corp.test",
  "*.*.corp.test",
  "*",
  "*.x.corp.test",
  "localhost",
  "a.localhost",
  "*.localhost",
  "localdomain",
  "bob@corp.test",
  "bob@mail.corp.test",
  "@corp.test",
  "a_b.corp.test",
  "-a.corp.test",
  "corp.test.",
  "other.example",
  "127.0.0.1",
  "::1",
  "10.300.0.1",
  "https://corp.test/x",
  "urn:x:y",
  "spiffe://corp.test/a",
  "bücher.corp.test",
  "plain",
  "q.corp.test",
];
const domains = [
  [],
  ["corp.test"],
  ["*.corp.test"],
  ["*.corp.test", "corp.test"],
  ["corp.test", "bob@corp.test"],
  ["q*.test"],
  ["localhost"],
];
const flags = [
  "allow_any_name",
  "allow_localhost",
  "allow_bare_domains",
  "allow_subdomains",
  "allow_glob_domains",
  "allow_wildcard_certificates",
  "enforce_hostnames",
  "allow_ip_sans",
] as const;
const common = [["email", "hostname"], ["hostname"], ["email"], ["disabled"]] as const;
const uris = [[], ["https://corp.test/*"], ["*"]];

describe("the check of a request in the page", () => {
  let ca: Ca;
  beforeAll(async () => {
    ca = createCa({ stores: memoryStore() });
    await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: 31_536_000 });
  });

  it(`agrees with the server for generated roles and names (seed ${seed})`, async () => {
    const below = generator(seed);
    const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const differences: string[] = [];
    for (let round = 0; round < 120; round++) {
      const fields = {
        ...Object.fromEntries(
          flags.map((flag) => [flag, below(flag === "allow_any_name" ? 6 : 2) === 1]),
        ),
        allowed_domains: pick(domains),
        cn_validations: pick(common),
        allowed_uri_sans: pick(uris),
        allowed_ip_sans_cidr: pick([[], ["127.0.0.0/8", "fd00::/8"]]),
        require_cn: false,
        key_type: "ed25519" as const,
      };
      const role = (await ca.pki.writeRole({ name: "any", ...fields })) as Readonly<
        Record<string, unknown>
      >;
      for (let i = 0; i < 6; i++) {
        const asked = below(3) === 0 ? [pick(names), pick(names)] : [pick(names)];
        const common = asked.find((name) => kindOf(name) === "name");
        const judged = clean(asked).map((name) => verdictOnName(role, name, name === common));
        const allowed = judged.every((one) => one.allowed);
        const answer = await ca.pki.issue({ role: "any", ...fieldsOf(asked) }).then(
          () => "",
          (error: unknown) =>
            error instanceof RefusedError ? error.message || "refused" : String(error),
        );
        if (allowed !== (answer === ""))
          differences.push(
            `${asked.join(" and ")} under ${JSON.stringify(fields)}: page ${allowed} (${judged.map(({ why }) => why).join("; ")}), authority ${answer || "issued"}`,
          );
      }
    }
    expect(differences).toEqual([]);
  });

  it("rejects a key of the wrong type or size", () => {
    expect(verdictOnKey({ key_type: "ec", key_bits: 256 }, "ECDSA P-384").allowed).toBe(true);
    expect(verdictOnKey({ key_type: "ec", key_bits: 384 }, "ECDSA P-256")).toMatchObject({
      allowed: false,
      rule: "key_bits",
    });
    expect(verdictOnKey({ key_type: "rsa", key_bits: 2048 }, "ECDSA P-256")).toMatchObject({
      allowed: false,
      rule: "key_type",
    });
    expect(verdictOnKey({ key_type: "any" }, "RSA 2048").allowed).toBe(true);
    expect(verdictOnKey({ key_type: "any" }, "ML-DSA-65")).toMatchObject({
      allowed: false,
      rule: "key_type",
    });
    expect(verdictOnKey({ key_type: "ml-dsa-65", key_bits: 0 }, "ML-DSA-65").allowed).toBe(true);
    expect(verdictOnKey({ key_type: "ml-dsa-44", key_bits: 0 }, "ML-DSA-65").allowed).toBe(false);
    expect(verdictOnKey({ key_type: "ed25519", key_bits: 0 }, "Ed25519").allowed).toBe(true);
  });

  it("rejects a lifetime that is too long", () => {
    expect(verdictOnLifetime({ max_ttl: "720h" }, "2160h")).toMatchObject({
      allowed: false,
      rule: "max_ttl",
    });
    expect(verdictOnLifetime({ max_ttl: 0 }, "2160h")).toMatchObject({ allowed: true });
    expect(verdictOnLifetime({ max_ttl: 7_776_000 }, "")).toMatchObject({ allowed: true });
  });
});
