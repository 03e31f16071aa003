import { describe, expect, it } from "vitest";
import { acmeAuthority, type AcmeClient, clusterPath } from "./client.ts";
import { endpoints, seeded } from "./endpoints.ts";
import { base64Url, type Jws, newKey } from "./key.ts";

type Members = Record<string, unknown>;
type Pick = <T>(of: readonly T[]) => T;

/** Returns a seeded random generator. */
function chance(seed: number): { readonly below: (n: number) => number; readonly pick: Pick } {
  let state = seed | 0;
  const below = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) % n;
  };
  const pick: Pick = (of) => {
    const one = of[below(of.length)];
    if (one === undefined) throw new TypeError("nothing to pick from");
    return one;
  };
  return { below, pick };
}
type Chance = ReturnType<typeof chance>;

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  "",
  " ",
  "\0",
  "é",
  "A".repeat(5e3),
  [],
  {},
  [[]],
  [null],
  "ES256",
  "none",
  "HS256",
  "RS256",
  `${clusterPath}/acme/account/x`,
  { kty: "EC" },
];
/** Flips one bit of a text's bytes. */
function flipped(text: string, { below }: Chance): string {
  const bytes = Buffer.from(text, "base64url");
  const at = below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
  return base64Url(bytes);
}
const read = (part: string): Members =>
  JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Members;
const write = (members: unknown): string => base64Url(JSON.stringify(members));

/** Changes to a signed JWS, each of which alters its meaning. */
const changes: readonly ((jws: Jws, by: Chance) => unknown)[] = [
  (jws, by) => ({ ...jws, signature: flipped(jws.signature, by) }),
  (jws, by) => ({ ...jws, protected: flipped(jws.protected, by) }),
  (jws, by) => ({ ...jws, payload: flipped(jws.payload, by) }),
  (jws, by) => ({ ...jws, signature: jws.signature.slice(0, by.below(jws.signature.length)) }),
  (jws, by) => ({ ...jws, signature: jws.signature + by.pick(["A", "AAAA", "=", "."]) }),
  (jws, by) => ({ ...jws, [by.pick(["protected", "payload", "signature"])]: by.pick(oddValues) }),
  (jws, by) => {
    const { [by.pick(["protected", "payload", "signature"] as const)]: _, ...rest } = jws;
    return rest;
  },
  (jws, by) => ({ ...jws, [by.pick(["header", "signatures"])]: by.pick(oddValues) }),
  (jws) => ({ ...jws, protected: jws.payload, payload: jws.protected }),
  (jws, by) => {
    const header = read(jws.protected);
    const name = by.pick([...Object.keys(header), "crit", "b64", "kid", "jwk"]);
    return { ...jws, protected: write({ ...header, [name]: by.pick(oddValues) }) };
  },
  (jws, by) => {
    const header = read(jws.protected);
    delete header[by.pick(Object.keys(header))];
    return { ...jws, protected: write(header) };
  },
  // replaces the key, under the old signature or another account
  (jws) => ({ ...jws, protected: write({ ...read(jws.protected), jwk: newKey().jwk }) }),
  (jws) => ({ ...jws, protected: base64Url(`${JSON.stringify(read(jws.protected))} `) }),
  (jws) => [jws],
  (jws) => JSON.stringify(jws),
  (jws) => ({ ...jws, payload: write({ status: "deactivated" }) }),
];
/** Returns the changed JWS, or another change if it is unchanged. */
const changed = (right: Jws, given: unknown, by: Chance): unknown =>
  JSON.stringify(given) === JSON.stringify(right)
    ? { ...right, signature: flipped(right.signature, by) }
    : given;
/** Changes to a header that is then signed correctly: a valid key in an invalid request. */
const resigned: readonly ((header: Members, by: Chance) => Members)[] = [
  (header, by) => ({ ...header, nonce: by.pick(oddValues) }),
  (header, by) => ({ ...header, url: by.pick(oddValues) }),
  (header, by) => ({ ...header, alg: by.pick(oddValues.filter((one) => one !== "ES256")) }),
  (header, by) => ({ ...header, crit: by.pick(oddValues) }),
  (header, by) => ({ ...header, b64: by.pick(oddValues) }),
  ({ kid: _kid, jwk: _jwk, ...header }, by) => ({
    ...header,
    [by.pick(["kid", "jwk"])]: by.pick(oddValues),
  }),
  (header) => ({ ...header, kid: `${clusterPath}/acme/account/x`, jwk: newKey().jwk }),
];

describe("a modified JWS", () => {
  it.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    "%s: is never accepted, changes nothing, and is rejected without null members (B 5.12 problem, security row 34)",
    async (_, endpoint) => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      // oxlint-disable-next-line no-console -- the seed reproduces a failure
      console.log(`seed ${seed}`);
      const by = chance(seed);
      const a = await acmeAuthority();
      const client = await seeded(a);
      const store = a.stores(await a.uuid());
      const rows = async () =>
        (await store.list(""))
          .filter(([key]) => !key.startsWith("job/"))
          .map(([key, { rev }]) => [key, rev]);
      const url = `${clusterPath}/acme${endpoint.suffix}`;
      const send: AcmeClient["post"] = endpoint.kid ? client.post : client.postWithKey;
      const before = await rows();
      for (let at = 0; at < 150; at++) {
        const change = by.pick(changes);
        const header = by.pick(resigned);
        const breaks =
          at % 3 === 0
            ? { header: (right: Readonly<Members>) => header({ ...right }, by) }
            : { jws: (right: Jws) => changed(right, change(right, by), by) };
        const { status, text } = await send(url, { contact: ["mailto:a@example.com"] }, breaks);
        expect([400, 401], `change ${at} of seed ${seed}: ${text}`).toContain(status);
      }
      expect(await rows()).toEqual(before);
    },
  );
});
