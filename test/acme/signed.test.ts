import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { expandPatterns } from "../../src/wire/route-patterns.ts";
import {
  acmeAuthority,
  acmeClient,
  type AcmeAuthority,
  type AcmeReply,
  type Breaks,
  clusterPath,
  newKey,
} from "./client.ts";
import { all, endpoints, seeded, type Signed } from "./endpoints.ts";

const withKid = endpoints.filter(({ kid }) => kid);
const withJwk = endpoints.filter(({ jwk }) => jwk);
const name = ({ id }: Signed) => id;

/** Returns all rows except those that any request can write. */
const rowsOf = async (a: AcmeAuthority): Promise<readonly (readonly [string, unknown])[]> =>
  (await a.stores(await a.uuid()).list(""))
    .filter(([key]) => !/^(nonce|job)\//.test(key))
    .map(([key, { value }]) => [key, value]);
const spentOf = async (a: AcmeAuthority): Promise<number> =>
  (await a.stores(await a.uuid()).list("nonce/")).length;
const told = ({ status, problem }: AcmeReply) => `${status} ${problem}`;

/**
 * Creates an authority, a client with an account, and a function that sends valid requests to an
 * endpoint.
 */
async function ready(config: Readonly<Record<string, unknown>> = {}) {
  const a = await acmeAuthority({ config });
  await a.role("web");
  const client = await seeded(a);
  const send = ({ suffix, kid }: Signed, payload?: unknown, breaks?: Breaks) => {
    const url = `${clusterPath}/acme${suffix}`;
    return kid ? client.post(url, payload, breaks) : client.postWithKey(url, payload, breaks);
  };
  return { a, client, send };
}
/**
 * Sends a request that must be rejected, and returns the error. Nothing may be stored, and no nonce
 * spent.
 */
async function refused(
  { a, send }: Awaited<ReturnType<typeof ready>>,
  to: Signed,
  breaks: Breaks,
): Promise<string> {
  const [rows, spent] = [await rowsOf(a), await spentOf(a)];
  const reply = await send(to, {}, breaks);
  expect(await rowsOf(a)).toEqual(rows);
  expect(await spentOf(a)).toBe(spent);
  return told(reply);
}
const each = it.each(endpoints.map((one) => [name(one), one] as const));

describe("ACME endpoints", () => {
  it("exist in four kinds of directories each", () => {
    for (const endpoint of all) expect(expandPatterns(endpoint).length % 4).toBe(0);
    expect(endpoints.length).toBeGreaterThan(0);
  });

  each(
    "%s: a disabled directory returns 404 for any request (B 5.12 status 404, security row 32)",
    async (_, to) => {
      const { a, send } = await ready();
      await a.call("POST", "pki/config/acme", { enabled: false });
      for (const breaks of [{}, { body: () => "" }, { contentType: null }, { method: "GET" }]) {
        const reply = await send(to, {}, { nonce: "", ...breaks });
        expect([reply.status, reply.text.trim()]).toEqual([404, '{"errors":[]}']);
        expect(reply.headers.get("replay-nonce")).toBe(null);
      }
    },
  );

  each("%s: a forbidden directory returns unauthorized and spends no nonce", async (_, to) => {
    const world = await ready();
    const nonce = await world.a.client().nonce();
    await world.a.call("POST", "pki/config/acme", { default_directory_policy: "forbid" });
    expect(await refused(world, to, { nonce })).toBe("403 unauthorized");
  });

  each("%s: returns serverInternal without a cluster path (B 5.12 status 500)", async (_, to) => {
    const { a, send } = await ready();
    const nonce = await a.client().nonce();
    await a.stores(await a.uuid()).commit({ epoch: "next", del: ["config/cluster"] });
    a.clock.advance(2);
    const url = `/acme${to.suffix}`;
    const { problem, detail } = await send(
      to,
      {},
      { nonce, header: (right) => ({ ...right, url }) },
    );
    expect([problem, /config\/cluster/.test(detail)]).toEqual(["serverInternal", true]);
  });

  each(
    "%s: GET, HEAD and DELETE return 405 as a problem with a nonce (B 5.5 every answer)",
    async (_, to) => {
      // these can also be read with GET
      if (to.suffix === "/directory" || to.suffix === "/new-nonce") return;
      const at = await ready();
      for (const method of ["GET", "DELETE"])
        expect(await refused(at, to, { method })).toBe("405 malformed");
      const head = await at.a.ca.fetch(
        new Request(`${clusterPath}/acme${to.suffix}`, { method: "HEAD" }),
      );
      expect([head.status, head.headers.get("replay-nonce")?.length]).toEqual([405, 43]);
    },
  );

  each(
    "%s: rejects a body that is not a flattened JWS (B 5.5 flattened JSON, security row 21)",
    async (_, to) => {
      const at = await ready();
      const outcomes = new Map<string, string>();
      const bodies: Readonly<Record<string, Breaks["body"]>> = {
        nothing: () => "",
        "half of it": (right) => right.slice(0, right.length / 2),
        "no JSON": () => "directory",
        null: () => "null",
        "a list": (right) => `[${right}]`,
        "a compact JWS": (right) => Object.values(JSON.parse(right) as object).join("."),
        "a member twice": (right) => right.replace("{", '{"payload":"e30",'),
        "no UTF-8": () => Uint8Array.of(0xff, 0xfe),
        "depth without end": () => `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
        "as the only of many": (right) =>
          JSON.stringify({ payload: "e30", signatures: [JSON.parse(right)] }),
      };
      for (const [what, body] of Object.entries(bodies))
        if (body) outcomes.set(what, await refused(at, to, { body }));
      expect([...outcomes].filter(([, how]) => how !== "400 malformed")).toEqual([
        // it is also too long
        ["depth without end", "413 malformed"],
      ]);
    },
  );

  each(
    "%s: returns 415 for another content type, and 413 for a body above 64 KiB (B 5.1 content types)",
    async (_, to) => {
      const at = await ready();
      for (const contentType of ["application/json", "application/jose", "text/plain", null])
        expect(await refused(at, to, { contentType })).toBe("415 malformed");
      const padded = (right: string) => right.padEnd(64 * 1024 + 1);
      expect(await refused(at, to, { body: padded })).toBe("413 malformed");
    },
  );

  each(
    "%s: rejects unsupported algorithms with the list of supported ones (B 5.5 alg)",
    async (_, to) => {
      const at = await ready();
      const { client, send } = at;
      const publicKey = JSON.stringify(client.key.jwk);
      const forged = (alg: string): Breaks => ({
        header: (right) => ({ ...right, alg }),
        sign: (data) => new Uint8Array(createHmac("sha256", publicKey).update(data).digest()),
      });
      for (const alg of ["none", "HS256", "RS1", "ES256K"])
        expect(await refused(at, to, forged(alg))).toBe("400 badSignatureAlgorithm");
      // these algorithms do not match a P-256 key
      for (const alg of ["RS256", "ES384", "EdDSA"])
        expect(await refused(at, to, { header: (right) => ({ ...right, alg }) })).toBe(
          "400 badSignatureAlgorithm",
        );
      expect((await send(to, {}, forged("none"))).json["algorithms"]).toContain("ES256");
    },
  );

  each(
    "%s: requires either jwk or kid, whichever the endpoint accepts (B 5.5 kid and jwk, security row 21)",
    async (_, to) => {
      const at = await ready();
      const { jwk } = at.client.key;
      const { kid } = at.client;
      for (const header of [
        (right: object) => ({ ...right, jwk, kid }),
        ({ jwk: _jwk, kid: _kid, ...right }: Record<string, unknown>) => right,
        (right: object) => ({ ...right, jwk, kid: undefined, crit: [] }),
        (right: object) => ({ ...right, b64: true }),
      ])
        expect(await refused(at, to, { header })).toBe("400 malformed");
      const { jwk: _1, kid: _2, ...bare } = { alg: "ES256", jwk, kid };
      const swapped = to.kid && to.jwk ? undefined : to.kid ? { jwk } : { kid };
      if (swapped)
        expect(
          await refused(at, to, {
            header: ({ nonce, url }) => ({ ...bare, nonce, url, ...swapped }),
          }),
        ).toBe("400 malformed");
      expect(await refused(at, to, { jws: (right) => ({ ...right, header: { kid } }) })).toBe(
        "400 malformed",
      );
    },
  );

  each(
    "%s: requires the URL of the request and of this directory (B 5.5 url, security row 22)",
    async (_, to) => {
      const at = await ready();
      const right = `${clusterPath}/acme${to.suffix}`;
      for (const url of [
        right.replace("http:", "https:"),
        right.replace("ca.test", "ca.test:80"),
        right.replace("ca.test", "CA.test"),
        right.replace("ca.test", "elsewhere.test"),
        right.replace("/pki/", "/other/"),
        right.replace("/acme/", "/roles/web/acme/"),
        right.replace("/acme/", "/issuer/root/acme/"),
        `${right}/`,
        `${right}?`,
        `${right}#`,
        right.replace("/v1/", "/v1//"),
        to.suffix,
        "",
      ])
        expect([url, await refused(at, to, { header: (own) => ({ ...own, url }) })]).toEqual([
          url,
          "401 unauthorized",
        ]);
      for (const url of [undefined, null, 7, [right], { right }])
        expect(await refused(at, to, { header: (own) => ({ ...own, url }) })).toBe("400 malformed");
    },
  );

  each("%s: rejects a request signed for another directory", async (_, to) => {
    const at = await ready();
    for (const prefix of ["roles/web/acme", "issuer/root/acme", "issuer/root/roles/web/acme"])
      expect(
        await refused(at, to, { to: `${clusterPath}/${prefix}${to.suffix}` }),
        // the nonce belongs to another directory too
      ).toBe("400 badNonce");
  });

  each(
    "%s: accepts a nonce once, for 90 seconds, in its directory and mount (B 5.5 nonce, B 5.5 nonce validity, security row 23)",
    async (_, to) => {
      const at = await ready();
      const { a, client, send } = at;
      for (const nonce of [undefined, null, 7, "", "A".repeat(43), "AAAA", "*", ["a"]])
        expect(await refused(at, to, { nonce })).toBe("400 badNonce");
      const used = await client.nonce();
      await send(to, {}, { nonce: used });
      expect(await refused(at, to, { nonce: used })).toBe("400 badNonce");
      const changed = [...(await client.nonce())].toReversed().join("");
      expect(await refused(at, to, { nonce: changed })).toBe("400 badNonce");
      const elsewhere = await a.client({ at: "roles/web/acme" }).nonce();
      expect(await refused(at, to, { nonce: elsewhere })).toBe("400 badNonce");
      const old = await a.client().nonce();
      a.clock.advance(91);
      expect(await refused(at, to, { nonce: old })).toBe("400 badNonce");
      const late = await a.client().nonce();
      a.clock.advance(90);
      expect((await send(to, {}, { nonce: late })).problem).not.toBe("badNonce");
      // a nonce from the future
      const ahead = await a.client().nonce();
      a.clock.advance(-3600);
      expect(await refused(at, to, { nonce: ahead })).toBe("400 badNonce");
    },
  );

  each(
    "%s: an invalid signature does not spend the nonce (B 5.5 signature mismatch)",
    async (_, to) => {
      const at = await ready();
      const nonce = await at.client.nonce();
      const other = newKey();
      for (const sign of [
        (data: string) => other.sign(data),
        (data: string, key: { sign(data: string): Uint8Array }) => key.sign(`${data}.`),
        () => new Uint8Array(64),
        () => new Uint8Array(),
      ])
        expect(await refused(at, to, { nonce, sign })).toBe("400 malformed");
      expect(
        await refused(at, to, { nonce, jws: (right) => ({ ...right, payload: "e30K" }) }),
      ).toBe("400 malformed");
      expect((await at.send(to, {}, { nonce })).problem).not.toBe("badNonce");
      expect(await spentOf(at.a)).toBe(1);
    },
  );

  each("%s: executes only one of ten concurrent requests with the same nonce", async (_, to) => {
    const { a, client, send } = await ready();
    const nonce = await client.nonce();
    const replies = await Promise.all(Array.from({ length: 10 }, () => send(to, {}, { nonce })));
    expect(replies.filter(({ problem }) => problem !== "badNonce")).toHaveLength(1);
    expect(await spentOf(a)).toBe(1);
  });

  each(
    "%s: a request rejected after its signature was verified has spent its nonce (B 5.5 order of checks)",
    async (_, to) => {
      const { a, client, send } = await ready();
      const nonce = await client.nonce();
      const rows = await rowsOf(a);
      const { problem } = await send(to, {}, { nonce, payload: () => "W10" });
      expect(problem).not.toBe("badNonce");
      expect(await spentOf(a)).toBe(1);
      expect(await rowsOf(a)).toEqual(rows);
      expect((await send(to, {}, { nonce })).problem).toBe("badNonce");
    },
  );
});

