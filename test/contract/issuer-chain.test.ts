import { describe, expect, it } from "vitest";
import { nullValue, oid, sequence } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { assembleSigned, encodeTbsCertificate } from "../../src/x509/certificate.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { encodeName } from "../../src/x509/name.ts";
import { authority, start, type Authority } from "../support/authority.ts";
import { commonName, makeKey, type TestKey } from "../x509/fixture.ts";
import { crafted } from "../pki/crafted.ts";
import { keyOf, readCertificate, verified } from "../pki/reading.ts";

const label = (pem: string): string => {
  const { subject, issuer } = readCertificate(pem).text;
  return `${subject.slice(3)} by ${issuer.slice(3)}`;
};
const ca = async (
  subject: string,
  key: TestKey,
  issuer: string,
  by: TestKey,
  usage?: readonly ["CRLSign"],
): Promise<string> =>
  crafted({ subject, issuer, by, spki: key.key.spki, ...(usage ? { usage } : {}) });
/** Imports certificates and returns the chain of each issuer, as `subject by issuer`. */
async function chains(
  a: Authority,
  certificates: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  if (certificates.length) await a.pki.setSigned({ certificate: certificates.join("\n") });
  const found: Record<string, readonly string[]> = {};
  for (const issuer_ref of (await a.pki.listIssuers({})).keys) {
    const { certificate, ca_chain } = await a.pki.readIssuer({ issuer_ref });
    found[label(certificate)] = ca_chain.map(label);
  }
  return found;
}
const idOf = async (a: Authority, wanted: string): Promise<string> => {
  for (const issuer_ref of (await a.pki.listIssuers({})).keys)
    if (label((await a.pki.readIssuer({ issuer_ref })).certificate) === wanted) return issuer_ref;
  throw new Error(`no issuer ${wanted}`);
};
const fresh = (count: number): Promise<readonly TestKey[]> =>
  Promise.all(Array.from({ length: count }, () => makeKey("P-256")));

