import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/bytes.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { generateKey } from "../../../src/keys/generate.ts";
import { createCa, memoryStore, sealedVault, type CaOptions } from "../../../src/index.ts";
import { algorithmIdentifier } from "../../../src/x509/public-key.ts";
import { assembleSigned } from "../../../src/x509/certificate.ts";
import { encodeCsrInfo } from "../../../src/x509/csr.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { authority, start } from "../../support/authority.ts";
import { commonName, makeKey, openssl, withFiles } from "../../x509/fixture.ts";
import { keyOf, readCertificate, request, sanOf, verified } from "../reading.ts";
import { threadTime } from "../../support/spent.ts";

const fromOpenssl = (...args: readonly string[]): string => openssl(["genpkey", ...args]);
const csrOf = (keyPem: string, ...args: readonly string[]): string =>
  withFiles({ key: keyPem }, (path) =>
    openssl(["req", "-new", "-key", path("key"), "-subj", "/CN=a.test", ...args]),
  );

describe("P-224 keys", () => {
  it("sign a root, an intermediate and leaves that openssl verifies", async () => {
    const a = authority();
    const root = await a.root({ key_bits: 224 });
    const between = await a.intermediate({}, { key_bits: 224 });
    expect(openssl(["req", "-noout", "-verify"], between.csr)).toBeDefined();
    await a.role("small", { key_bits: 224, issuer_ref: between.id });
    const leaf = await a.pki.issue({ role: "small", common_name: "a.test", ttl: 60 });
    expect(
      verified(leaf.certificate, {
        root: root.certificate,
        between: [between.certificate],
        at: start,
      }),
    ).toContain("OK");
    const csr = csrOf(
      fromOpenssl(
        "-algorithm",
        "EC",
        "-pkeyopt",
        "ec_paramgen_curve:P-224",
        "-pkeyopt",
        "ec_param_enc:named_curve",
      ),
    );
    const signed = await a.pki.sign({ role: "small", csr, ttl: 60 });
    expect(
      verified(signed.certificate, {
        root: root.certificate,
        between: [between.certificate],
        at: start,
      }),
    ).toContain("OK");
  });

  it("can be imported and sign a CSR", async () => {
    const a = authority();
    const { key_id } = await a.pki.importKey({
      pem_bundle: encodePem("PRIVATE KEY", (await generateKey("ec", 224)).pkcs8),
    });
    const { csr } = await a.pki.generateIntermediateFromKey({
      common_name: "From key",
      key_ref: key_id,
    });
    expect(openssl(["req", "-noout", "-verify"], csr)).toBeDefined();
  });
});

describe("a signature made outside the platform", () => {
  it("is verified before a CSR or a certificate is returned", async () => {
    const honest = sealedVault({ key: new Uint8Array(32).fill(7) });
    let broken = false;
    const vault: NonNullable<CaOptions["vault"]> = {
      ...honest,
      seal: (secret, binding) => honest.seal(secret, binding),
      unseal: (sealed, binding) => honest.unseal(sealed, binding),
      signer: async (sealed, binding, spki) => {
        const signer = await honest.signer(sealed, binding, spki);
        const sign: typeof signer.sign = async (scheme, data) =>
          signer.sign(scheme, broken ? data.slice(1) : data);
        return { spki: signer.spki, platform: false, sign };
      },
    };
    const ca = createCa({
      stores: memoryStore(),
      vault,
      now: () => start,
      authenticate: async () => ({ id: "root", can: () => true }),
    });
    const root = await ca.pki.generateRoot({ common_name: "R", key_type: "ec" });
    expect(root.certificate).toContain("BEGIN");
    await ca.pki.writeRole({ name: "web", key_type: "ec", allow_any_name: true });
    broken = true;
    const text = /the signature that the issuer's key created is invalid/;
    await expect(ca.pki.generateIntermediate({ common_name: "I", key_type: "ec" })).rejects.toThrow(
      text,
    );
    await expect(ca.pki.issue({ role: "web", common_name: "a.test" })).rejects.toThrow(text);
    broken = false;
    expect((await ca.pki.generateIntermediate({ common_name: "I", key_type: "ec" })).csr).toContain(
      "BEGIN",
    );
  });
});