describe("ACME endpoints, by the key that signs", () => {
  const each = it.each(withKid.map((one) => [name(one), one] as const));

  each("%s: returns accountDoesNotExist for an unknown kid (B 5.5 unknown kid)", async (_, to) => {
    const at = await ready();
    for (const kid of [
      "",
      "seeded",
      "nothing",
      `${clusterPath}/acme/account/`,
      "a b",
      "x".repeat(600),
    ])
      expect(
        await refused(at, to, { header: ({ jwk: _jwk, ...right }) => ({ ...right, kid }) }),
      ).toBe("400 accountDoesNotExist");
    for (const kid of [null, 7, {}])
      expect(await refused(at, to, { header: (right) => ({ ...right, kid }) })).toBe(
        "400 malformed",
      );
  });

  each(
    "%s: rejects an account of another directory or mount (B 5.5 kid of another directory, security row 27)",
    async (_, to) => {
      const at = await ready();
      const other = await seeded(at.a, {}, "roles/web/acme");
      const { url } = { url: `${clusterPath}/acme${to.suffix}` };
      const nonce = await at.a.client().nonce();
      expect(told(await other.post(url, {}, { nonce }))).toBe("400 malformed");
      await at.a.sys.createMount({ path: "second", type: "pki" });
      const second = clusterPath.replace("/pki", "/second");
      await at.a.call("POST", "second/config/cluster", { path: second });
      await at.a.ca.mount("second").generateRoot({ common_name: "Second", key_type: "ec" });
      await at.a.call("POST", "second/config/acme", { enabled: true });
      const there = acmeClient({
        fetch: (request) => at.a.ca.fetch(request),
        directory: `${second}/acme/directory`,
        key: at.client.key,
      });
      there.kid = at.client.kid;
      expect(told(await there.post(`${second}/acme${to.suffix}`, {}))).toBe(
        "400 accountDoesNotExist",
      );
      // and a nonce of one mount is unknown to the other
      expect(
        told(
          await there.post(`${second}/acme${to.suffix}`, {}, { nonce: await at.client.nonce() }),
        ),
      ).toBe("400 badNonce");
    },
  );

  each("%s: rejects a signature of another key for an account", async (_, to) => {
    const at = await ready();
    const thief = newKey();
    expect(await refused(at, to, { sign: (data) => thief.sign(data) })).toBe("400 malformed");
  });

  it.each(
    withKid.flatMap((one) =>
      (["deactivated", "revoked"] as const).map((status) => [name(one), status, one] as const),
    ),
  )(
    "%s: rejects every request of an account that is %s (B 5.12 status 401, security row 28)",
    async (_, status, to) => {
      const { a } = await ready();
      const client = await seeded(a, { status, ended: 2 });
      const rows = await rowsOf(a);
      const reply = await client.post(`${clusterPath}/acme${to.suffix}`, {});
      expect([told(reply), reply.detail]).toEqual(["401 unauthorized", `the account is ${status}`]);
      expect(await rowsOf(a)).toEqual(rows);
    },
  );

  each(
    "%s: with always-required, rejects accounts created without a binding (security row 25)",
    async (_, to) => {
      const { a, send } = await ready({ eab_policy: "always-required" });
      expect(told(await send(to, {}))).toBe("401 externalAccountRequired");
      const bound = await seeded(a, { eab: { id: "x", directory: "acme", created: 1 } });
      const reply = await bound.post(`${clusterPath}/acme${to.suffix}`, {});
      expect(reply.problem).not.toBe("externalAccountRequired");
    },
  );

  const eachJwk = it.each(withJwk.map((one) => [name(one), one] as const));
  const unfit: Readonly<Record<string, (jwk: object) => unknown>> = {
    "another's form": (jwk) => ({ ...jwk, kty: "RSA" }),
    "a private key": (jwk) => ({ ...jwk, d: "AAAA" }),
    "a curve that is not taken": (jwk) => ({ ...jwk, crv: "secp256k1" }),
    "1024 bits of RSA": () => newKey("RS256", 1024).jwk,
    "no object": () => "key",
    null: () => null,
  };

  eachJwk("%s: rejects weak and invalid keys (B 5.12 status 400)", async (_, to) => {
    const at = await ready();
    for (const [what, jwk] of Object.entries(unfit)) {
      const header = ({ kid: _kid, ...right }: Readonly<Record<string, unknown>>) => ({
        ...right,
        jwk: jwk(at.client.key.jwk),
      });
      expect([what, await refused(at, to, { header })]).toEqual([what, "400 badPublicKey"]);
    }
  });

  eachJwk("%s: rejects a jwk whose alg differs from that of the JWS", async (_, to) => {
    const at = await ready();
    const header = ({ kid: _kid, ...right }: Readonly<Record<string, unknown>>) => ({
      ...right,
      jwk: { ...at.client.key.jwk, alg: "ES384" },
    });
    expect(await refused(at, to, { header })).toBe("400 badSignatureAlgorithm");
  });
});
