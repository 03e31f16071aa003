import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { certificateReport, crlReport } from "../../../../demo/lib/inspection/lints.ts";
import { verifyCertificates } from "../../../../demo/lib/inspection/verify-certificate.ts";
import { createCa, memoryStore } from "../../../../src/index.ts";
import { readCertificate } from "../../../../demo/lib/x509/decode.ts";

it("lints state the defect with its value", async () => {
  const pem = execFileSync(
    "openssl",
    "req -x509 -newkey rsa:1024 -nodes -keyout /dev/null -sha1 -subj /CN=weak -set_serial 0".split(
      " ",
    ),
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const found = certificateReport((await readCertificate(pem)).der);
  expect(found?.checked).toMatch(/^\d{3} rules checked \(RFC 5280, /);
  expect(found?.findings.map(({ rule }) => rule)).toEqual(
    expect.arrayContaining([
      "Serial number 0; it must be positive",
      "Signed with SHA1WithRSA, which can be forged",
      "RSA key of 1024 bits; at least 2048 required",
    ]),
  );
});

it("lints of a long CRL state how many entries were checked, and other files have no report", async () => {
  const pki = createCa({ stores: memoryStore() }).pki;
  await pki.generateRoot({ common_name: "Root", key_type: "ec" });
  const der = (await pki.readCrl()) as Uint8Array;
  expect(crlReport(der, 2)?.checked).toMatch(/^\d{2} rules checked \(RFC 5280\)$/);
  expect(crlReport(der, 50_001)?.checked).toContain("first 50,000 entries");
  expect(certificateReport(der)).toBe(undefined);
});

it("a precertificate is identified as such", async () => {
  const poison = "1.3.6.1.4.1.11129.2.4.3=critical,DER:0500";
  const args = `req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=pre -addext ${poison}`;
  const pem = execFileSync("openssl", args.split(" "), {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const view = await readCertificate(pem);
  const verified = (await verifyCertificates([view], new Date())).get(view);
  expect(verified).toMatchObject({ standing: "refused", text: "Precertificate" });
  expect(verified?.why).toContain("for Certificate Transparency logs");
});
