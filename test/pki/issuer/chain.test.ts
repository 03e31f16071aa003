import { describe, expect, it, vi } from "vitest";
import { authority, start } from "../../support/authority.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { isRoot } from "../../../src/pki/issuer/signed-by.ts";
import { algorithmIdentifier, keyIdentifier } from "../../../src/x509/public-key.ts";
import { authorityKeyIdentifier, subjectKeyIdentifier } from "../../../src/x509/key-identifiers.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { basicConstraints } from "../../../src/x509/basic-constraints.ts";
import { keyUsage } from "../../../src/x509/usage.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { certify, commonName, defined, makeKey, type TestKey } from "../../x509/fixture.ts";
import { crafted } from "../crafted.ts";
import { keyOf, readCertificate } from "../reading.ts";

let serial = 1;
/** Returns a CA certificate for a key and a name, signed by another. */
async function signed(
  subject: string,
  key: TestKey,
  issuer: string,
  by: TestKey,
  usage: readonly ("CertSign" | "CRLSign")[] = ["CertSign", "CRLSign"],
): Promise<string> {
  const extensions = defined([
    keyUsage(usage),
    basicConstraints(true),
    subjectKeyIdentifier(await keyIdentifier(key.key.spki)),
    authorityKeyIdentifier(await keyIdentifier(by.key.spki)),
  ]);
  const der = await certify(by, {
    serial: Uint8Array.of(serial++),
    algorithm: algorithmIdentifier(by.scheme),
    issuer: encodeName(commonName(issuer)),
    notBefore: start / 1000 - 10,
    notAfter: start / 1000 + 1e7,
    subject: encodeName(commonName(subject)),
    spki: key.key.spki,
    extensions,
  });
  return encodePem("CERTIFICATE", der);
}

describe("a root", () => {
  it("is recognized by matching key identifiers, or by its signature if it has none", async () => {
    const [own, other] = [await keyOf("P-256"), await keyOf("P-384")];
    const bare = async (by: TestKey, more: Parameters<typeof defined>[0] = []) =>
      parseCertificate(
        await certify(by, {
          serial: Uint8Array.of(9),
          algorithm: algorithmIdentifier(by.scheme),
          issuer: encodeName(commonName("R")),
          notBefore: 0,
          notAfter: 1,
          subject: encodeName(commonName("R")),
          spki: own.key.spki,
          extensions: defined([basicConstraints(true), ...more]),
        }),
      );
    const id = Uint8Array.of(1);
    expect([await isRoot(await bare(own)), await isRoot(await bare(other))]).toEqual([true, false]);
    expect(await isRoot(await bare(own, [subjectKeyIdentifier(id)]))).toBe(true);
    expect(
      await isRoot(await bare(other, [subjectKeyIdentifier(id), authorityKeyIdentifier(id)])),
    ).toBe(true);
    expect(
      await isRoot(
        await bare(own, [subjectKeyIdentifier(id), authorityKeyIdentifier(Uint8Array.of(2))]),
      ),
    ).toBe(false);
    expect(await isRoot(readCertificate(await signed("A", own, "B", own)))).toBe(false);
  });
});

/** Returns the chains after an import, as `subject by issuer`. */
async function chains(
  certificates: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const a = authority();
  await a.pki.setSigned({ certificate: certificates.join("\n") });
  const { keys } = await a.pki.listIssuers({});
  const label = (pem: string) => {
    const { subject, issuer } = readCertificate(pem).text;
    return `${subject.slice(3)} by ${issuer.slice(3)}`;
  };
  const found = await Promise.all(
    keys.map(async (issuer_ref) => {
      const { certificate, ca_chain } = await a.pki.readIssuer({ issuer_ref });
      return [label(certificate), ca_chain.map(label)] as const;
    }),
  );
  return Object.fromEntries(found);
}

describe("the chain of an issuer", () => {
  it("starts with the issuer and continues to the root, for any order of import", async () => {
    const [root, middle, low] = [
      await keyOf("P-256"),
      await keyOf("P-384"),
      await keyOf("Ed25519"),
    ];
    const list = [
      await signed("low", low, "middle", middle),
      await signed("root", root, "root", root),
      await signed("middle", middle, "root", root),
    ];
    expect(await chains(list)).toEqual({
      "low by middle": ["low by middle", "middle by root", "root by root"],
      "middle by root": ["middle by root", "root by root"],
      "root by root": ["root by root"],
    });
  });

  it("terminates if CAs signed each other, and lists self-issued parents first", async () => {
    const [x, y, leaf] = [await keyOf("P-256"), await keyOf("P-384"), await keyOf("Ed25519")];
    const list = [
      await signed("x", x, "x", x),
      await signed("y", y, "y", y),
      await signed("x", x, "y", y),
      await signed("y", y, "x", x),
      await signed("z", leaf, "x", x),
    ];
    const found = await chains(list);
    expect(found["z by x"]?.slice(0, 2)).toEqual(["z by x", "x by x"]);
    for (const [own, chain] of Object.entries(found)) {
      expect(chain[0]).toBe(own);
      expect(new Set(chain).size).toBe(chain.length);
    }
    expect(found["x by x"]).toContain("x by x");
  });

  it("distinguishes two issuers with the same subject by their keys", async () => {
    const [one, two, low] = [await keyOf("P-256"), await keyOf("P-384"), await keyOf("Ed25519")];
    const list = [await signed("twin", one, "twin", one), await signed("low", low, "twin", two)];
    expect((await chains(list))["low by twin"]).toEqual(["low by twin"]);
    expect(
      (await chains([...list, await signed("twin", two, "twin", two)]))["low by twin"],
    ).toEqual(["low by twin", "twin by twin"]);
  });

  it("does not include a CA that may not sign certificates", async () => {
    const [root, low] = [await keyOf("P-256"), await keyOf("P-384")];
    expect(
      (
        await chains([
          await signed("root", root, "root", root, ["CRLSign"]),
          await signed("low", low, "root", root),
        ])
      )["low by root"],
    ).toEqual(["low by root"]);
  });
});

