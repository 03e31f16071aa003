import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { maxAttestations } from "../../src/acme/validation/attestation-limit.ts";
import { acmeBelow } from "../../src/acme/rows/prefixes.ts";
import { acmeIndexes, acmeKeys } from "../../src/acme/rows/records.ts";
import { CaError } from "../../src/base/errors.ts";
import type { Batch } from "../../src/engine/ports.ts";
import { memoryStore, type Store, type Stores } from "../../src/index.ts";
import { makeKey } from "../x509/fixture.ts";
import {
  appleCertificate,
  appleObject,
  makerCa,
  pemOf,
  type AppleDevice,
  type MakerCa,
} from "./attestation.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient, type AcmeReply } from "./client.ts";
import { orderIn } from "./ordering.ts";

type Commit = Store["commit"];
const at = "roles/phones/acme";
let root: MakerCa;
let device: AppleDevice;
beforeAll(async () => {
  root = await makerCa("Maker Root");
  device = { serial: "C02XG0FDJG5J", udid: "00008103-001E2D", key: await makeKey("P-256") };
});

let a: AcmeAuthority;
let client: AcmeClient;
/** Commits a batch; tests replace it. */
let commit: (batch: Batch, inner: Commit) => ReturnType<Commit>;
beforeEach(async () => {
  commit = (batch, inner) => inner(batch);
  const stores = memoryStore();
  const opened = new Map<string, Store>();
  const open = (name: string): Store => {
    const inner = stores(name);
    const own = opened.get(name) ?? {
      ...inner,
      commit: (batch: Batch) => commit(batch, (one) => inner.commit(one)),
    };
    opened.set(name, own);
    return own;
  };
  const watched: Stores = Object.assign(open, { durable: false as const });
  a = await acmeAuthority({
    stores: watched,
    config: { challenge_types: ["device-attest-01"], attestation_apple_roots: pemOf(root.der) },
  });
  await a.role("phones", { allowed_device_identifiers: "permanent-identifier:*" });
  client = await a.registered({ at });
});

/** Reports whether a batch makes an authorization valid or invalid. */
const isResult = ({ put = [] }: Batch): boolean =>
  put.some(
    ([key, value]) =>
      key.startsWith(acmeBelow.authorizations) &&
      (value as { readonly status: string }).status !== "pending",
  );
const store = async () => a.stores(await a.uuid());
/** Returns the keys of the failed attestations that count towards the limit. */
const counted = async (): Promise<readonly string[]> =>
  (await (await store()).list(acmeBelow.attestations)).map(([key]) => key);
/** Stores attestations of the client's account that failed in this hour. */
async function fail(count: number): Promise<void> {
  const hour = Math.floor(a.clock.now / 3_600_000);
  const below = acmeKeys.attestations(client.kid.slice(client.kid.lastIndexOf("/") + 1), hour);
  const end = { [acmeIndexes.end]: (hour + 1) * 3600 };
  const put = Array.from({ length: count }, (_, at) => [`${below}${at}`, {}, end] as const);
  await (await store()).commit({ put });
}

/** Orders a certificate for the device. Returns its challenge with a right and a wrong response. */
async function ordered() {
  const identifiers = [{ type: "permanent-identifier", value: device.serial }];
  const [authz = ""] = orderIn(
    await client.post(await client.url("newOrder"), { identifiers }),
  ).authorizations;
  const [challenge] = (await client.post(authz)).json["challenges"] as readonly {
    readonly url: string;
    readonly token: string;
  }[];
  if (!challenge) throw new Error("no challenge");
  const response = async (token: string) => {
    const leaf = await appleCertificate(root, device, token);
    return { attObj: Buffer.from(appleObject(leaf)).toString("base64url") };
  };
  return {
    authz,
    url: challenge.url,
    right: await response(challenge.token),
    wrong: await response("another"),
    status: async (url = challenge.url) => {
      const reply = await client.post(url);
      return [reply.json["status"], reply.headers.get("retry-after")];
    },
  };
}
const told = (reply: AcmeReply) => [reply.status, reply.json["status"] ?? reply.problem];

