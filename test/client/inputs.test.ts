import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { expect, it } from "vitest";
import { fromUtf8 } from "../../src/base/bytes.ts";
import { decodePem } from "../../src/base/pem.ts";
import {
  client,
  cubbyhole,
  httpTransport,
  makeCsr,
  pki,
  sys,
  wrappedClient,
} from "../../src/index.ts";
import { authority } from "../support/authority.ts";

/** A client in the process of the authority, and one over HTTP. */
async function clients() {
  const { ca, root, role } = authority();
  const { certificate } = await root();
  await role("any");
  const send = ((input: RequestInfo | URL, init?: RequestInit) =>
    ca.fetch(new Request(input, init))) as typeof fetch;
  const far = client(pki, "/v1/pki", httpTransport("http://ca.test", "root", { fetch: send }));
  return { certificate, both: [ca.pki, far] as const, send };
}
const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const keys = await crypto.subtle.generateKey(ecdsa, false, ["sign", "verify"]);

it("sign accepts a CSR as PEM, bytes or an object of @peculiar/x509, which can build the returned chain", async () => {
  const { both } = await clients();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: "CN=www.example.com",
    keys,
    signingAlgorithm: ecdsa,
  });
  const forms = [request, request.rawData, new Uint8Array(request.rawData), request.toString()];
  const own = await makeCsr(keys, { common_name: "www.example.com", dns: ["www.example.com"] });
  for (const near of both)
    for (const csr of [...forms, own]) {
      const signed = await near.sign({ role: "any", csr });
      const leaf = new x509.X509Certificate(signed.certificate);
      const chain = new x509.X509ChainBuilder({
        certificates: (signed.ca_chain ?? []).map((pem) => new x509.X509Certificate(pem)),
      });
      expect(await chain.build(leaf)).toHaveLength(2);
      expect(leaf.publicKey.rawData).toEqual(await crypto.subtle.exportKey("spki", keys.publicKey));
    }
  expect(await new x509.Pkcs10CertificateRequest(own).verify()).toBe(true);
});

it("importCertificates accepts certificates as bytes and objects, one or several", async () => {
  const { both, certificate } = await clients();
  const object = new x509.X509Certificate(certificate);
  for (const near of both)
    for (const form of [object, object.rawData, [object, certificate]]) {
      const { existing_issuers } = await near.importCertificates({ pem_bundle: form });
      expect(existing_issuers).toHaveLength(1);
    }
});

it("issue accepts alternative names as a list", async () => {
  const { both } = await clients();
  for (const near of both) {
    const { certificate } = await near.issue({
      role: "any",
      common_name: "a.example",
      alt_names: ["b.example", "c.example"],
    });
    const names = new x509.X509Certificate(certificate).getExtension(
      x509.SubjectAlternativeNameExtension,
    );
    expect(names?.names.items.map(({ value }) => value)).toEqual([
      "a.example",
      "b.example",
      "c.example",
    ]);
  }
});

it("private keys are PKCS#8 from a client in process, and in the format of the API over HTTP", async () => {
  const { both } = await clients();
  const [near, far] = both;
  const body = { role: "any", common_name: "a.example" };
  const leaf = await near.issue(body);
  expect(leaf.private_key).toContain("BEGIN PRIVATE KEY");
  const [block] = decodePem(leaf.private_key);
  await crypto.subtle.importKey("pkcs8", new Uint8Array(block?.der ?? []), ecdsa, false, ["sign"]);
  const { private_key } = await near.issue({ ...body, format: "der" });
  await crypto.subtle.importKey("pkcs8", Buffer.from(private_key, "base64"), ecdsa, false, [
    "sign",
  ]);
  expect((await far.issue(body)).private_key).toContain("BEGIN EC PRIVATE KEY");
  expect((await far.issue({ ...body, private_key_format: "pkcs8" })).private_key).toContain(
    "BEGIN PRIVATE KEY",
  );
  expect((await near.issue({ ...body, private_key_format: "der" })).private_key).toContain(
    "BEGIN EC PRIVATE KEY",
  );
  const root = await near.generateExportedRoot({ common_name: "R", key_type: "ec" });
  expect(root.private_key).toContain("BEGIN PRIVATE KEY");
  const archive = await near.issue({ ...body, format: "pkcs12_bundle" });
  expect(archive.private_key).toBeUndefined();
});

it("documents of the caller are not converted", async () => {
  const { send } = await clients();
  const transport = httpTransport("http://ca.test", "root", { fetch: send });
  const sent: unknown[] = [];
  const box = client(cubbyhole, "/v1/cubbyhole", async ({ body }) => {
    sent.push(JSON.parse(fromUtf8(body ?? new Uint8Array())));
    return { status: 204, headers: {}, body: null };
  });
  const document = { alt_names: ["a", "b"], certificate: { rawData: "text" }, pkcs12: [1] };
  await box.writeCubbyhole({ cubbyhole_path: "a", ...document });
  expect(sent).toEqual([document]);
  const { token } = await wrappedClient(sys, "/v1/sys", transport, "5m").wrapData(document);
  expect(await client(sys, "/v1/sys", transport).unwrap({ token })).toEqual(document);
});
