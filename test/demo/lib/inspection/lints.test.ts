import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { lintsOf } from "../../../../demo/lib/inspection/lints.ts";
import { verifyCertificates } from "../../../../demo/lib/inspection/verify-certificate.ts";
import { readCertificate } from "../../../../demo/lib/x509/decode.ts";

it("lints state the defect with its value", async () => {
  const pem = execFileSync(
    "openssl",
    "req -x509 -newkey rsa:1024 -nodes -keyout /dev/null -sha1 -subj /CN=weak -set_serial 0".split(
      " ",
    ),
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const found = lintsOf(await readCertificate(pem)).map(({ rule }) => rule);
  expect(found).toEqual(
    expect.arrayContaining([
      "Serial number 0",
      "Signed with RSA with SHA-1, which can be forged",
      "RSA key of 1024 bits, at least 2048 needed",
    ]),
  );
});

it("a pre-certificate is called one", async () => {
  const poison = "1.3.6.1.4.1.11129.2.4.3=critical,DER:0500";
  const args = `req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=pre -addext ${poison}`;
  const pem = execFileSync("openssl", args.split(" "), {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const view = await readCertificate(pem);
  const verified = (await verifyCertificates([view], new Date())).get(view);
  expect(verified).toMatchObject({ standing: "refused", text: "Pre-certificate" });
  expect(verified?.why).toContain("for Certificate Transparency logs");
});