describe("the CA chain of an issuer", () => {
  it("A 5 rule 1: a parent has the issuer's name, verifies the signature and may sign certificates; key identifiers are ignored", async () => {
    const [one, two, low] = [await keyOf("P-256"), await keyOf("P-384"), await keyOf("Ed25519")];
    const wrongKey = await chains(authority(), [
      await ca("root", one, "root", one),
      await ca("low", low, "root", two),
    ]);
    expect(wrongKey["low by root"]).toEqual(["low by root"]);
    const wrongName = await chains(authority(), [
      await ca("root", one, "root", one),
      await ca("low", low, "another", one),
    ]);
    expect(wrongName["low by another"]).toEqual(["low by another"]);
    const noCertSign = await chains(authority(), [
      await ca("root", one, "root", one, ["CRLSign"]),
      await ca("low", low, "root", one),
    ]);
    expect(noCertSign["low by root"]).toEqual(["low by root"]);
    const rsa = await keyOf("RSA");
    const sha1 = sequence(oid("1.2.840.113549.1.1.5"), nullValue);
    const tbs = encodeTbsCertificate({
      serial: Uint8Array.of(9),
      algorithm: sha1,
      issuer: encodeName(commonName("old")),
      notBefore: start / 1000 - 10,
      notAfter: start / 1000 + 1e6,
      subject: encodeName(commonName("low")),
      spki: low.key.spki,
      extensions: [basicConstraints(true)],
    });
    const signature = new Uint8Array(256).fill(1);
    const weak = await chains(authority(), [
      await ca("old", rsa, "old", rsa),
      encodePem("CERTIFICATE", assembleSigned(tbs, sha1, signature)),
    ]);
    expect(weak["low by old"]).toEqual(["low by old"]);
    const noIds = encodeTbsCertificate({
      serial: Uint8Array.of(10),
      algorithm: algorithmIdentifier(one.scheme),
      issuer: encodeName(commonName("root")),
      notBefore: start / 1000 - 10,
      notAfter: start / 1000 + 1e6,
      subject: encodeName(commonName("plain")),
      spki: low.key.spki,
      extensions: [basicConstraints(true)],
    });
    const plain = encodePem(
      "CERTIFICATE",
      assembleSigned(noIds, algorithmIdentifier(one.scheme), await one.sign(noIds)),
    );
    expect(
      (await chains(authority(), [await ca("root", one, "root", one), plain]))["plain by root"],
    ).toEqual(["plain by root", "root by root"]);
  });

  it("A 5 rule 2: a manual chain is used unchanged, in order, without deleted issuers", async () => {
    const a = authority();
    const [root, middle, other] = await fresh(3);
    if (!root || !middle || !other) throw new Error("keys");
    await chains(a, [
      await ca("root", root, "root", root),
      await ca("middle", middle, "root", root),
      await ca("other", other, "other", other),
    ]);
    const [id, rootId, otherId] = [
      await idOf(a, "middle by root"),
      await idOf(a, "root by root"),
      await idOf(a, "other by other"),
    ];
    await a.pki.patchIssuer({ issuer_ref: id, manual_chain: ["self", otherId, rootId, otherId] });
    expect((await chains(a, []))["middle by root"]).toEqual([
      "middle by root",
      "other by other",
      "root by root",
      "other by other",
    ]);
    expect((await a.call("DELETE", `pki/issuer/${otherId}`)).status).toBeLessThan(300);
    expect((await chains(a, []))["middle by root"]).toEqual(["middle by root", "root by root"]);
    await a.pki.patchIssuer({ issuer_ref: id, manual_chain: [] });
    expect((await chains(a, []))["middle by root"]).toEqual(["middle by root", "root by root"]);
  });

  it("A 5 rule 3: own certificate, then the chain of each parent, self-issued parents first, without duplicates", async () => {
    const [old, young, low] = await fresh(3);
    if (!old || !young || !low) throw new Error("keys");
    const list = [
      await ca("old", old, "old", old),
      await ca("young", young, "young", young),
      await ca("young", young, "old", old),
      await ca("low", low, "young", young),
    ];
    const found = await chains(authority(), list);
    expect(found["low by young"]).toEqual([
      "low by young",
      "young by young",
      "young by old",
      "old by old",
    ]);
    expect(found["young by old"]).toEqual(["young by old", "old by old"]);
    // the other certificate with the same name and key is a parent of the self-signed one as well
    expect(found["young by young"]).toEqual(["young by young", "young by old", "old by old"]);
  });

  it("A 5 rule 3: the manual chain of a parent is continued, also with reissued certificates and in a cycle", async () => {
    const [root, mid, low, leaf] = await fresh(4);
    if (!root || !mid || !low || !leaf) throw new Error("no keys");
    const a = authority();
    const certificates = [
      await ca("root", root, "root", root),
      await ca("mid", mid, "root", root),
      await ca("low", low, "mid", mid),
      await ca("leaf", leaf, "low", low),
      await ca("low", low, "leaf", leaf),
      await ca("leaf", leaf, "low", low),
    ];
    const [again] = certificates.splice(5);
    await chains(a, certificates);
    const manual = async (of: string, ...chain: string[]) =>
      a.pki.patchIssuer({ issuer_ref: await idOf(a, of), manual_chain: chain });
    await manual("mid by root", "self");
    const found = await chains(a, []);
    expect(found["mid by root"]).toEqual(["mid by root"]);
    expect(found["low by mid"]).toEqual(["low by mid", "mid by root"]);
    expect(found["low by leaf"]).toEqual([
      "low by leaf",
      "leaf by low",
      "low by mid",
      "mid by root",
    ]);
    // the member of the cycle with a manual chain no longer belongs to it
    await manual("leaf by low", "self", await idOf(a, "root by root"));
    const apart = await chains(a, []);
    expect(apart["leaf by low"]).toEqual(["leaf by low", "root by root"]);
    expect(apart["low by leaf"]).toEqual(["low by leaf", "leaf by low", "root by root"]);
    expect(apart["low by mid"]).toEqual(["low by mid", "mid by root"]);
    // the chain of a reissued issuer begins with its other certificate, whose manual chain stays
    await a.pki.setSigned({ certificate: again ?? "" });
    const ids = (await a.pki.listIssuers({})).keys;
    const twins = await Promise.all(ids.map((issuer_ref) => a.pki.readIssuer({ issuer_ref })));
    const [fresher] = twins.filter(
      ({ certificate, manual_chain }) =>
        label(certificate) === "leaf by low" && manual_chain === null,
    );
    expect(fresher?.ca_chain.map(label).slice(0, 3)).toEqual([
      "leaf by low",
      "low by leaf",
      "leaf by low",
    ]);
    expect((await chains(a, []))["low by mid"]).toEqual(["low by mid", "mid by root"]);
    await manual("mid by root");
    expect((await chains(a, []))["low by mid"]).toEqual([
      "low by mid",
      "mid by root",
      "root by root",
    ]);
  });

  it("A 5 rule 4: reissued certificates and cycles are grouped, up to six and eight members", async () => {
    const a = authority();
    const [key, low] = await fresh(2);
    if (!key || !low) throw new Error("keys");
    const again = await Promise.all(Array.from({ length: 6 }, () => ca("twin", key, "twin", key)));
    await chains(a, [...again, await ca("low", low, "twin", key)]);
    const chain = (await a.pki.readIssuer({ issuer_ref: await idOf(a, "low by twin") })).ca_chain;
    expect(chain.map(label)).toEqual(["low by twin", ...again.map(() => "twin by twin")]);
    expect(new Set(chain).size).toBe(7);
    const seventh = await a.call("POST", "pki/intermediate/set-signed", {
      certificate: await ca("twin", key, "twin", key),
    });
    expect(seventh).toMatchObject({
      status: 400,
      errors: [
        expect.stringContaining(
          "error building issuer chains: excessively reissued certificate: 7 entries",
        ),
      ],
    });
    expect((await a.pki.listIssuers({})).keys).toHaveLength(7);
    // a ring: each is signed by the next, the last by the first
    const ring = async (size: number) => {
      const keys = await fresh(size);
      return Promise.all(
        keys.map((own, i) => {
          const next = keys[(i + 1) % size];
          if (!next) throw new Error("keys");
          return ca(`c${i}`, own, `c${(i + 1) % size}`, next);
        }),
      );
    };
    const eight = await chains(authority(), await ring(8));
    for (const [own, members] of Object.entries(eight))
      expect([members[0], members.length, new Set(members).size]).toEqual([own, 8, 8]);
    const nine = await authority().call("POST", "pki/intermediate/set-signed", {
      certificate: (await ring(9)).join("\n"),
    });
    expect(nine).toMatchObject({
      status: 400,
      errors: [expect.stringMatching(/cycle \(.*\) exceeds max size/)],
    });
  });

  it("A 5 rule 5: equal candidates are in order of descending id", async () => {
    const a = authority();
    const [key, low] = await fresh(2);
    if (!key || !low) throw new Error("keys");
    await chains(a, [
      await ca("low", low, "twin", key),
      ...(await Promise.all([1, 2, 3].map(() => ca("twin", key, "twin", key)))),
    ]);
    const ids = new Map<string, string>();
    for (const issuer_ref of (await a.pki.listIssuers({})).keys)
      ids.set((await a.pki.readIssuer({ issuer_ref })).certificate, issuer_ref);
    const chain = (await a.pki.readIssuer({ issuer_ref: await idOf(a, "low by twin") })).ca_chain
      .slice(1)
      .map((pem) => ids.get(pem) ?? "");
    expect(chain).toEqual(chain.toSorted().toReversed());
  });

  it("A 5 rule 6: the chain of a root is the root itself, and leaves carry the chain of their issuer", async () => {
    const a = authority();
    const root = await a.root();
    expect((await a.pki.readIssuer({ issuer_ref: "root" })).ca_chain.map(label)).toEqual([
      "Root CA by Root CA",
    ]);
    const between = await a.intermediate();
    await a.role("web", { issuer_ref: between.id });
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    expect(leaf.ca_chain).toEqual([between.certificate, root.certificate]);
    expect(
      verified(leaf.certificate, {
        root: root.certificate,
        between: [between.certificate],
        at: start,
      }),
    ).toContain("OK");
    const cut = await a.pki.issue({
      role: "web",
      common_name: "a.test",
      remove_roots_from_chain: true,
    });
    expect(cut.ca_chain).toEqual([between.certificate]);
  });

  it("is rebuilt when an issuer is deleted", async () => {
    const a = authority();
    const root = await a.root();
    const between = await a.intermediate();
    await a.call("DELETE", `pki/issuer/${root.issuer_id}`);
    expect((await a.pki.readIssuer({ issuer_ref: between.id })).ca_chain.map(label)).toEqual([
      "Intermediate CA by Root CA",
    ]);
  });
});