describe("responses to a device-attest-01 challenge", () => {
  it("are verified one at a time: meanwhile, the challenge is processing and other responses have no effect", async () => {
    const { url, authz, right, wrong, status } = await ordered();
    const others: unknown[] = [];
    commit = async (batch, inner) => {
      if (!isResult(batch)) return inner(batch);
      commit = (next, then) => then(next);
      for (const payload of [wrong, right]) {
        const reply = await client.post(url, payload);
        others.push([...told(reply), reply.headers.get("retry-after")]);
      }
      others.push(await status(), await status(authz));
      return inner(batch);
    };
    expect(told(await client.post(url, right))).toEqual([200, "valid"]);
    expect(others).toEqual([
      [200, "processing", "1"],
      [200, "processing", "1"],
      ["processing", "1"],
      ["pending", "1"],
    ]);
    expect(await status(authz)).toEqual(["valid", null]);
  });

  it("are verified once if they are concurrent, and an invalid result is final", async () => {
    const { url, wrong, status } = await ordered();
    let results = 0;
    commit = (batch, inner) => {
      if (isResult(batch)) results++;
      return inner(batch);
    };
    const replies = await Promise.all(Array.from({ length: 12 }, () => client.post(url, wrong)));
    for (const reply of replies)
      expect([
        [200, "invalid"],
        [200, "processing"],
        [400, "malformed"],
      ]).toContainEqual(told(reply));
    expect(await status()).toEqual(["invalid", null]);
    expect([results, (await counted()).length]).toEqual([1, 1]);
  });

  it("are accepted again 30 seconds after a crash during a verification", async () => {
    const { url, right, status } = await ordered();
    commit = async (batch, inner) => {
      if (isResult(batch)) throw new CaError("storage", "the process was killed");
      return inner(batch);
    };
    expect((await client.post(url, right)).status).toBe(503);
    commit = (batch, inner) => inner(batch);
    expect(await status()).toEqual(["processing", "1"]);
    a.clock.advance(29);
    expect(told(await client.post(url, right))).toEqual([200, "processing"]);
    a.clock.advance(1);
    expect(await status()).toEqual(["pending", null]);
    expect(told(await client.post(url, right))).toEqual([200, "valid"]);
  });

  it("are not blocked by a claim from a clock that was ahead", async () => {
    const { url, right } = await ordered();
    commit = async (batch, inner) => {
      if (isResult(batch)) throw new CaError("storage", "the process was killed");
      return inner(batch);
    };
    a.clock.advance(3600);
    await client.nonce();
    expect((await client.post(url, right)).status).toBe(503);
    commit = (batch, inner) => inner(batch);
    a.clock.advance(-3600);
    await client.nonce();
    expect(told(await client.post(url, right))).toEqual([200, "valid"]);
  });

  it("do not change the result if their verification was slow and its claim was taken over", async () => {
    const { url, right, wrong } = await ordered();
    commit = async (batch, inner) => {
      if (!isResult(batch)) return inner(batch);
      commit = (next, then) => then(next);
      a.clock.advance(31);
      expect(told(await client.post(url, right))).toEqual([200, "valid"]);
      return inner(batch);
    };
    expect(told(await client.post(url, wrong))).toEqual([200, "valid"]);
  });

  it("do not change an authorization that was deactivated during their verification", async () => {
    const { url, authz, right, status } = await ordered();
    commit = async (batch, inner) => {
      if (!isResult(batch)) return inner(batch);
      commit = (next, then) => then(next);
      await client.post(authz, { status: "deactivated" });
      return inner(batch);
    };
    const reply = await client.post(url, right);
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "malformed",
      "the authorization is deactivated, no longer pending",
    ]);
    expect(await status(authz)).toEqual(["deactivated", null]);
  });

  it("are judged by the roots that are configured when the verification ends", async () => {
    const { url, right } = await ordered();
    const other = await makerCa("Other Root");
    commit = async (batch, inner) => {
      if (!isResult(batch)) return inner(batch);
      commit = (next, then) => then(next);
      await a.call("POST", "pki/config/acme", { attestation_apple_roots: pemOf(other.der) });
      return inner(batch);
    };
    expect(told(await client.post(url, right))).toEqual([200, "invalid"]);
  });
});

describe("the limit of failed attestations", () => {
  it("counts failed attestations and not successful ones", async () => {
    const [one, other] = [await ordered(), await ordered()];
    await client.post(one.url, one.right);
    expect(await counted()).toEqual([]);
    await client.post(other.url, other.wrong);
    expect((await counted()).length).toBe(1);
  });

  it("rejects further responses with rateLimited until the hour ends, and leaves the challenge pending", async () => {
    await fail(maxAttestations);
    const { url, right, status } = await ordered();
    const wait = 3600 - (Math.floor(a.clock.now / 1000) % 3600);
    const reply = await client.post(url, right);
    expect([...told(reply), reply.headers.get("retry-after"), reply.detail]).toEqual([
      429,
      "rateLimited",
      String(wait),
      `too many failed attestations: at most 100 per account and hour; try again in ${wait} seconds`,
    ]);
    expect(await status()).toEqual(["pending", null]);
    a.clock.advance(wait);
    await client.nonce();
    expect(told(await client.post(url, right))).toEqual([200, "valid"]);
  });

  it("is exact for concurrent responses, and applies per account", async () => {
    await fail(maxAttestations - 1);
    const orders = [await ordered(), await ordered(), await ordered()];
    const replies = await Promise.all(orders.map(({ url, wrong }) => client.post(url, wrong)));
    expect(replies.map(told).toSorted()).toEqual([
      [200, "invalid"],
      [429, "rateLimited"],
      [429, "rateLimited"],
    ]);
    client = await a.registered({ at });
    const { url, right } = await ordered();
    expect(told(await client.post(url, right))).toEqual([200, "valid"]);
  });
});
