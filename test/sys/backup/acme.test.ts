import { expect, it } from "vitest";
import {
  accountUrl,
  binding,
  clientKey,
  newEab,
  registering,
  directory,
} from "../../acme/registering.ts";
import { fresh, gathered } from "./kept.ts";

it("the limits of an external account binding apply after a restore, and its key is invalid", async () => {
  const { a, key } = await registering();
  const fields = { allowed_identifiers: ["*.corp.example"], preauthorized: true, max_uses: 2 };
  const { data } = await a.call("POST", "pki/acme/new-eab", fields);
  const eab = { id: String(data["id"]), key: String(data["key"]) };
  const register = async (at: ReturnType<typeof directory>, by: typeof key) => {
    const url = at.url("/new-account");
    return at.post("/new-account", by, {
      externalAccountBinding: await binding(eab, by.jwk, { url }),
    });
  };
  const kid = accountUrl(await register(directory(a), key));
  const b = fresh();
  await b.ca.restore("pki", await gathered(a.ca.backup("pki")));
  const again = directory(b);
  expect((await register(again, await clientKey())).problem).toBe("unauthorized");
  const order = (value: string) =>
    again.post("/new-order", key, { identifiers: [{ type: "dns", value }] }, { kid });
  expect((await order("a.corp.example")).json["status"]).toBe("ready");
  expect((await order("evil.test")).problem).toBe("rejectedIdentifier");
  await b.call("DELETE", `pki/eab/${eab.id}`);
  expect((await order("a.corp.example")).problem).toBe("unauthorized");
});

it("ACME accounts keep working after a restore; unused binding keys and nonces from before are invalid", async () => {
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
