import { afterAll, describe, expect, it } from "vitest";
import { signingService } from "../../examples/signing-service/service.ts";
import { localKey } from "../../examples/signing-service/signing-key.ts";
import { keeperKey, keeping, serviceKey, type Kept } from "../support/keepers.ts";

const kept: Kept[] = [];
afterAll(() => kept.forEach(({ close }) => close()));

/** Creates an authority over the example service, with keys of these types. */
async function served(...kinds: readonly string[]) {
  const keys = new Map(kinds.map((kind) => [kind, localKey(keeperKey(kind))]));
  const lines: string[] = [];
  const own = signingService({ keys, token: "the-token", log: (line) => lines.push(line) });
  // the body was already read, so it is passed on
  const one = await keeping((request, body, response) =>
    own(Object.assign(request, { [Symbol.asyncIterator]: () => chunks(body) }), response),
  );
  kept.push(one);
  const register = (name: string, more: object = {}) =>
    one.a.call("POST", `sys/managed-keys/https/${name}`, {
      ...serviceKey,
      url: "https://keeper.example",
      message_type: "raw",
      ...more,
    });
  for (const kind of kinds) await register(kind);
  return { ...one, lines, register };
}
async function* chunks(body: string): AsyncGenerator<Buffer, undefined> {
  yield Buffer.from(body);
  return undefined;
}

describe("the signing service of the examples", () => {
  it.each([
    ["P-256", {}],
    ["P-384", {}],
    ["P-521", {}],
    ["ed25519", {}],
    ["ml-dsa-44", {}],
    ["rsa", {}],
    ["rsa", { hash_algorithm: "sha2-512", use_pss: true }],
  ])("signs with a key of type %s, %j", async (kind, body) => {
    const { a, lines } = await served(kind);
    const test = await a.call("POST", `sys/managed-keys/https/${kind}/test/sign`, body);
    expect([test.status, test.text]).toEqual([200, expect.stringContaining("public_key")]);
    expect(lines).toHaveLength(1);
    const made = await a.call("POST", "pki/root/generate/kms", {
      managed_key_name: kind,
      common_name: "R",
    });
    expect(made.status).toBe(200);
    // the service sees what it signs: the certificate and its CRL
    expect(lines.length).toBeGreaterThan(2);
  });

  it("rejects unauthenticated callers, unknown keys and digests", async () => {
    const { a, register } = await served("P-256");
    const signed = async (name: string) =>
      (await a.call("POST", `sys/managed-keys/https/${name}/test/sign`)).errors.join("");
    await register("P-256", { token: "another" });
    expect(await signed("P-256")).toContain("does not let this server use the key (status 401)");
    await register("other");
    expect(await signed("other")).toContain("it has no such key (status 404)");
    await register("P-256", { token: "the-token", message_type: "digest" });
    expect(await signed("P-256")).toContain("it returned status 400");
  });
});
