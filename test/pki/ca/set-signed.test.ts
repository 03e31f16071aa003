import { describe, expect, it } from "vitest";
import type { Stores } from "../../../src/engine/ports.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { authority, refusal, start, type Authority } from "../../support/authority.ts";
import { verified } from "../reading.ts";

async function withRequest(stores?: Stores) {
  const a = authority(stores ? { stores } : {});
  const root = await a.root();
  const { csr } = await a.pki.generateIntermediate({ common_name: "Issuing CA", key_type: "ec" });
  return { a, root, csr };
}
const rowsOf = async (a: Authority): Promise<readonly number[]> => {
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  return Promise.all(
    ["cert/", "issuer/"].map(async (prefix) => (await a.stores(uuid).list(prefix)).length),
  );
};

describe("sign-intermediate with set_signed", () => {
  it("signs and adds the certificate as a named issuer, which can issue and has a CRL", async () => {
    const { a, root, csr } = await withRequest();
    const made = await a.pki.signIntermediate({
      csr,
      ttl: "1000h",
      set_signed: true,
      issuer_name: "issuing",
    });
    const issuer = await a.pki.readIssuer({ issuer_ref: "issuing" });
    expect([issuer.issuer_id, issuer.certificate.trim()]).toEqual([
      made.issuer_id,
      made.certificate,
    ]);
    await a.role("web", { issuer_ref: "issuing" });
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    expect(
      verified(leaf.certificate, {
        root: root.certificate,
        between: [made.certificate],
        at: start,
      }),
    ).toContain("OK");
    expect((await a.call("GET", "pki/issuer/issuing/crl/der")).status).toBe(200);
    expect(await rowsOf(a)).toEqual([3, 2]);
  });

  it("stores neither certificate nor issuer if the commit fails or the request is rejected", async () => {
    const inner = memoryStore();
    let broken = false;
    const { a, csr } = await withRequest((name) => {
      const store = inner(name);
      const commit: typeof store.commit = async (batch) => {
        if (broken && batch.put?.some(([key]) => key.startsWith("issuer/")))
          throw new Error("the disk is full");
        return store.commit(batch);
      };
      return {
        get: (keys) => store.get(keys),
        list: (prefix, page) => store.list(prefix, page),
        commit,
      };
    });
    broken = true;
    expect(
      (await a.call("POST", "pki/root/sign-intermediate", { csr, set_signed: true })).status,
    ).toBe(500);
    broken = false;
    expect(
      await refusal(a.pki.signIntermediate({ csr, set_signed: true, issuer_name: "root" })),
    ).toEqual([400, "issuer name already in use"]);
    const foreign = await authority({ seed: 7 }).pki.generateIntermediate({
      common_name: "Other",
      key_type: "ec",
    });
    const text =
      "the mount does not have the private key for this CSR, so the certificate cannot become an issuer; omit set_signed to sign the CSR for use elsewhere";
    expect(await refusal(a.pki.signIntermediate({ csr: foreign.csr, set_signed: true }))).toEqual([
      400,
      text,
    ]);
    expect(await rowsOf(a)).toEqual([1, 1]);
    expect(
      (await a.pki.signIntermediate({ csr: foreign.csr, issuer_name: "root" })).issuer_id,
    ).toBeUndefined();
  });

  it("requires access to intermediate/set-signed in addition", async () => {
    const may = (path: string) => path !== "pki/intermediate/set-signed";
    const a = authority({
      authenticate: async () => ({ id: "signer", can: (_, path) => may(path) }),
    });
    await a.root();
    const { csr } = await a.pki.generateIntermediate({ common_name: "Issuing CA", key_type: "ec" });
    const answer = await a.call("POST", "pki/root/sign-intermediate", { csr, set_signed: true });
    expect([answer.status, answer.errors]).toEqual([
      403,
      [expect.stringContaining("permission denied")],
    ]);
    expect((await a.call("POST", "pki/root/sign-intermediate", { csr })).status).toBe(200);
    expect(await rowsOf(a)).toEqual([2, 1]);
  });

  it("obeys the rules on parameters of intermediate/set-signed", async () => {
    const { a, csr } = await withRequest();
    const tokenWith = async (rule: string) => {
      const policy = `path "pki/root/sign-intermediate" { capabilities = ["update"] }
        path "pki/intermediate/set-signed" {
          capabilities = ["update"]
          ${rule}
        }`;
      await a.call("POST", "sys/policies/acl/signer", { policy });
      const { json } = await a.call("POST", "auth/token/create", { policies: ["signer"] });
      return (json as { readonly auth: { readonly client_token: string } }).auth.client_token;
    };
    const signWith = async (token: string) => {
      const body = { csr, set_signed: true };
      return (await a.call("POST", "pki/root/sign-intermediate", body, { token })).status;
    };
    for (const name of ["certificate", "pem_bundle"])
      expect(await signWith(await tokenWith(`denied_parameters = { ${name} = [] }`))).toBe(403);
    expect(await rowsOf(a)).toEqual([1, 1]);
    expect(await signWith(await tokenWith('required_parameters = ["certificate"]'))).toBe(200);
  });
});

it("set-signed stores nothing if its commit fails, and can be repeated", async () => {
  const { a, csr } = await withRequest();
  const { certificate } = await a.pki.signIntermediate({ csr, ttl: "1000h" });
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  const store = a.stores(uuid);
  const before = JSON.stringify((await store.list("")).map(([key]) => key));
  const { commit } = store;
  store.commit = () => Promise.reject(new Error("the disk is full"));
  expect((await a.call("POST", "pki/intermediate/set-signed", { certificate })).status).toBe(500);
  store.commit = commit;
  expect(JSON.stringify((await store.list("")).map(([key]) => key))).toBe(before);
  expect((await a.pki.setSigned({ certificate })).imported_issuers).toHaveLength(1);
});