describe("the key of a CSR", () => {
  const asked = async (csr: string) => {
    const a = authority();
    await a.root();
    await a.role("web", { key_type: "any", ttl: "1h" });
    const answers = await Promise.all(
      ["sign/web", "sign-verbatim", "root/sign-intermediate"].map((path) =>
        a.call("POST", `pki/${path}`, { csr, ttl: 60 }),
      ),
    );
    expect((await a.pki.listCerts({})).keys).toHaveLength(
      1 + answers.filter((one) => one.status === 200).length,
    );
    return answers.map((one) =>
      one.status === 200 ? 200 : `${one.status} ${String(one.errors[0])}`,
    );
  };
  it("can sign with every supported algorithm, including PSS", async () => {
    for (const kind of ["P-256", "P-384", "P-521", "Ed25519", "RSA", "RSA-PSS"] as const)
      expect([
        kind,
        ...(await asked(await request({ cn: "a.test", key: await keyOf(kind) }))),
      ]).toEqual([kind, 200, 200, 200]);
  });

  it("is rejected if another key signed the CSR, for every algorithm", async () => {
    for (const kind of ["P-256", "P-384", "P-521", "Ed25519", "RSA", "RSA-PSS"] as const) {
      const own = await keyOf(kind);
      const other = await makeKey(kind);
      for (const answer of await asked(
        await request({ cn: "a.test", key: { ...own, sign: other.sign } }),
      ))
        expect(answer).toMatch(/^400 request signature invalid/);
    }
  });

  it("is rejected if the CSR is signed with SHA-1 or MD5", async () => {
    const rsa = fromOpenssl("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048");
    for (const hash of ["-sha1", "-md5"])
      for (const answer of await asked(csrOf(rsa, hash)))
        expect(answer).toMatch(/^400 request signature invalid/);
  });

  it("is rejected if its size or its exponent is not supported", async () => {
    const small = csrOf(fromOpenssl("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"));
    for (const answer of await asked(small))
      expect(answer).toBe("400 RSA keys < 2048 bits are unsafe and not supported");
    for (const odd of [["rsa_keygen_bits:2056"], ["rsa_keygen_bits:2048", "rsa_keygen_pubexp:3"]])
      for (const answer of await asked(
        csrOf(fromOpenssl("-algorithm", "RSA", ...odd.flatMap((option) => ["-pkeyopt", option]))),
      ))
        expect(answer).toMatch(/^400 /);
  });

  it("is rejected for an explicit or wrong curve, off the curve, and at infinity", async () => {
    const explicit = csrOf(
      fromOpenssl(
        "-algorithm",
        "EC",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-pkeyopt",
        "ec_param_enc:explicit",
      ),
    );
    for (const answer of await asked(explicit)) expect(answer).toMatch(/^400 /);
    const key = await keyOf("P-256");
    const withSpki = async (spki: Uint8Array) => {
      const info = encodeCsrInfo({
        subject: encodeName(commonName("a.test")),
        spki,
        extensions: [],
      });
      return encodePem(
        "CERTIFICATE REQUEST",
        assembleSigned(info, algorithmIdentifier(key.scheme), await key.sign(info)),
      );
    };
    const off = key.key.spki.slice();
    off[off.length - 1] = (off.at(-1) ?? 0) ^ 1;
    const infinity = fromHex("3019301306072a8648ce3d020106082a8648ce3d03010703020000");
    const other = fromHex(
      toHex(key.key.spki).replace("06082a8648ce3d030107", "06082a8648ce3d030108"),
    );
    for (const spki of [off, infinity, other])
      for (const answer of await asked(await withSpki(spki))) expect(answer).toMatch(/^400 /);
  });

  it("is rejected promptly in a huge CSR", async () => {
    const began = threadTime();
    const names = Array.from({ length: 10_000 }, (_, i) => `n${i}.a.test`);
    for (const dns of [names, ["x".repeat(1024 * 1024)]]) {
      const csr = await request({ cn: "a.test", extensions: [sanOf({ dns })] });
      const a = authority();
      await a.root();
      await a.role("web", { key_type: "any", ttl: "1h" });
      for (const path of ["sign/web", "sign-verbatim"])
        expect(
          (await a.call("POST", `pki/${path}`, { csr, ttl: 60 })).status,
        ).toBeGreaterThanOrEqual(400);
    }
    expect(threadTime() - began).toBeLessThan(20_000);
  });

  it("can be certified for any extended key usage, and an empty one is rejected", async () => {
    const a = authority();
    await a.root();
    for (const oids of [["2.5.29.37.0"], ["1.2.3.4.5"]]) {
      const { certificate } = await a.pki.signVerbatim({
        csr: await request({ cn: "a.test" }),
        ext_key_usage_oids: oids,
        ttl: 60,
      });
      expect(readCertificate(certificate).purposes).toEqual(oids);
    }
    const empty = { oid: "2.5.29.37", critical: false, value: fromHex("3000") };
    const answer = await a.call("POST", "pki/sign-verbatim", {
      csr: await request({ cn: "a.test", extensions: [empty] }),
      ttl: 60,
    });
    expect([answer.status, answer.errors]).toEqual([
      400,
      ["the CSR has an empty extended key usage extension"],
    ]);
  });
});
