import { describe, expect, it } from "vitest";
import { authority } from "../support/authority.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import {
  accountUrl,
  clientKey,
  directory,
  jws,
  registering,
  type ClientDirectory,
  type ClientKey,
  distantStore,
} from "./registering.ts";

type Json = Readonly<Record<string, unknown>>;
/** A key change whose inner JWS deviates from a valid one. */
interface Change {
  readonly acme: ClientDirectory;
  readonly kid: string;
  readonly from: ClientKey;
  readonly to: ClientKey;
  readonly header?: Json;
  readonly payload?: Json;
  readonly signer?: ClientKey;
  readonly shape?: (inner: Json) => unknown;
}
async function change(of: Change) {
  const { acme, kid, from, to, signer = to, shape = (inner) => inner } = of;
  const inner = await jws(
    { alg: "ES256", jwk: to.jwk, url: acme.url("/key-change"), ...of.header },
    { account: kid, oldKey: from.jwk, ...of.payload },
    signer.sign,
  );
  return acme.post("/key-change", from, shape(inner), { kid });
}
async function registered(options = {}) {
  const { a, acme, key: from } = await registering(options);
  const contact = ["mailto:a@example.com"];
  const kid = accountUrl(await acme.post("/new-account", from, { contact }));
  const path = kid.slice(acme.url("").length);
  return { a, acme, kid, path, from, to: await clientKey() };
}

