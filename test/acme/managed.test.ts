import { afterAll, expect, it } from "vitest";
import { decodePem } from "../../src/base/pem.ts";
import { verifySignature } from "../../src/x509/public-key.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { json, keeperKey, keeping, serviceKey, serviceOf, spkiOf } from "../support/keepers.ts";
import { acmeAuthority } from "./client.ts";
import { finalize, issue, orderIn, readyOrder } from "./ordering.ts";

const key = keeperKey("P-256");
const keeper = await keeping(serviceOf(key));
afterAll(() => keeper.close());

it("an order is signed by a managed key, and stays ready while the key service fails", async () => {
  const a = await acmeAuthority(keeper.reaching);
  await a.call("POST", "sys/managed-keys/https/one", serviceKey);
  const { data: root } = await a.call("POST", "pki/root/generate/kms", {
    managed_key_name: "one",
    common_name: "R",
  });
  await a.call("POST", "pki/config/issuers", { default: root["issuer_id"] });
  const client = await a.registered();
  const { chain } = await issue(a, client, ["a.test"]);
  const [block] = decodePem(chain[0] ?? "");
  const { tbs, algorithm, signature } = parseCertificate(block?.der ?? new Uint8Array());
  expect(await verifySignature(spkiOf(key), algorithm, tbs, signature)).toBe(true);
  const order = await readyOrder(a, client, ["b.test"]);
  const right = keeper.answer;
  keeper.answer = (_, __, response) => json(response, 500, {});
  const failed = await finalize(client, order, { names: ["b.test"] });
  expect([failed.status, failed.problem]).toEqual([500, "serverInternal"]);
  expect(orderIn(await client.post(order)).status).toBe("ready");
  keeper.answer = right;
  expect((await finalize(client, order, { names: ["b.test"] })).status).toBe(200);
});
