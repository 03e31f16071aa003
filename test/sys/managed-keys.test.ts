import { afterAll, describe, expect, it } from "vitest";
import { memoryStore, sealedVault } from "../../src/index.ts";
import { authority, type Authority } from "../support/authority.ts";
import {
  aws,
  awsKey,
  client,
  json,
  keeperKey,
  keeping,
  kmsOf,
  ownPem,
  rootPem,
  serviceKey,
  serviceOf,
  spkiOf,
  type Kept,
} from "../support/keepers.ts";

const kept: Kept[] = [];
afterAll(() => kept.forEach(({ close }) => close()));
async function opened(...given: Parameters<typeof keeping>): Promise<Kept> {
  const one = await keeping(...given);
  kept.push(one);
  return one;
}
const at = "sys/managed-keys";
const write = (a: Authority, path: string, body: object) => a.call("POST", `${at}/${path}`, body);

describe("sys/managed-keys (listManagedKeys, readManagedKey, writeManagedKey, deleteManagedKey)", () => {
  it("stores settings, returns secrets as redacted, and lists names by type", async () => {
    const a = authority();
    expect((await a.call("LIST", `${at}/awskms`)).status).toBe(404);
    expect((await write(a, "awskms/one", awsKey)).status).toBe(204);
    expect((await write(a, "https/two", { ...serviceKey, usages: "sign,VERIFY" })).status).toBe(
      204,
    );
    expect((await a.call("GET", `${at}/awskms/?list=true`)).data).toEqual({ keys: ["one"] });
    const { data } = await a.call("GET", `${at}/awskms/one`);
    expect(data).toEqual({
      UUID: expect.stringMatching(/^[\da-f-]{36}$/),
      name: "one",
      type: "awskms",
      allow_generate_key: false,
      allow_replace_key: false,
      allow_store_key: false,
      any_mount: true,
      usages: [],
      allow_private_network: true,
      region: "eu-central-1",
      endpoint: "https://keeper.example/",
      kms_key: "alias/ca",
      trusted_ca: rootPem,
      access_key: "redacted",
      secret_key: "redacted",
    });
    expect((await a.call("GET", `${at}/https/two`)).data).toMatchObject({
      usages: ["sign", "verify"],
      token: "redacted",
    });
    expect((await a.call("GET", `${at}/https/one`)).status).toBe(404);
    expect((await a.call("DELETE", `${at}/https/two`)).status).toBe(204);
    expect((await a.call("GET", `${at}/https/two`)).status).toBe(404);
    expect((await a.call("DELETE", `${at}/https/two`)).status).toBe(204);
  });

  it("stores no secret in clear text", async () => {
    const a = authority();
    await write(a, "awskms/one", awsKey);
    const rows = await a.stores("sys").list("");
    const text = rows
      .map(([, { value }]) =>
        JSON.stringify(value, (_, one: unknown) =>
          one instanceof Uint8Array ? Buffer.from(one).toString("latin1") : one,
        ),
      )
      .join("\n");
    for (const secret of Object.values(aws)) expect(text).not.toContain(secret);
  });

  it("keeps absent settings, unsets empty ones, and keeps a secret sent as redacted", async () => {
    const { a } = await opened(serviceOf(keeperKey("P-256")));
    await write(a, "https/one", { ...serviceKey, key: "other" });
    const { data: before } = await a.call("GET", `${at}/https/one`);
    expect(
      (await write(a, "https/one", { token: "redacted", key: "", any_mount: false })).status,
    ).toBe(204);
    const { data } = await a.call("GET", `${at}/https/one`);
    expect(data).toEqual({ ...without(before, "key"), any_mount: false });
    expect((await write(a, "https/one/test/sign", {})).status).toBe(200);
  });

  it("accepts new secrets if the stored ones can no longer be unsealed", async () => {
    const stores = memoryStore();
    const vaultOf = (byte: number) => sealedVault({ key: new Uint8Array(32).fill(byte) });
    const { a, reaching } = await opened(serviceOf(keeperKey("P-256")), {
      authority: { stores, vault: vaultOf(1) },
    });
    await write(a, "https/one", serviceKey);
    await write(a, "https/two", serviceKey);
    const row = (await stores("sys").get(["managedkey/https/one"]))[0]?.value as object;
    const sealed = await vaultOf(2).seal(Buffer.from('{"token":"lost"}'), "sys/managed-key/lost");
    await stores("sys").commit({ put: [["managedkey/https/one", { ...row, sealed }]] });
    const b = authority({ ...reaching, seed: 2 });
    expect((await b.call("POST", "sys/rotate")).data["unopened"]).toEqual([
      "sys/managedkey/https/one",
    ]);
    const { status, data } = await b.call("GET", `${at}/https/one`);
    expect([status, data["token"]]).toEqual([200, undefined]);
    expect((await write(b, "https/one/test/sign", {})).status).toBe(503);
    expect((await write(b, "https/one", { any_mount: true })).errors.join("")).toContain(
      "set token or client_cert_bundle",
    );
    expect((await write(b, "https/one", { token: serviceKey.token })).status).toBe(204);
    b.clock.advance(2);
    expect((await write(b, "https/one/test/sign", {})).status).toBe(200);
  });

  it("sends a stored token to no other server: a new URL requires the token again", async () => {
    const { a, requests, ca } = await opened(serviceOf(keeperKey("P-256")));
    await write(a, "https/one", serviceKey);
    const { data: before } = await a.call("GET", `${at}/https/one`);
    for (const other of [
      { url: "https://other.example/signing" },
      { url: "https://other.example/signing", token: "redacted" },
      { trusted_ca: `${ca.pem}\n${ownPem}` },
      { trusted_ca: "", trusted_leaf_certificate_bundle: ownPem },
      { trusted_ca: "" },
    ]) {
      const { status, errors } = await write(a, "https/one", other);
      expect([status, String(errors)]).toEqual([
        400,
        expect.stringContaining("include token in the request"),
      ]);
      expect((await a.call("GET", `${at}/https/one`)).data).toEqual(before);
    }
    expect(requests).toEqual([]);
    const moved = { url: "https://keeper.example/other" };
    // the token sent again, unset, or with an unchanged server
    expect((await write(a, "https/one", { ...moved, token: "the-token" })).status).toBe(204);
    expect((await write(a, "https/one/test/sign", {})).status).toBe(200);
    expect((await write(a, "https/one", { ...moved, any_mount: false })).status).toBe(204);
    const bundle = `${client.key.pem}\n${client.pem}`;
    expect(
      (await write(a, "https/one", { url: serviceKey.url, token: "", client_cert_bundle: bundle }))
        .status,
    ).toBe(204);
  });

  it.each([
    ["pkcs11/one", {}, "pkcs11 requires a native library"],
    ["azurekeyvault/one", {}, "azurekeyvault is not supported"],
    ["gcpckms/one", {}, "gcpckms is not supported"],
    ["other/one", {}, "unknown managed key type: use awskms or https"],
    [
      "awskms/-x",
      awsKey,
      "invalid managed key name: use 1 to 128 letters, digits, '_', '.' and '-', not beginning or ending with '.' or '-'",
    ],
    ["awskms/x", { ...awsKey, secret_key: "" }, "secret_key is missing"],
    ["awskms/x", { ...awsKey, region: "evil.example/" }, "region must be the name of a region"],
    ["awskms/x", { ...awsKey, endpoint: "http://kms" }, "endpoint must be an https URL"],
    ["awskms/x", { ...awsKey, key_type: "DSA" }, "key_type must be RSA, ECDSA or ED25519"],
    ["awskms/x", { ...awsKey, kms_key: "a b" }, "kms_key must be an ID, an ARN or an alias"],
    ["awskms/x", { ...awsKey, access_key: "a/b" }, "access_key must be an access key ID"],
    [
      "awskms/x",
      { ...awsKey, url: "https://x" },
      "url is not a field of managed keys of type awskms",
    ],
    ["https/x", { ...serviceKey, url: "" }, "url is missing"],
    ["https/x", { ...serviceKey, url: "https://x/?y" }, "url must not have a query"],
    ["https/x", { ...serviceKey, token: "" }, "set token or client_cert_bundle"],
    [
      "https/x",
      { ...serviceKey, token: "a\nb" },
      "token must be 1 to 4096 printable ASCII characters without spaces",
    ],
    [
      "https/x",
      { ...serviceKey, key: "../x" },
      "key must consist of 1 to 128 letters, digits, underscores, dots and hyphens",
    ],
    ["https/x", { ...serviceKey, message_type: "hash" }, "message_type must be digest or raw"],
    ["https/x", { ...serviceKey, usages: "sing" }, "unknown usage sing"],
    ["https/x", { ...serviceKey, trusted_ca: "nothing" }, "trusted_ca must have 1 to 20"],
    ["https/x", { ...serviceKey, trusted_leaf_certificate_bundle: ownPem }, "not both"],
    ["https/x", { ...serviceKey, client_cert_bundle: "nothing" }, "bundle has no certificate"],
    ["https/x", { ...serviceKey, key: "x".repeat(70_000) }, "more than 65536 characters"],
  ])("rejects %s with %j", async (path, body, text) => {
    const a = authority();
    const { status, errors } = await write(a, path, body);
    expect([status, String(errors)]).toEqual([400, expect.stringContaining(text)]);
    expect(await a.stores("sys").list("managedkey/")).toEqual([]);
  });

  it("has one key per name across all types, because mounts list names", async () => {
    const a = authority();
    const made = await Promise.all([
      write(a, "awskms/one", awsKey),
      write(a, "https/one", serviceKey),
    ]);
    expect(made.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  it("deletes a key only if no mount lists it and no key of a mount refers to it", async () => {
    const { a } = await opened(serviceOf(keeperKey("P-256")));
    await write(a, "https/one", { ...serviceKey, any_mount: false });
    await a.call("POST", "sys/mounts/pki/tune", { allowed_managed_keys: ["one"] });
    const refused = async () => (await a.call("DELETE", `${at}/https/one`)).errors.join("");
    expect(await refused()).toContain("the mount pki/ lists it in allowed_managed_keys");
    const { data } = await a.call("POST", "pki/keys/generate/kms", { managed_key_name: "one" });
    await a.call("POST", "sys/mounts/pki/tune", { allowed_managed_keys: [] });
    expect(await refused()).toContain("a key of the mount pki/ refers to it");
    await a.call("DELETE", `pki/key/${String(data["key_id"])}`);
    expect((await a.call("DELETE", `${at}/https/one`)).status).toBe(204);
  });

  it("reseals its secrets during a rotation of the sealing key", async () => {
    const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
    const stores = memoryStore();
    const first = authority({ stores, vault: sealedVault({ key: keyOf(1) }) });
    await write(first, "https/one", serviceKey);
    const both = sealedVault({ key: keyOf(2), previous: keyOf(1) });
    const second = authority({ stores, seed: 2, vault: both });
    const { data } = await second.call("POST", "sys/rotate");
    expect(data).toEqual({ resealed: 2 });
    const third = await opened(serviceOf(keeperKey("P-256")), {
      authority: { stores, seed: 3, vault: sealedVault({ key: keyOf(2) }) },
    });
    expect((await write(third.a, "https/one/test/sign", {})).status).toBe(200);
  });
});
it("sys/rotate reseals a managed key that is changed meanwhile", async () => {
  const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
  const stores = memoryStore();
  await write(
    authority({ stores, vault: sealedVault({ key: keyOf(1) }) }),
    "https/one",
    serviceKey,
  );
  const vault = sealedVault({ key: keyOf(2), previous: keyOf(1) });
  let changes = 0;
  const changed: typeof vault = {
    ...vault,
    seal: async (plain, binding) => {
      // a signature binds it to its public key, and leaves its secrets unchanged
      if (binding.startsWith("sys/managed-key/") && changes++ < 2) {
        const [row] = await stores("sys").get(["managedkey/https/one"]);
        await stores("sys").commit({ put: [["managedkey/https/one", row?.value]] });
      }
      return vault.seal(plain, binding);
    },
  };
  const { data } = await authority({ stores, seed: 2, vault: changed }).call("POST", "sys/rotate");
  expect([data, changes]).toEqual([{ resealed: 2 }, 3]);
  const third = await opened(serviceOf(keeperKey("P-256")), {
    authority: { stores, seed: 3, vault: sealedVault({ key: keyOf(2) }) },
  });
  expect((await write(third.a, "https/one/test/sign", {})).status).toBe(200);
});
const without = (value: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

describe("test/sign (testManagedKey)", () => {
  it.each([
    ["P-256", {}, "ECDSAWithSHA256"],
    ["P-384", {}, "ECDSAWithSHA384"],
    ["P-521", {}, "ECDSAWithSHA512"],
    ["ed25519", {}, "Ed25519"],
    ["ml-dsa-65", {}, "ML-DSA-65"],
    ["rsa", {}, "SHA256WithRSA"],
    ["rsa", { hash_algorithm: "sha2-512" }, "SHA512WithRSA"],
    ["rsa", { hash_algorithm: "sha2-384", use_pss: true }, "SHA384WithRSAPSS"],
  ])(
    "signs with a key of type %s through both kinds of provider, %j",
    async (kind, body, algorithm) => {
      const key = keeperKey(kind);
      const service = await opened(serviceOf(key));
      const kms = await opened(kmsOf(new Map([["alias/ca", key]]), () => kms.a.clock.now));
      await write(service.a, "https/one", serviceKey);
      await write(kms.a, "awskms/one", awsKey);
      for (const answer of [
        await write(service.a, "https/one/test/sign", body),
        await write(kms.a, "awskms/one/test/sign", body),
      ]) {
        expect(answer.data).toMatchObject({ signature_algorithm: algorithm });
        const pem = String(answer.data["public_key"]).replace(/-----.*?-----|\n/g, "");
        expect(pem).toBe(spkiOf(key).toString("base64"));
      }
    },
  );

  it("rejects an unsupported hash, and an unknown key", async () => {
    const { a } = await opened(serviceOf(keeperKey("P-256")));
    await write(a, "https/one", serviceKey);
    expect((await write(a, "https/one/test/sign", { hash_algorithm: "sha1" })).status).toBe(400);
    expect((await write(a, "https/two/test/sign", {})).status).toBe(404);
  });

  it("contacts no private address unless permitted", async () => {
    const { a, requests } = await opened(serviceOf(keeperKey("P-256")));
    await write(a, "https/one", { ...serviceKey, allow_private_network: false });
    const { status, errors } = await write(a, "https/one/test/sign", {});
    expect([status, String(errors)]).toEqual([
      500,
      expect.stringContaining("is a private address"),
    ]);
    expect(requests).toEqual([]);
  });

  it("presents a client certificate to a pinned service that requires one", async () => {
    const key = keeperKey("P-256");
    const { a } = await opened(
      (request, body, response) => {
        request.headers.authorization = "Bearer the-token";
        return serviceOf(key)(request, body, response);
      },
      { tls: { ca: rootPem, requestCert: true, rejectUnauthorized: true } },
    );
    const pinned = {
      url: serviceKey.url,
      trusted_leaf_certificate_bundle: ownPem,
      allow_private_network: true,
    };
    await write(a, "https/one", {
      ...pinned,
      client_cert_bundle: `${client.key.pem}\n${client.pem}`,
    });
    await write(a, "https/two", { ...pinned, token: "the-token" });
    await write(a, "https/three", {
      ...pinned,
      token: "the-token",
      trusted_leaf_certificate_bundle: client.pem,
    });
    expect((await write(a, "https/one/test/sign", {})).data["key_type"]).toBe("ec");
    expect((await write(a, "https/two/test/sign", {})).status).toBe(500);
    expect((await write(a, "https/three/test/sign", {})).errors.join("")).toContain("pinned");
    const mixed = `${client.key.pem}\n${ownPem}`;
    expect((await write(a, "https/two", { client_cert_bundle: mixed })).status).toBe(400);
  });

  it("generates a key in AWS KMS if there is none and allow_generate_key is set", async () => {
    const keys = new Map();
    const { a } = await opened(kmsOf(keys, () => kept.at(-1)?.a.clock.now ?? 0));
    await write(a, "awskms/one", { ...awsKey, key_type: "ECDSA", curve: "P384" });
    const refused = await write(a, "awskms/one/test/sign", {});
    expect(refused.errors.join("")).toContain(
      "AWS KMS responded to GetPublicKey with status 400: NotFoundException",
    );
    await write(a, "awskms/one", { allow_generate_key: true });
    const { data } = await write(a, "awskms/one/test/sign", {});
    expect(data["signature_algorithm"]).toBe("ECDSAWithSHA384");
    expect([...keys.keys()]).toEqual(["alias/ca"]);
    await write(a, "awskms/one", { key_type: "RSA" });
    expect((await write(a, "awskms/one/test/sign", {})).errors.join("")).toContain(
      "of type ec, but key_type is RSA",
    );
  });

  it.each([
    ["redirects", 302, { location: "x" }, "it returned status 302"],
    ["rejects the token", 401, {}, "it does not let this server use the key (status 401)"],
    ["does not know the key", 404, {}, "it has no such key (status 404)"],
    ["returns an array", 200, [1], "its response has no valid base64 in public_key"],
    ["returns an invalid public key", 200, { public_key: "AAAA" }, "its public key cannot be used"],
  ])("reports that the service %s, without its response", async (_, status, body, text) => {
    const { a } = await opened((__, ___, response) =>
      json(response, status, { ...body, secret: "a canary" }),
    );
    await write(a, "https/one", serviceKey);
    const answer = await write(a, "https/one/test/sign", {});
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(text);
    expect(answer.text).not.toContain("canary");
    const { data: shown } = await a.call("GET", `${at}/https/one`);
    expect(shown["public_key"]).toBeUndefined();
    const health = await a.call("GET", "sys/health");
    expect(health.json["warnings"]).toEqual([
      "a managed key of type https has failed; use test/sign of sys/managed-keys to see the reason",
    ]);
  });

  it("adds no warning to sys/health about a key that is deleted while the call fails", async () => {
    const { a } = await opened(async (_, __, response) => {
      await a.call("DELETE", `${at}/https/one`);
      json(response, 500, {});
    });
    await write(a, "https/one", serviceKey);
    expect((await write(a, "https/one/test/sign", {})).status).toBe(500);
    expect((await a.call("GET", `${at}/https/one`)).status).toBe(404);
    a.clock.advance(1);
    expect((await a.call("GET", "sys/health")).json["warnings"]).toBeUndefined();
  });
});