describe("key-change (acmeKeyChange)", () => {
  it("B 5.1 key-change, B 5.7 key rollover, security row 26: replaces the account key; the old key no longer works for it and can register another account", async () => {
    const { acme, kid, path, from, to } = await registered();
    const changed = await change({ acme, kid, from, to });
    expect([changed.status, changed.json["contact"]]).toEqual([200, ["mailto:a@example.com"]]);
    expect(accountUrl(changed)).toBe(kid);
    expect((await acme.post(path, from, undefined, { kid })).problem).toBe("malformed");
    expect((await acme.post(path, to, undefined, { kid })).status).toBe(200);
    const found = await acme.post("/new-account", to, { onlyReturnExisting: true });
    expect(accountUrl(found)).toBe(kid);
    const anew = await acme.post("/new-account", from, {});
    expect(anew.status).toBe(201);
    expect(accountUrl(anew)).not.toBe(kid);
  });

  it("B 5.7 key rollover, security row 26: returns 409 with the URL of the existing account if the new key already has one in any directory", async () => {
    const { a, acme, kid, from, to } = await registered();
    const theirs = accountUrl(await acme.post("/new-account", to, {}));
    const refused = await change({ acme, kid, from, to });
    expect([refused.status, accountUrl(refused)]).toEqual([409, theirs]);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    const own = await change({ acme, kid, from, to: from });
    expect([own.status, accountUrl(own)]).toEqual([409, kid]);
    const elsewhere = await clientKey();
    const there = accountUrl(
      await directory(a, "roles/web/acme").post("/new-account", elsewhere, {}),
    );
    const third = await change({ acme, kid, from, to: elsewhere });
    expect([third.status, accountUrl(third)]).toEqual([409, there]);
    expect(there).toContain("/pki/roles/web/acme/account/");
  });

  it.each<readonly [string, Omit<Partial<Change>, "acme">, string]>([
    ["no jwk", { header: { jwk: undefined } }, "malformed"],
    ["a kid besides", { header: { kid: "x" } }, "malformed"],
    ["a nonce", { header: { nonce: "x" } }, "malformed"],
    ["no url", { header: { url: undefined } }, "malformed"],
    [
      "the url of another place",
      { header: { url: "http://ca.test/v1/pki/acme/new-order" } },
      "malformed",
    ],
    ["crit", { header: { crit: ["b64"] } }, "malformed"],
    ["alg none", { header: { alg: "none" } }, "badSignatureAlgorithm"],
    ["alg HS256", { header: { alg: "HS256" } }, "badSignatureAlgorithm"],
    ["an alg of another key", { header: { alg: "RS256" } }, "badSignatureAlgorithm"],
    ["a broken jwk", { header: { jwk: { kty: "EC" } } }, "badPublicKey"],
    ["no account", { payload: { account: undefined } }, "malformed"],
    [
      "another account",
      { payload: { account: "http://ca.test/v1/pki/acme/account/x" } },
      "malformed",
    ],
    ["no oldKey", { payload: { oldKey: undefined } }, "malformed"],
    ["a broken oldKey", { payload: { oldKey: { kty: "EC" } } }, "malformed"],
    ["an unprotected header", { shape: (inner) => ({ ...inner, header: {} }) }, "malformed"],
    ["no signature", { shape: (inner) => ({ ...inner, signature: undefined }) }, "malformed"],
    ["an empty payload", { shape: () => undefined }, "malformed"],
    ["a list", { shape: () => [] }, "malformed"],
  ])(
    "security row 26: rejects an inner JWS with %s and keeps the old key",
    async (_, how, type) => {
      const { acme, kid, path, from, to } = await registered();
      const refused = await change({ acme, kid, from, to, ...how });
      expect([refused.status, refused.problem]).toEqual([400, type]);
      expect((await acme.post(path, from, undefined, { kid })).status).toBe(200);
      expect((await change({ acme, kid, from, to })).status).toBe(200);
    },
  );

  it("security row 26: rejects an inner JWS that is signed by another key or has another oldKey", async () => {
    const { acme, kid, from, to } = await registered();
    const other = await clientKey();
    for (const how of [{ signer: from }, { signer: other }, { payload: { oldKey: other.jwk } }]) {
      const refused = await change({ acme, kid, from, to, ...how });
      expect([refused.status, refused.problem]).toEqual([400, "malformed"]);
    }
  });

  it("security row 26: only one of several concurrent changes of one account succeeds, across engines, and the others change nothing", async () => {
    for (let round = 0; round < 8; round++) {
      const stores = distantStore();
      const { a, acme, kid, path, from } = await registered({ stores });
      const b = authority({ stores, seed: 70 + round });
      const keys = [await clientKey(), await clientKey(), await clientKey()];
      const answers = await Promise.all(
        keys.map((to, n) => change({ acme: directory(n % 2 ? b : a), kid, from, to })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
      const works = await Promise.all(
        keys.map(async (key) => (await acme.post(path, key, undefined, { kid })).status),
      );
      expect(works).toEqual(answers.map(({ status }) => status));
      const found = await Promise.all(
        keys.map(async (key) => {
          const answer = await acme.post("/new-account", key, { onlyReturnExisting: true });
          return answer.status;
        }),
      );
      expect(found).toEqual(works);
    }
  });

  it.each([1, 4])(
    "of two equal concurrent requests, one succeeds, and the other is rejected because the old key signed it (partitions of the mount: %i)",
    async (partitions) => {
      for (let round = 0; round < 8; round++) {
        const stores =
          partitions === 1 ? distantStore() : partitionedStores(partitions, distantStore()).stores;
        const { a, acme, kid, path, from, to } = await registered({ stores, seed: 1 + round });
        const b = authority({ stores, seed: 50 + round });
        // both engines have loaded the configuration
        await directory(b).post(path, from, undefined, { kid });
        const answers = await Promise.all(
          [acme, directory(b)].map((at) => change({ acme: at, kid, from, to })),
        );
        const statuses = answers.map(({ status, problem }) => [status, problem]);
        expect(statuses.toSorted()).toEqual([
          [200, undefined],
          [400, "malformed"],
        ]);
        expect((await directory(a).post(path, to, undefined, { kid })).status).toBe(200);
      }
    },
  );

  it("security row 26: if two accounts change to the same key concurrently, one succeeds and the other gets 409", async () => {
    for (let round = 0; round < 8; round++) {
      const stores = distantStore();
      const { a, acme, kid, from, to } = await registered({ stores });
      const b = authority({ stores, seed: 90 + round });
      const other = await clientKey();
      // both engines have loaded the configuration
      const theirs = accountUrl(await directory(b).post("/new-account", other, {}));
      const answers = await Promise.all([
        change({ acme, kid, from, to }),
        change({ acme: directory(b), kid: theirs, from: other, to }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const winner = answers[0]?.status === 200 ? kid : theirs;
      expect(answers.map(accountUrl)).toEqual([winner, winner]);
      expect((await a.call("LIST", "pki/acme/mgmt/account/keyid")).data["keys"]).toHaveLength(2);
    }
  });
});
