import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { memoryStore } from "../../src/index.ts";
import { authority, refusal, type Answer } from "../support/authority.ts";

const patch = { header: { "content-type": "application/merge-patch+json" } };
const seen = ({ status, errors }: Answer): readonly unknown[] => [status, errors];
const joined = (...texts: readonly string[]) =>
  `${texts.length} error${texts.length > 1 ? "s" : ""} occurred:\n${texts.map((text) => `\t* ${text}\n`).join("")}\n`;
async function ready() {
  const a = authority();
  await a.root();
  await a.role("web");
  return a;
}

describe("refusals", () => {
  it('A 1.3 handler "error response", A 1.3 handler failure: return 400 with the plain message in both dialects', async () => {
    const a = await ready();
    for (const compat of [false, true]) {
      expect(
        seen(await a.call("POST", "pki/root/generate/internal", { format: "x" }, { compat })),
      ).toEqual([400, ['the "format" path parameter must be "pem", "der", or "pem_bundle"']]);
      expect(
        seen(await a.call("POST", "pki/roles/web", { cn_validations: ["x"] }, { compat })),
      ).toEqual([400, [expect.not.stringContaining("error occurred")]]);
    }
  });
  it("A 1.3 field coercion failed: names the field and the reason", async () => {
    expect(
      seen(await authority().call("POST", "pki/roles/web", { allow_localhost: "yes" })),
    ).toEqual([
      400,
      [
        "Field validation failed: error converting input for field \"allow_localhost\": cannot parse 'yes' as bool",
      ],
    ]);
  });
  it("A 1.3 no such mount, A 1.3 mount exists, A 1.3 path exists: have different statuses and messages", async () => {
    const a = authority();
    expect(seen(await a.call("GET", "none/roles/web"))).toEqual([
      404,
      ['no handler for route "none/roles/web". route entry not found.'],
    ]);
    expect(seen(await a.call("GET", "pki/nothing"))).toEqual([404, [joined("unsupported path")]]);
    expect(seen(await a.call("DELETE", "pki/config/issuers"))).toEqual([
      405,
      [joined("unsupported operation")],
    ]);
    expect(seen(await a.call("GET", "pki/config/ca"))).toEqual([
      405,
      [joined("unsupported operation")],
    ]);
  });
  it("A 1.3 no token, A 1.3 bad/expired token, A 1.3 policy denies: return 403", async () => {
    const a = await ready();
    const read = (token: string) => a.call("GET", "pki/config/issuers", undefined, { token });
    expect(seen(await read(""))).toEqual([403, [expect.stringContaining("permission denied")]]);
    expect(seen(await read("stranger"))).toEqual([
      403,
      [joined("permission denied", "invalid token")],
    ]);
    expect(seen(await a.call("POST", "pki/roles/web", {}, { token: "reader" }))).toEqual([
      403,
      [joined("permission denied")],
    ]);
  });
  it("A 1.3 sealed / not ready: returns 503 while storage is unavailable", async () => {
    const inner = memoryStore();
    let open = true;
    const a = authority({
      stores: (name) => {
        const store = inner(name);
        const shut = () => {
          if (!open) throw new CaError("storage", "the store cannot be reached");
        };
        return {
          get: async (keys) => (shut(), store.get(keys)),
          list: async (prefix, page) => (shut(), store.list(prefix, page)),
          commit: async (batch) => (shut(), store.commit(batch)),
        };
      },
    });
    await a.root();
    open = false;
    a.clock.advance(5);
    expect((await a.call("POST", "pki/roles/web", {})).status).toBe(503);
    open = true;
    expect((await a.call("POST", "pki/roles/web", {})).status).toBe(200);
  });

  it("A 1.3 item 1: an unknown issuer is 500 in the compat dialect with the message that clients match, otherwise 404 on reads and 400 on writes", async () => {
    const a = await ready();
    const text = "unable to find PKI issuer for reference: gone";
    const calls = [
      ["GET", "", 404],
      ["POST", "", 400],
      ["PATCH", "", 400],
      ["GET", "/json", 404],
      ["GET", "/pem", 404],
      ["GET", "/der", 404],
      ["POST", "/revoke", 400],
    ] as const;
    for (const [method, path, status] of calls) {
      const header = method === "PATCH" ? patch.header : {};
      const send = (compat: boolean) =>
        a.call(method, `pki/issuer/gone${path}`, method === "GET" ? undefined : {}, {
          compat,
          header,
        });
      expect([method, path, ...seen(await send(false))]).toEqual([method, path, status, [text]]);
      expect([method, path, ...seen(await send(true))]).toEqual([method, path, 500, [text]]);
    }
    const without = authority();
    expect(seen(await without.call("GET", "pki/issuer/default"))).toEqual([
      404,
      ["no default issuer currently configured"],
    ]);
    expect(
      seen(await without.call("GET", "pki/issuer/default", undefined, { compat: true })),
    ).toEqual([500, ["no default issuer currently configured"]]);
  });

  it("A 1.3 item 2, A 1.3 item 3: issuing from a missing, keyless or unsuitable issuer names the cause", async () => {
    const a = authority();
    await a.role("web");
    const issue = async (compat = false) =>
      seen(await a.call("POST", "pki/issue/web", { common_name: "a.test" }, { compat }));
    const fetch = "could not fetch the CA certificate (was one set?): ";
    expect(await issue()).toEqual([400, [`${fetch}no default issuer currently configured`]]);
    expect(await issue(true)).toEqual([500, [`${fetch}no default issuer currently configured`]]);
    await a.role("web", { issuer_ref: "gone" });
    expect(await issue()).toEqual([400, [`${fetch}unable to find PKI issuer for reference: gone`]]);
    expect(await issue(true)).toEqual([
      500,
      [`${fetch}unable to find PKI issuer for reference: gone`],
    ]);
    const { certificate } = await authority({ seed: 2 }).root();
    const [id = ""] =
      (await a.pki.importCertificates({ pem_bundle: certificate })).imported_issuers ?? [];
    await a.role("web", { issuer_ref: id });
    expect(await issue()).toEqual([
      400,
      [
        `${fetch}unable to fetch corresponding key for issuer ${id}; unable to use this issuer for signing`,
      ],
    ]);
    const root = await a.root();
    await a.pki.patchIssuer({ issuer_ref: "root", usage: "crl-signing" });
    await a.role("web", { issuer_ref: "root" });
    expect(await issue()).toEqual([
      400,
      [
        `error fetching CA certificate: error while attempting to use issuer ${root.issuer_id}: requested usage issuing-certificates for issuer [id:${root.issuer_id} / name:root] but only had usage crl-signing,read-only`,
      ],
    ]);
  });

  it("A 1.3 item 3: sign-self-issued rejects an issuer without the issuing usage", async () => {
    const a = await ready();
    const { certificate } = await authority({ seed: 3 }).root();
    await a.pki.patchIssuer({ issuer_ref: "root", usage: "crl-signing" });
    for (const path of ["root/sign-self-issued", "issuer/root/sign-self-issued"])
      for (const compat of [false, true])
        expect(seen(await a.call("POST", `pki/${path}`, { certificate }, { compat }))).toEqual([
          400,
          [expect.stringContaining("requested usage issuing-certificates for issuer")],
        ]);
  });

  it("A 1.3 item 4: an unknown key is 500 in the compat dialect with the message that clients match, otherwise 404 on reads and 400 on writes", async () => {
    const a = authority();
    for (const [ref, text] of [
      ["gone", "unable to find PKI key for reference: gone"],
      ["default", "no default key currently configured"],
    ] as const) {
      expect(seen(await a.call("GET", `pki/key/${ref}`))).toEqual([404, [text]]);
      expect(await refusal(a.pki.writeKey({ key_ref: ref }))).toEqual([400, text]);
      for (const method of ["GET", "POST"])
        expect(
          seen(
            await a.call(method, `pki/key/${ref}`, method === "POST" ? {} : undefined, {
              compat: true,
            }),
          ),
        ).toEqual([500, [text]]);
    }
  });

  it("A 1.3 item 5: a role with invalid cn_validations or policies is 400 in both dialects", async () => {
    const a = authority();
    for (const body of [{ cn_validations: ["x"] }, { policy_identifiers: ["x"] }])
      for (const compat of [false, true])
        expect((await a.call("POST", "pki/roles/web", body, { compat })).status).toBe(400);
  });

  it("A 1.3 item 6: sign-self-issued rejects another key type if key types must match", async () => {
    const a = await ready();
    const other = await authority({ seed: 3 }).root({ key_type: "ed25519" });
    const body = { certificate: other.certificate, require_matching_certificate_algorithms: true };
    const text = expect.stringMatching(/^signing certificate is of type ec /);
    for (const compat of [false, true])
      expect(seen(await a.call("POST", "pki/root/sign-self-issued", body, { compat }))).toEqual([
        400,
        [text],
      ]);
    expect(await refusal(a.pki.signSelfIssued(body))).toEqual([400, text]);
    const named = a.pki.signSelfIssuedWith({ issuer_ref: "root", ...body });
    expect(await refusal(named)).toEqual([400, text]);
  });

  it("A 1.3 item 7: an intermediate that violates the signer's path length is 400 in both dialects", async () => {
    const a = authority();
    await a.root({ max_path_length: 0 });
    const { csr } = await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    for (const compat of [false, true]) {
      const answer = await a.call("POST", "pki/root/sign-intermediate", { csr }, { compat });
      expect(seen(answer)).toEqual([
        400,
        [
          "signing certificate has a max path length of zero, and cannot issue further CA certificates",
        ],
      ]);
    }
  });
});
