import { describe, expect, it } from "vitest";
import { authority } from "../support/authority.ts";
import { hashCheaply } from "../support/cheap-passwords.ts";
import { alice, ask, bodyOf, certificatesIn, enrolled, world } from "./world.ts";

hashCheaply();

const path = "/.well-known/est/simpleenroll";
/**
 * Creates a world and a second engine over its stores, whose cache has everything that an
 * enrollment needs.
 */
async function two() {
  const w = await world();
  const b = authority({ stores: w.a.stores, clock: w.a.clock, seed: 2 });
  await ask(b, path, { basic: alice, body: await bodyOf() });
  const count = async () => (await w.a.pki.listCerts({})).keys.length;
  return { ...w, b, before: await count(), count };
}

describe("an enrollment on an engine with a cached configuration that another engine has just changed", () => {
  it.each<[string, string, object, number]>([
    ["EST was turned off", "pki/config/est", { enabled: false }, 404],
    ["the default mount is none any more", "pki/config/est", { default_mount: false }, 404],
    ["the login method is not named any more", "pki/config/est", { authenticators: {} }, 401],
    [
      "the mount may not use the method",
      "sys/mounts/pki/tune",
      { delegated_auth_accessors: [] },
      401,
    ],
    ["the role does not let the name in", "pki/roles/web", { allow_any_name: false }, 400],
    [
      "the path stands for what the policies do not grant",
      "pki/config/est",
      { default_path_policy: "sign-verbatim" },
      403,
    ],
  ])("is rejected if %s", async (_, changed, body, status) => {
    const { a, b, before, count } = await two();
    expect((await a.call("POST", changed, body)).status).toBeLessThan(300);
    const answer = await ask(b, path, { basic: alice, body: await bodyOf() });
    expect([answer.status, await count()]).toEqual([status, before]);
  });

  it("is rejected if the password was changed or the user deleted", async () => {
    const { a, b } = await two();
    await a.call("POST", "auth/userpass/users/alice/password", { password: "another one 4 you" });
    expect((await ask(b, path, { basic: alice, body: await bodyOf() })).status).toBe(401);
    const basic = "alice:another one 4 you";
    expect(certificatesIn(await ask(b, path, { basic, body: await bodyOf() }))).toHaveLength(1);
    await a.call("DELETE", "auth/userpass/users/alice");
    expect((await ask(b, path, { basic, body: await bodyOf() })).status).toBe(401);
  });

  it("is rejected if another certificate role is required", async () => {
    const { b, ...w } = await two();
    const { der } = await enrolled(w);
    const enrol = async () => ask(b, path, { tlsChain: [der], body: await bodyOf() });
    expect((await enrol()).status).toBe(200);
    const cert = { accessor: w.accessors.cert, cert_role: "other" };
    await w.a.call("POST", "pki/config/est", { authenticators: { cert } });
    const answer = await enrol();
    expect([answer.status, answer.text]).toEqual([
      401,
      "this mount no longer accepts this login\n",
    ]);
  });

  it("for a renewal is rejected if the certificate was revoked", async () => {
    const { b, ...w } = await two();
    const { der } = await enrolled(w);
    const serial = (await w.a.pki.listCerts({})).keys;
    const renewing = async () =>
      ask(b, "/.well-known/est/simplereenroll", {
        tlsChain: [der],
        basic: alice,
        body: await bodyOf(),
      });
    expect((await renewing()).status).toBe(200);
    for (const one of serial) await w.a.pki.revoke({ serial_number: one }).catch(() => undefined);
    expect((await renewing()).status).toBe(403);
  });
});

describe("an EST label that two engines assign to two mounts concurrently", () => {
  it("belongs to the mount whose request returned 200", async () => {
    const { a, b } = await two();
    await a.call("POST", "sys/mounts/other", { type: "pki" });
    await a.call("POST", "other/root/generate/internal", {
      common_name: "Other CA",
      key_type: "ec",
    });
    await a.call("POST", "other/roles/web", { allow_any_name: true });
    a.clock.advance(2);
    for (let round = 0; round < 6; round++) {
      const body = { enabled: true, label_to_path_policy: { [`both${round}`]: "role:web" } };
      const answers = await Promise.all([
        a.call("POST", "pki/config/est", body),
        b.call("POST", "other/config/est", body),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const won = answers[0].status === 200 ? "Root CA" : "Other CA";
      a.clock.advance(2);
      for (const engine of [a, b]) {
        const { text } = await ask(engine, `/.well-known/est/both${round}/cacerts`);
        expect(Buffer.from(text, "base64").includes(won)).toBe(true);
      }
    }
  });
});
