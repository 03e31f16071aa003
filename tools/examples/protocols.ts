import {
  fromBase64,
  fromHex,
  fromUtf8,
  toBase64,
  toBase64Url,
  utf8,
} from "../../src/base/bytes.ts";
import { decodePem } from "../../src/base/pem.ts";
import { readCertsOnly } from "../../src/archive/pkcs7.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { encodeCertId, encodeOcspRequest } from "../../src/x509/ocsp-request.ts";
import { acmeClient } from "./acme-client.ts";
import type { GrantedRequest, Send } from "./send.ts";

/** Sends the example requests of ACME, EST and OCSP clients. */
export async function protocols(send: Send): Promise<void> {
  const root = await send("generateRoot", {
    common_name: "Protocol Root",
    key_type: "ec",
    ttl: "87600h",
    exported: "internal",
  });
  const names = { allowed_domains: ["example.com"], allow_subdomains: true };
  await send("writeRole", { name: "web", ...names, key_type: "ec", ttl: "720h" });
  const made = await send("generateIntermediate", {
    common_name: "www.example.com",
    key_type: "ec",
    exported: "internal",
  });
  const csr = derOf(made.text("data.csr"));
  await acme(send, csr);
  await est(send, csr);
  await ocsp(send, derOf(root.text("data.certificate")));
}

function derOf(pem: string): Uint8Array {
  const [block] = decodePem(pem);
  if (!block) throw new Error("not PEM");
  return block.der;
}
const lastOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

async function acme(send: Send, csr: Uint8Array): Promise<void> {
  const client = await acmeClient(send);
  const contact = ["mailto:ops@example.com"];
  const account = await client.register({ termsOfServiceAgreed: true, contact });
  const account_id = lastOf(account.header("location"));
  await client.post("acmeAccount", { account_id }, { contact: ["mailto:pki@example.com"] });
  const identifiers = [{ type: "dns", value: "www.example.com" }];
  const order = await client.post("acmeNewOrder", {}, { identifiers });
  const order_id = lastOf(order.header("location"));
  const auth_id = lastOf(order.text("authorizations.0"));
  await client.post("acmeAuthorization", { auth_id });
  await client.post("acmeChallenge", { auth_id, type: "http-01" }, {});
  // the server validates a challenge after responding to the request that accepts it
  for (let status = ""; status !== "ready";)
    status = (await client.post("acmeOrder", { order_id })).text("status");
  await client.post("acmeFinalize", { order_id }, { csr: toBase64Url(csr) });
  const issued = await client.post("acmeCertificate", { order_id });
  await client.post("acmeOrders", {});
  await client.post("acmeAccountOrders", { account_id });
  await client.post("acmeSignedDirectory", {});
  await client.post("acmeSignedNewNonce", {});
  const key_id = (await send("listAcmeAccounts")).text("data.keys.0");
  await send("readAcmeAccount", { key_id });
  await send("writeAcmeAccount", { key_id, status: "valid" });
  const orders = await send("listAcmeOrders");
  const [known] = Object.values((orders.document as Orders).data.key_info);
  const serial = known?.cert_serial_number ?? "";
  const issuer = await send("readCert", { serial });
  const parts = [issuer.text("data.authority_key_id"), serial].map((hex) =>
    toBase64Url(fromHex(hex.replaceAll(":", ""))),
  );
  await send("acmeRenewalInfo", { certificate_id: parts.join(".") }, { token: "" });
  const certificate = toBase64Url(derOf(fromUtf8(issued.bytes)));
  await client.post("acmeRevoke", {}, { certificate, reason: 4 });
  await client.changeKey();
}
interface Orders {
  readonly data: {
    readonly key_info: Readonly<Record<string, { readonly cert_serial_number: string }>>;
  };
}

async function est(send: Send, csr: Uint8Array): Promise<void> {
  await send("enableMethod", {
    path: "devices",
    type: "userpass",
    config: { token_type: "batch" },
  });
  const method = await send("readMethod", { path: "devices" });
  const accessor = method.text("data.accessor");
  await send("writeTune", { path: "pki", delegated_auth_accessors: [accessor] });
  await send("writeEstConfig", {
    enabled: true,
    default_path_policy: "role:web",
    authenticators: { userpass: { accessor } },
  });
  const paths = ["enroll", "reenroll"].map((one) => `pki/est/simple${one}`);
  const policy = paths
    .map((one) => `path "${one}" { capabilities = ["create", "update"] }`)
    .join("\n");
  await send("writePolicy", { name: "device", policy });
  const [username, password] = ["meter-7", "correct horse battery"];
  const at = "/v1/auth/devices";
  await send("writeUser", { username, password, token_policies: ["device"] }, { at });
  const manner = {
    token: "",
    header: {
      authorization: `Basic ${toBase64(utf8(`${username}:${password}`))}`,
    },
  };
  const body = { csr: utf8(toBase64(csr)) };
  const enrolled = await send("estEnroll", body, manner);
  const [shown] = certificatesOf(enrolled);
  await send("estReenroll", body, { ...manner, peer: { tlsChain: shown ? [shown.der] : [] } });
}
const certificatesOf = ({ bytes }: GrantedRequest) =>
  readCertsOnly(fromBase64(fromUtf8(bytes).replace(/\s/g, "")) ?? bytes);

async function ocsp(send: Send, issuer: Uint8Array): Promise<void> {
  const { serial, subject, spki } = parseCertificate(issuer);
  const id = await encodeCertId("SHA-256", { subject, spki }, serial);
  const request = encodeOcspRequest([id]);
  const text = toBase64(request);
  const stranger = { token: "" };
  await send("askOcsp", { request }, stranger);
  await send("readOcsp", { request: text }, stranger);
  await send("askUnifiedOcsp", { request }, stranger);
  await send("readUnifiedOcsp", { request: text }, stranger);
}
