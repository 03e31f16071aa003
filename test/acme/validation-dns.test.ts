import { describe, expect, it } from "vitest";
import { dns01 } from "../../src/acme/validation/dns-01.ts";
import { dnsAccount01 } from "../../src/acme/validation/dns-account-01.ts";
import { dnsPersist01 } from "../../src/acme/validation/dns-persist-01.ts";
import { validateHttp01 } from "../../src/acme/validation/http-01-validation.ts";
import { NetError } from "../../src/net/failure.ts";
import { digestText, proofOf, sameBytes, sameText } from "../../src/acme/validation/proof.ts";
import { resolverOf } from "../../src/acme/validation/network-validation.ts";
import { never, network, proof, verdict } from "./validation-network.ts";

const right = digestText(proof);
const name = "_acme-challenge.a.example";
const judged = (txt: readonly string[] | "fails") =>
  verdict(dns01.validate("a.example", proof, network({ [`TXT ${name}`]: txt }, {}), never));

describe("dns-01 (B 5.10, security row 41)", () => {
  it("B 5.10 dns-01: accepts the digest of the key authorization among several records", async () => {
    expect(right).toMatch(/^[\w-]{43}$/);
    expect(await judged([right])).toBe("proven");
    expect(await judged(["another", "", right, "x".repeat(2000)])).toBe("proven");
  });

  it.each([
    ["no record", [], `dns: DNS has no TXT record for ${name}`],
    ["a DNS that failed", "fails", `dns: cannot query the TXT records of ${name}`],
    [
      "another record",
      ["internal text"],
      `incorrect_response: the TXT record of ${name} is not the expected one`,
    ],
    [
      "the key authorization itself",
      [proof.keyAuthorization],
      `incorrect_response: the TXT record of ${name} is not the expected one`,
    ],
    [
      "others alone",
      ["a", `${right} `],
      `incorrect_response: none of the 2 TXT records of ${name} is the expected one`,
    ],
  ] as const)("rejects %s without revealing record contents", async (_, records, text) => {
    expect(await judged(records)).toBe(text);
  });

  it("explains a DNS failure without the resolver's error text", async () => {
    const reach = {
      ...network({}, {}),
      resolve: () => Promise.reject(new NetError("dns", "cannot connect to the nameserver")),
    };
    const why = ": cannot connect to the nameserver";
    expect(await verdict(dns01.validate("a.example", proof, reach, never))).toBe(
      `dns: cannot query the TXT records of ${name}${why}`,
    );
    expect(await verdict(validateHttp01("a.example", proof, reach, never))).toBe(
      `dns: cannot resolve the addresses of a.example${why}`,
    );
  });

  it("reports a DNS timeout as dns, and rejects an aborted attempt with the abort reason", async () => {
    const limit = new AbortController();
    const reach = {
      ...network({}, {}),
      timeout: () => limit.signal,
      resolve: (_: unknown, signal: AbortSignal) =>
        new Promise<never>((__, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    };
    const late = verdict(dns01.validate("a.example", proof, reach, never));
    limit.abort();
    expect(await late).toBe(`dns: cannot query the TXT records of ${name}`);
    const stop = new AbortController();
    const ended = dns01.validate(
      "a.example",
      proof,
      { ...reach, timeout: () => never },
      stop.signal,
    );
    stop.abort("somebody else waits");
    await expect(ended).rejects.toBe("somebody else waits");
  });
});

describe("dns-account-01", () => {
  it("queries the digest below the label of the account, and nowhere else", async () => {
    const of = { ...proof, accountUrl: "https://example.com/acme/acct/ExampleAccount" };
    const check = (at: string) =>
      verdict(
        dnsAccount01.validate("a.example", of, network({ [`TXT ${at}`]: [right] }, {}), never),
      );
    const own = "_ujmmovf2vn55tgye._acme-challenge.a.example";
    expect(await check(own)).toBe("proven");
    expect(await check(name)).toBe(`dns: DNS has no TXT record for ${own}`);
  });
});

describe("dns-persist-01", () => {
  const current = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs";
  const prefix = "https://ca.example/account-hash/";
  const of = {
    ...proof,
    accountUrl: "https://ca.example/acct/123",
    thumbprints: [current],
    issuerDomainNames: ["authority.example", "ca.example.net"],
    accountHashPrefix: prefix,
  };
  // both hashes are test vectors of the draft, section 10.2
  const [own, any] = [
    `accounturi=${prefix}sha-256/5SQm7n6tPh2-PlLbCKGnViTXX5z19SCN4cPGQHSk-kw`,
    `accounturi=${prefix}sha-256/NpDnSwUthQK8zCgFdefYxAdAVPnygMLbs9US6oO-5ug`,
  ];
  const at = "_validation-persist.example.com";
  const now = 1_767_225_600;
  const validate = (records: readonly string[], more: Partial<typeof of> = {}) =>
    dnsPersist01.validate(
      "example.com",
      { ...of, ...more },
      network({ [`TXT ${at}`]: records }, {}, { now: () => now * 1000 }),
      never,
    );

  it.each([
    ["the record of the domain", [`authority.example; ${own}`]],
    ["the record of any domain", [`authority.example; ${any}`]],
    ["the other name of the CA, in capitals and with a dot", [`CA.Example.Net.;${own}`]],
    ["spaces and unknown parameters", [` authority.example ; ${own} ;\tnew=x; `]],
    [
      "one of several records",
      [
        "",
        "other.example; accounturi=x",
        "authority.example; policy=wildcard",
        `authority.example; ${own}`,
      ],
    ],
    ["a later persistUntil", [`authority.example; ${own}; persistUntil=${now + 1}`]],
  ])("accepts %s", async (_, records) => {
    expect(await verdict(validate(records))).toBe("proven");
  });

  it.each([
    ["no record", [], `dns: DNS has no TXT record for ${at}`],
    [
      "records of other CAs",
      [`evil.example; ${own}`, "authority.example.evil.example"],
      `acme_unauthorized: no TXT record of ${at} has the issuer authority.example or ca.example.net`,
    ],
    ["no accounturi", ["authority.example"], "malformed: .* has no accounturi"],
    [
      "the account URL itself",
      ["authority.example; accounturi=https://ca.example/acct/123"],
      "malformed: .* is not https://ca.example/account-hash/sha-256/ and a hash",
    ],
    ["a hash of another length", [`authority.example; ${own}A`], "malformed: .* and a hash"],
    [
      "another hash",
      [`authority.example; ${own.replace("-kw", "-kx")}`],
      "acme_unauthorized: .* of another account, key or domain",
    ],
    [
      "a tag twice",
      [`authority.example; ${own}; ACCOUNTURI=${prefix}`],
      "malformed: .* invalid or repeated parameters",
    ],
    [
      "an empty parameter",
      [`authority.example; ${own};; a=b`],
      "malformed: .* invalid or repeated parameters",
    ],
    [
      "a persistUntil that has come",
      [`authority.example; ${own}; persistuntil=${now}`],
      "acme_unauthorized: .* is past its persistUntil",
    ],
    [
      "a persistUntil that is not a number",
      [`authority.example; ${own}; persistUntil=1e12`],
      "malformed: .* not a number of seconds",
    ],
    [
      "an empty persistUntil",
      [`authority.example; ${own}; persistUntil=`],
      "malformed: .* not a number of seconds",
    ],
  ])("rejects %s", async (_, records, why) => {
    expect(await verdict(validate(records))).toMatch(new RegExp(`^${why}`));
  });

  it("requires policy=wildcard, in any case, for wildcards only", async () => {
    const wild = { isWildcard: true };
    const record = `authority.example; ${own}`;
    const refused = /^acme_unauthorized: .* does not have policy=wildcard/;
    expect(await verdict(validate([record], wild))).toMatch(refused);
    expect(await verdict(validate([`${record}; policy=subdomains`], wild))).toMatch(refused);
    expect(await verdict(validate([`${record}; Policy=WildCard`], wild))).toBe("proven");
    expect(await verdict(validate([`${record}; policy=other`]))).toBe("proven");
  });

  it("accepts records with earlier keys of the account, and with no other keys", async () => {
    const records = [`authority.example; ${own}`];
    expect(await verdict(validate(records, { thumbprints: ["next", current] }))).toBe("proven");
    expect(await verdict(validate(records, { thumbprints: ["next"] }))).toMatch(
      /^acme_unauthorized/,
    );
  });

  it("accepts the record of a parent domain with policy=wildcard, only with persistentSubdomains", async () => {
    const record = `authority.example; ${own}`;
    const queried: string[] = [];
    const check = (name: string, more: string, on = true) => {
      const { resolve, ...rest } = network({ [`TXT ${at}`]: [`${record}${more}`] }, {}, {});
      const seen: typeof resolve = (question, signal) => {
        queried.push(question.name);
        return resolve(question, signal);
      };
      const proofOf = { ...of, persistentSubdomains: on };
      return verdict(dnsPersist01.validate(name, proofOf, { ...rest, resolve: seen }, never));
    };
    const wild = "; policy=wildcard";
    expect(await check("a.b.example.com", wild)).toBe("proven");
    // the error is the one for the name itself
    const refused = /^dns: DNS has no TXT record for _validation-persist\.a\.example\.com$/;
    expect(await check("a.example.com", wild, false)).toMatch(refused);
    expect(await check("a.example.com", "")).toMatch(refused);
    expect(await check("a.example.com", `${wild}; persistUntil=1`)).toMatch(refused);
    expect(await check("evil-example.com", wild)).toMatch(/^dns: /);
    expect(await check("1.2.3.4.5.example.com", wild)).toBe("proven");
    queried.length = 0;
    expect(await check("1.2.3.4.5.6.example.com", wild)).toMatch(/^dns: /);
    expect(await check("a.com", wild)).toMatch(/^dns: /);
    expect(queried.map((name) => name.replace("_validation-persist.", ""))).toEqual([
      "1.2.3.4.5.6.example.com",
      "2.3.4.5.6.example.com",
      "3.4.5.6.example.com",
      "4.5.6.example.com",
      "5.6.example.com",
      "6.example.com",
      "a.com",
    ]);
  });

  it("limits the authorization to the latest persistUntil", async () => {
    const until = (...ends: readonly number[]) =>
      validate(ends.map((end) => `authority.example; ${own}; persistUntil=${end}`));
    expect(await until(now + 60, now + 90, now - 1)).toBe(now + 90);
    expect(await validate([`authority.example; ${own}`])).toBe(Infinity);
  });
});

describe("resolverOf", () => {
  const asked: string[] = [];
  const ports = {
    random: (bytes: number) => new Uint8Array(bytes),
    dial: async ({ address, port }: { readonly address: string; readonly port: number }) => {
      asked.push(`${address} ${port}`);
      throw new Error("refused");
    },
    resolve: async () => ["8.8.8.8"],
  };

  it.each([
    ["192.0.2.53:5353", "192.0.2.53 5353"],
    ["[2001:db8::53]:53", "2001:db8::53 53"],
  ])("with dns_resolver %s queries it over TCP", async (dns_resolver, where) => {
    asked.length = 0;
    const resolve = resolverOf(ports, { dns_resolver });
    await expect(resolve?.({ name: "a.example", type: "A" }, never)).rejects.toThrow();
    expect(asked).toEqual([where]);
  });

  it("without dns_resolver returns the resolver of the runtime, if there is one", async () => {
    const resolve = resolverOf(ports, { dns_resolver: "" });
    expect(await resolve?.({ name: "a.example", type: "A" }, never)).toEqual(["8.8.8.8"]);
    expect(resolverOf({ random: ports.random }, { dns_resolver: "" })).toBeUndefined();
  });
});

describe("key authorizations", () => {
  it("consist of the token, a dot and the thumbprint, and are hashed with SHA-256 (RFC 8555 section 8.1)", async () => {
    // example of RFC 8555 section 8.3
    const { keyAuthorization, digest } = await proofOf(
      "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0",
      "9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI",
    );
    expect(keyAuthorization).toBe(
      "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI",
    );
    expect(digest).toHaveLength(32);
  });

  it("are compared in full", () => {
    expect(sameText("abc", "abc")).toBe(true);
    for (const other of ["", "ab", "abd", "abcd", "bbc"])
      expect(sameText(other, "abc")).toBe(false);
    expect(sameBytes(Uint8Array.of(0), new Uint8Array())).toBe(false);
    expect(sameBytes(new Uint8Array(), Uint8Array.of(0))).toBe(false);
  });
});
