import { beforeEach, describe, expect, it } from "vitest";
import { derOf, readCertificate, verified } from "../pki/reading.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient } from "./client.ts";
import {
  certificateIdOf,
  chainIn,
  finalize,
  identifiersOf,
  issue,
  newOrder,
  orderIn,
  prove,
} from "./ordering.ts";

let a: AcmeAuthority;
let client: AcmeClient;
beforeEach(async () => {
  a = await acmeAuthority();
  client = await a.registered();
});

describe("an ACME order (B 5.9)", () => {
  it("B 5.9 order object, B 5.9 order expires, B 5.9 finalize, B 5.9 cert, B 5.9 duplicates, B 5.10 challenge types, B 5.10 token: acmeNewOrder, acmeOrder, acmeAuthorization, acmeFinalize and acmeCertificate issue a certificate that openssl verifies", async () => {
    const names = ["www.a.test", "*.b.test", "192.0.2.1", "2001:db8::1"];
    const made = await newOrder(client, names);
    expect([made.status, made.json]).toEqual([
      201,
      {
        status: "pending",
        expires: new Date(a.clock.now + 86_400_000).toISOString().replace(".000", ""),
        identifiers: identifiersOf(...names),
        authorizations: names.map(() => expect.stringMatching(/\/acme\/authorization\/[\w-]+$/)),
        finalize: `${made.location}/finalize`,
      },
    ]);
    const { authorizations } = orderIn(made);
    const types = await Promise.all(
      authorizations.map(async (url) => {
        const { json, status } = await client.post(url);
        expect(status).toBe(200);
        expect(json).not.toHaveProperty("expires");
        const challenges = json["challenges"] as readonly Readonly<Record<string, string>>[];
        for (const one of challenges) {
          expect(one["token"]).toMatch(/^[\w-]{28}$/);
          expect(one["url"]).toBe(`${url.replace("authorization", "challenge")}/${one["type"]}`);
        }
        return [json["identifier"], json["wildcard"], challenges.map(({ type }) => type)];
      }),
    );
    expect(types).toEqual([
      [{ type: "dns", value: "www.a.test" }, undefined, ["http-01", "dns-01", "tls-alpn-01"]],
      [{ type: "dns", value: "b.test" }, true, ["dns-01"]],
      [{ type: "ip", value: "192.0.2.1" }, undefined, ["http-01", "tls-alpn-01"]],
      [{ type: "ip", value: "2001:db8::1" }, undefined, ["http-01", "tls-alpn-01"]],
    ]);
    await prove(a, authorizations);
    expect(orderIn(await client.post(made.location)).status).toBe("ready");
    const done = await finalize(client, made.location, { names });
    expect([done.status, done.json["status"], done.location]).toEqual([
      200,
      "valid",
      made.location,
    ]);
    const certificate = await client.post(orderIn(done).certificate);
    expect(certificate.headers.get("content-type")).toBe("application/pem-certificate-chain");
    const [leaf, root] = chainIn(certificate);
    expect(verified(leaf, { root: String(root), at: a.clock.now })).toContain("OK");
    expect(readCertificate(leaf)).toMatchObject({
      names: { dns: ["www.a.test", "*.b.test"], ip: ["192.0.2.1", "2001:db8::1"] },
      purposes: ["1.3.6.1.5.5.7.3.1"],
    });
  });
});

describe("renewal information (RFC 9773)", () => {
  it("acmeRenewalInfo: suggests the last third of the lifetime, and immediate renewal after acmeRevoke", async () => {
    const { leaf, chain } = await issue(a, client, ["a.test"]);
    const at = `${await client.url("renewalInfo")}/${certificateIdOf(leaf)}`;
    const ask = async () => {
      const reply = await a.ca.fetch(new Request(at));
      const { suggestedWindow } = (await reply.json()) as Record<string, Record<string, string>>;
      expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      return [suggestedWindow?.["start"], suggestedWindow?.["end"]].map(
        (text) => Date.parse(String(text)) / 1000,
      );
    };
    const [start = 0, end = 0] = await ask();
    const length = leaf.notAfter - leaf.notBefore;
    expect(start).toBe(leaf.notAfter - Math.floor(length / 3));
    expect(end).toBeGreaterThan(start);
    const revoked = await client.post(await client.url("revokeCert"), {
      certificate: Buffer.from(derOf(chain[0])).toString("base64url"),
      reason: 4,
    });
    expect([revoked.status, revoked.text]).toEqual([200, ""]);
    const [, past = 0] = await ask();
    expect(past).toBeLessThan(a.clock.now / 1000);
  });
});
