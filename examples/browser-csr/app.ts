import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { client, httpTransport, pki } from "sealwright/client";

const form = document.querySelector("form");
const output = document.querySelector("output");
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Obtains a certificate for a new, non-extractable key. */
async function enrol(email: string, token: string) {
  const keys = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${email}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "email", value: email }])],
  });
  const ca = client(pki, "/v1/pki", httpTransport(location.origin, token));
  const signed = await ca.sign({ role: "people", csr });
  const certificate = new x509.X509Certificate(signed.certificate);
  const issuers = (signed.ca_chain ?? []).map((pem) => new x509.X509Certificate(pem));
  const chain = await new x509.X509ChainBuilder({ certificates: issuers }).build(certificate);
  return { keys, certificate, chain };
}

const textOf = (value: FormDataEntryValue | null): string =>
  typeof value === "string" ? value : "";

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  const [email, token] = [textOf(fields.get("email")), textOf(fields.get("token"))];
  try {
    const { keys, certificate, chain } = await enrol(email, token);
    // the page signs with its key, and anyone can verify the signature with the certificate
    const text = new TextEncoder().encode("I agree");
    const signature = await crypto.subtle.sign(algorithm, keys.privateKey, text);
    const publicKey = await certificate.publicKey.export(algorithm, ["verify"]);
    const isValid = await crypto.subtle.verify(algorithm, publicKey, signature, text);
    if (output)
      output.textContent = `${certificate.subject}, chain of ${chain.length}, signature ${
        isValid ? "valid" : "invalid"
      }, key ${keys.privateKey.extractable ? "extractable" : "not extractable"}`;
  } catch (error) {
    if (output) output.textContent = error instanceof Error ? error.message : "failed";
  }
});
