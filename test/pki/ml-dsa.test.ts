import { X509Certificate } from "node:crypto";
import { connect, createServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { describeCertificate } from "../../src/describe/describe.ts";
import { makeCsr } from "../../src/index.ts";
import { equalBytes } from "../../src/base/bytes.ts";
import { encodePem } from "../../src/base/pem.ts";
import { parseCertificate, verify } from "../../src/verify/index.ts";
import { keyUsage } from "../../src/x509/usage.ts";
import { listening, newKey } from "../net/tls-fixture.ts";
import { acmeAuthority } from "../acme/client.ts";
import { finalize, issue as issueByAcme, readyOrder } from "../acme/ordering.ts";
import { alice, ask, bodyOf, csrOf, enrolled, enrolling, world } from "../est/world.ts";
import { authority, refusal, warningsOf } from "../support/authority.ts";
import { certificateIn, requestFor, send, signedBy } from "./ocsp/asking.ts";
import { derOf, readCertificate } from "./reading.ts";

const usageWarning =
  "ml-dsa-65 keys can only sign: certificates of this role are issued without the key usages DigitalSignature";
const csr = async (type: string, wanted: Parameters<typeof csrOf>[0] = {}): Promise<string> =>
  encodePem(
    "CERTIFICATE REQUEST",
    await csrOf({ key: await newKey(type), name: "a.example", ...wanted }),
  );

describe("an authority with ML-DSA keys", () => {
  it("signs roots, intermediates, leaves, CRLs and OCSP responses that verify", async () => {
    const a = authority();
    const root = await a.root({ key_type: "ml-dsa-87" });
    expect(await a.pki.readKey({ key_ref: root.key_id })).toMatchObject({ key_type: "ml-dsa-87" });
    // mixed: EC below ML-DSA, and ML-DSA below EC
    const middle = await a.intermediate({ issuer_ref: "root" }, { key_type: "ec" });
    const below = await a.intermediate(
      { issuer_ref: middle.id, common_name: "Below" },
      { key_type: "ml-dsa-44", common_name: "Below" },
    );
    await a.pki.writeIssuer({ issuer_ref: below.id, issuer_name: "below" });
    const written = await a.role("web", { key_type: "ml-dsa-65", issuer_ref: "below" });
    expect(warningsOf(written)).toEqual([
      usageWarning.replace("DigitalSignature", "KeyAgreement, KeyEncipherment"),
    ]);
    const leaf = await a.pki.issue({ role: "web", common_name: "localhost" });
    expect(leaf).toMatchObject({ private_key_type: "ml-dsa-65" });
    expect(readCertificate(leaf.certificate).usage).toEqual(["DigitalSignature"]);
    const chain = leaf.ca_chain ?? [];
    expect(chain).toHaveLength(3);
    const links = [leaf.certificate, ...chain].map((pem) => new X509Certificate(pem));
    for (const [i, one] of links.entries())
      expect(one.verify((links[i + 1] ?? one).publicKey)).toBe(true);

    const wanted = { issuer: below.certificate, serial: leaf.serial_number };
    const own = await send(a, await requestFor(wanted));
    expect((await signedBy(own, below.certificate)).answers[0]?.status).toBe("good");
    const responder = await a.pki.makeResponder({ issuer_ref: "below" });
    expect(responder).toMatchObject({ key_type: "ml-dsa-44", active: true });
    const delegated = await send(a, await requestFor(wanted));
    await signedBy(delegated, responder.certificate);
    const crlOf = async (issuer_ref: string) => (await a.pki.readIssuerCrl({ issuer_ref })).crl;
    const crlsNow = () => Promise.all(["root", middle.id, below.id].map(crlOf));
    const crls = await crlsNow();
    const options = { anchors: root.certificate, intermediates: chain, at: new Date(a.clock.now) };
    for (const status of [{ crls }, { ocsp: delegated.bytes, revocation: "leaf" }] as const)
      expect(
        (await verify(leaf.certificate, { ...options, ...status, name: "localhost" })).reasons,
      ).toEqual([]);
    await a.pki.revoke({ serial_number: leaf.serial_number });
    await a.pki.rotateCrl({});
    const { reasons } = await verify(leaf.certificate, { ...options, crls: await crlsNow() });
    expect(reasons.map(({ code }) => code)).toEqual(["revoked"]);
    expect(describeCertificate(leaf.certificate)).toMatchObject({ key: "ML-DSA-65" });
    const parsed = parseCertificate(leaf.certificate);
    expect(parsed).toMatchObject({ keyType: "ml-dsa-65", keyBits: 0 });
    expect((await parsed.publicKey()).algorithm.name).toBe("ML-DSA-65");
  });

  it("issues a chain of ML-DSA certificates for a TLS 1.3 handshake", async () => {
    const a = authority({ clock: { now: Date.now(), advance: () => undefined } });
    const root = await a.root({ key_type: "ml-dsa-65", ttl: "1000h" });
    await a.role("web", { key_type: "ml-dsa-44" });
    const leaf = await a.pki.issue({ role: "web", common_name: "localhost" });
    const server = createServer(
      { key: leaf.private_key, cert: leaf.certificate, minVersion: "TLSv1.3" },
      (socket) => socket.end("hello"),
    );
    const port = await listening(server);
    const socket = connect({
      port,
      host: "127.0.0.1",
      servername: "localhost",
      ca: root.certificate,
    });
    let text = "";
    socket.on("secureConnect", () => (text += `${socket.getProtocol()} `));
    for await (const part of socket) text += String(part);
    server.close();
    expect([text, socket.authorized]).toEqual(["TLSv1.3 hello", true]);
  });

  it("imports keys and bundles, signs CSRs, and cross-signs", async () => {
    const a = authority();
    const exported = await a.pki.generateExportedRoot({
      common_name: "Exported",
      key_type: "ml-dsa-65",
      ttl: "1000h",
    });
    const b = authority({ seed: 2 });
    await b.root();
    const pem_bundle = `${exported.certificate}\n${exported.private_key}`;
    const { imported_issuers } = await b.pki.importBundle({ pem_bundle });
    const [issuer_ref = ""] = imported_issuers ?? [];
    await b.role("web", { key_type: "ml-dsa-44", issuer_ref });
    const signed = await b.pki.sign({ role: "web", csr: await csr("ml-dsa-44") });
    expect(
      (
        await verify(signed.certificate, {
          anchors: exported.certificate,
          at: new Date(b.clock.now),
        })
      ).reasons,
    ).toEqual([]);
    // the EC root signs the same subject and key again
    const { csr: again } = await b.pki.generateIntermediateFromKey({
      common_name: "Exported",
      key_ref: (await b.pki.readIssuer({ issuer_ref })).key_id,
    });
    const crossed = await b.pki.signIntermediate({
      issuer_ref: "root",
      csr: again,
      common_name: "Exported",
      ttl: "900h",
    });
    expect(
      equalBytes(certificateIn(crossed.certificate).spki, certificateIn(exported.certificate).spki),
    ).toBe(true);
    const pair = await crypto.subtle.generateKey({ name: "ML-DSA-44" }, false, ["sign", "verify"]);
    if (!("privateKey" in pair)) throw new TypeError("no pair");
    const made = await makeCsr(pair, { common_name: "b.example" });
    expect(await b.pki.sign({ role: "web", csr: made })).toMatchObject({ serial_number: /./ });
  });
});

describe("a role", () => {
  it("must name an ML-DSA parameter set: any does not include it, nor does another set", async () => {
    const a = authority();
    await a.root();
    const request = { csr: await csr("ml-dsa-65"), common_name: "a.example" };
    await a.role("any", { key_type: "any" });
    expect(await refusal(a.pki.sign({ role: "any", ...request }))).toEqual([
      400,
      'the role\'s key_type "any" does not include ml-dsa-65: use a role with key_type ml-dsa-65',
    ]);
    for (const key_type of ["ml-dsa-44", "ml-dsa-87", "ec"]) {
      await a.role("other", { key_type });
      expect(await refusal(a.pki.sign({ role: "other", ...request }))).toEqual([
        400,
        `role requires keys of type ${key_type}`,
      ]);
    }
    // without a role, the caller of a privileged endpoint decides
    expect(await a.pki.signVerbatim(request)).toMatchObject({ serial_number: /./ });
    const [, text] = await refusal(a.pki.writeRole({ name: "x", key_type: "ml-dsa" }));
    expect(text).toContain("unknown key type ml-dsa: use rsa");
  });

  it("issues no key usage for encryption, and a CSR that requests one is rejected", async () => {
    const a = authority();
    await a.root();
    const written = await a.role("web", { key_type: "ml-dsa-44", key_usage: ["KeyEncipherment"] });
    expect(warningsOf(written)[0]).toContain("KeyEncipherment");
    const issued = await a.pki.issue({ role: "web", common_name: "a.example" });
    expect(readCertificate(issued.certificate).usage).toEqual([]);
    const requested = await csr("ml-dsa-44", {
      extensions: [keyUsage(["DigitalSignature", "KeyEncipherment"])],
    });
    expect(await refusal(a.pki.signVerbatim({ csr: requested }))).toEqual([
      400,
      expect.stringContaining("a key of type ml-dsa-44 may only have key usages for signing"),
    ]);
    const plain = await a.pki.signVerbatim({
      csr: await csr("ml-dsa-44"),
      key_usage: ["DigitalSignature", "KeyAgreement"],
    });
    expect(readCertificate(derOf(plain.certificate)).usage).toEqual(["DigitalSignature"]);
  });
});

it("ACME and EST issue for an ML-DSA key only under a role that names it", async () => {
  const acme = await acmeAuthority();
  const key = await newKey("ml-dsa-44");
  const names = ["a.test"];
  const under = async (default_directory_policy: string) => {
    await acme.call("POST", "pki/config/acme", { default_directory_policy });
    return acme.registered();
  };
  await acme.role("pq", { key_type: "ml-dsa-44" });
  const { leaf } = await issueByAcme(acme, await under("role:pq"), names, { csr: { key } });
  expect(leaf.usage).toEqual(["DigitalSignature"]);
  await acme.role("any", { key_type: "any" });
  for (const policy of ["role:any", "sign-verbatim"]) {
    const client = await under(policy);
    const order = await readyOrder(acme, client, names);
    const refused = await finalize(client, order, { names, key });
    expect([policy, refused.status, refused.problem]).toEqual([policy, 400, "badCSR"]);
  }
  const est = await world({ label_to_path_policy: { any: "sign-verbatim" } });
  await est.a.role("web", { key_type: "ml-dsa-44" });
  const { der } = await enrolled(est, { key });
  expect(equalBytes(readCertificate(der).spki, key.key.spki)).toBe(true);
  await est.a.call("POST", "sys/policies/acl/device", {
    policy: enrolling("pki/sign-verbatim/est/simpleenroll", "pki/est/simpleenroll"),
  });
  const asking = { basic: alice, body: await bodyOf({ key }) };
  const { status, text } = await ask(est.a, "/.well-known/est/any/simpleenroll", asking);
  expect([status, text]).toEqual([400, expect.stringContaining("does not include ml-dsa-44")]);
});

it("an external policy is not asked about an order with an ML-DSA key, as in other requests", async () => {
  const externalPolicy = () => Promise.reject(new Error("asked"));
  const a = await acmeAuthority({ externalPolicy });
  await a.call("POST", "pki/config/external-policy", { enabled: true });
  const key = await newKey("ml-dsa-44");
  const why = expect.stringContaining("does not include ml-dsa-44") as string;
  expect(await refusal(a.pki.signByPolicy({ csr: await csr("ml-dsa-44") }))).toEqual([400, why]);
  const client = await a.registered({ at: "external-policy/acme" });
  const order = await readyOrder(a, client, ["a.test"]);
  const { status, problem, detail } = await finalize(client, order, { names: ["a.test"], key });
  expect([status, problem, detail]).toEqual([400, "badCSR", why]);
});