describe("many CAs with the same name", () => {
  const selfSigned = async (count: number, by?: TestKey): Promise<readonly string[]> => {
    const keys = await Promise.all(Array.from({ length: count }, () => makeKey("P-256")));
    return Promise.all(
      keys.map((key) => crafted({ subject: "CA", by: by ?? key, spki: key.key.spki })),
    );
  };
  it("need one signature verification each if their key identifiers are correct", async () => {
    const a = authority();
    const pem_bundle = (await selfSigned(300)).join("\n");
    const verify = vi.spyOn(crypto.subtle, "verify");
    const taken = await a.call("POST", "pki/issuers/import/bundle", { pem_bundle });
    expect(verify).toHaveBeenCalledTimes(300);
    verify.mockRestore();
    expect([taken.status, (taken.data["imported_issuers"] as readonly string[]).length]).toEqual([
      200, 300,
    ]);
    const [first = ""] = (await a.pki.listIssuers({})).keys;
    expect((await a.pki.readIssuer({ issuer_ref: first })).ca_chain).toHaveLength(1);
  });

  it("are each matched with the CAs that they signed: forty below three hundred", async () => {
    const a = authority();
    const keys = await Promise.all(Array.from({ length: 300 }, () => makeKey("P-256")));
    const parents = await Promise.all(keys.map((key) => crafted({ subject: "CA", by: key })));
    const { spki } = (await keyOf("P-384")).key;
    const below = await Promise.all(
      keys.slice(-40).map((by, i) => crafted({ subject: `Below ${i}`, issuer: "CA", by, spki })),
    );
    const taken = await a.call("POST", "pki/issuers/import/bundle", {
      pem_bundle: [...parents, ...below].join("\n"),
    });
    expect([taken.status, taken.errors]).toEqual([200, []]);
    for (const issuer_ref of (await a.pki.listIssuers({})).keys) {
      const { certificate, ca_chain } = await a.pki.readIssuer({ issuer_ref });
      const number = /^CN=Below (\d+)$/.exec(readCertificate(certificate).text.subject)?.[1];
      if (number !== undefined)
        expect([number, ca_chain.map((pem) => pem.trim())]).toEqual([
          number,
          [below[Number(number)], parents[260 + Number(number)]],
        ]);
    }
  });

  it("are rejected after five thousand signature verifications if their key identifiers are wrong", async () => {
    const a = authority();
    const pem_bundle = (await selfSigned(150, await makeKey("P-256"))).join("\n");
    const verify = vi.spyOn(crypto.subtle, "verify");
    const refused = await a.call("POST", "pki/issuers/import/bundle", { pem_bundle });
    expect(verify.mock.calls.length).toBeLessThanOrEqual(5000);
    verify.mockRestore();
    expect([refused.status, refused.errors]).toEqual([
      400,
      [
        "error building issuer chains: too many CAs with the same name whose key identifiers do not identify their issuer",
      ],
    ]);
    expect((await a.call("LIST", "pki/issuers")).status).toBe(404);
  });

  it("are matched by signature if their key identifiers are malformed", async () => {
    const a = authority();
    const [one, two, below] = [
      await makeKey("P-256"),
      await makeKey("P-256"),
      await makeKey("P-256"),
    ];
    const broken = {
      oid: extensionOid.subjectKeyIdentifier,
      critical: false,
      value: Uint8Array.of(1, 2, 3),
    };
    const parent = async (key: TestKey) =>
      crafted({ subject: "CA", by: key, ownIds: false, extensions: [broken] });
    const child = await crafted({ subject: "Below", issuer: "CA", by: two, spki: below.key.spki });
    await a.pki.setSigned({
      certificate: [await parent(one), await parent(two), child].join("\n"),
    });
    for (const issuer_ref of (await a.pki.listIssuers({})).keys) {
      const { certificate, ca_chain } = await a.pki.readIssuer({ issuer_ref });
      if (readCertificate(certificate).text.subject !== "CN=Below") continue;
      expect(ca_chain.map((pem) => readCertificate(pem).spki)).toEqual([
        below.key.spki,
        two.key.spki,
      ]);
    }
  });
});
