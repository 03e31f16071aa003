import { beforeEach, describe, expect, it } from "vitest";
import { acmeKeys } from "../../src/acme/rows/records.ts";
import { CaError } from "../../src/base/errors.ts";
import { encodePem } from "../../src/base/pem.ts";
import type { Batch } from "../../src/engine/ports.ts";
import { placementOf } from "../../src/engine/placement-rules.ts";
import type { Store, Stores } from "../../src/index.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { keys } from "../../src/pki/rows/records.ts";
import { templateFor } from "../external/deciding.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient } from "./client.ts";
import { chainIn, finalize, orderIn, readyOrder } from "./ordering.ts";
import { partitionOf } from "./partitioned.ts";

type Commit = Store["commit"];
/** Commits a batch of finalize; tests replace it. */
let commit: (batch: Batch, inner: Commit) => ReturnType<Commit>;
let a: AcmeAuthority;
let client: AcmeClient;
let order: string;
let asked: number;

const placement = placementOf(pkiPlacement, 4);
/** Returns a new serial number whose certificate is in another partition than its order. */
function serialElsewhere(): Uint8Array<ArrayBuffer> {
  for (;;) {
    const serial = crypto.getRandomValues(new Uint8Array(16));
    serial[0] = 0x41;
    if (placement.placeOf(keys.cert(serial)) !== orderPlace()) return serial;
  }
}

const orderPlace = () => placement.placeOf(acmeKeys.order(order.slice(order.lastIndexOf("/") + 1)));
const puts = ({ put = [] }: Batch, prefix: string): boolean =>
  put.some(([key]) => key.startsWith(prefix));
const lost = (): CaError => new CaError("storage", "the process was killed");
/** Simulates a crash at a step: before its commit, or after the commit but before its reply. */
const losingAt = (prefix: string, at: "before" | "after"): void => {
  commit = async (batch, inner) => {
    const isStep =
      prefix === "cert/"
        ? puts(batch, prefix)
        : batch.put?.some(
            ([key, value]) =>
              key.startsWith(prefix) && (value as { readonly status: string }).status === "valid",
          );
    if (!isStep) return inner(batch);
    if (at === "after") await inner(batch);
    throw lost();
  };
};
const restart = (): void => {
  commit = (batch, inner) => inner(batch);
};
const runJobs = async (): Promise<void> => {
  a.clock.advance(61);
  await a.ca.tick();
};
const finalized = () => finalize(client, order, { names: ["a.example"] });
const status = async (): Promise<string> => orderIn(await client.post(order)).status;
const certificates = async (): Promise<number> =>
  ((await a.call("LIST", "pki/certs")).data["keys"] as readonly string[]).length;

async function begin(isHome: boolean): Promise<void> {
  restart();
  asked = 0;
  const { stores } = partitionedStores(4);
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
    externalPolicy: async ({ request_uuid, user_request_key_values: { csr } }) => {
      asked++;
      const template = await templateFor(csr, { serial: serialElsewhere() });
      return {
        request_uuid,
        certificate: encodePem("CERTIFICATE", template),
        issuer_ref: "root",
        store_certificate: true,
      };
    },
  });
  await a.call("POST", "pki/config/external-policy", { enabled: true });
  do client = await a.registered({ at: "external-policy/acme" });
  while ((partitionOf(client.kid, 4) === 0) !== isHome);
  order = await readyOrder(a, client, ["a.example"]);
}

describe.each([
  ["in the first partition", true],
  ["elsewhere", false],
])("an order %s whose certificate is in another partition", (_, isHome) => {
  beforeEach(() => begin(isHome));

  it("becomes valid with its certificate", async () => {
    const done = await finalized();
    expect([done.status, orderIn(done).status]).toEqual([200, "valid"]);
    expect(chainIn(await client.post(orderIn(done).certificate))).toHaveLength(2);
    expect(await certificates()).toBe(2);
    // the job planned for the case of a crash changes nothing
    await runJobs();
    expect([await status(), await certificates()]).toEqual(["valid", 2]);
  });

  it.each([
    ["before the certificate is stored", "cert/", "before", "ready"],
    ["once the certificate is stored", "cert/", "after", "valid"],
    ["before the order is valid", "order/", "before", "valid"],
    ["once the order is valid", "order/", "after", "valid"],
  ] as const)("is settled by a job after a crash %s", async (_, prefix, at, settled) => {
    losingAt(prefix, at);
    expect((await finalized()).status).toBe(503);
    restart();
    await runJobs();
    expect(await status()).toBe(settled);
    expect(await certificates()).toBe(settled === "valid" ? 2 : 1);
    const again = await finalized();
    expect(again.status).toBe(settled === "valid" ? 403 : 200);
    const { certificate } = orderIn(await client.post(order));
    expect(chainIn(await client.post(certificate))).toHaveLength(2);
    expect(await certificates()).toBe(2);
  });

  it.each([
    ["cert/", 200, 2],
    ["order/", 403, 1],
  ] as const)(
    "is settled by the next request after a crash at %s, before that request is decided",
    async (prefix, expected, questions) => {
      losingAt(prefix, "before");
      await finalized();
      restart();
      expect((await finalized()).status).toBe(expected);
      expect([await certificates(), asked]).toEqual([2, questions]);
    },
  );

  it("is finalized again if a job released it during a slow commit", async () => {
    let slow = 0;
    commit = async (batch, inner) => {
      if (puts(batch, "cert/") && slow++ === 0) await runJobs();
      return inner(batch);
    };
    const before = asked;
    const done = await finalized();
    expect([done.status, orderIn(done).status]).toEqual([200, "valid"]);
    expect([slow, asked - before, await certificates()]).toEqual([2, 1, 2]);
  });
});
