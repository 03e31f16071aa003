import { expect, it } from "vitest";
import { accountUrl, binding, newEab, registering, directory } from "../../acme/registering.ts";
import { fresh, gathered } from "./kept.ts";

it("accounts of ACME keep working; unused binding keys and nonces from before the restore are void", async () => {
  const { a, acme, key } = await registering();
  const made = await acme.post("/new-account", key, { termsOfServiceAgreed: true });
  expect(made.status).toBe(201);
  const eab = await newEab(a);
  const parts = await gathered(a.ca.backup("pki"));
  const before = await a.ca.fetch(new Request(acme.url("/new-nonce"), { method: "HEAD" }));
  const nonce = before.headers.get("replay-nonce") ?? "";
  const b = fresh();
  await b.ca.restore("pki", parts);
  const again = directory(b);
  const account = accountUrl(made);
  const suffix = account.slice(acme.url("").length);
  expect((await again.post(suffix, key, {}, { kid: account })).json["status"]).toBe("valid");
  const old = await again.post(suffix, key, {}, { kid: account, header: { nonce } });
  expect([old.status, old.problem]).toEqual([400, "badNonce"]);
  expect((await b.call("GET", "pki/eab?list=true")).status).toBe(404);
  const bound = await again.post("/new-account", key, {
    termsOfServiceAgreed: true,
    externalAccountBinding: await binding(eab, key.jwk, { url: again.url("/new-account") }),
  });
  expect(bound.status).not.toBe(201);
});
