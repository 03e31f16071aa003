import { expect, it } from "vitest";
import { describeCrl, describeCsr } from "../../src/index.ts";
import { decodePem } from "../../src/base/pem.ts";
import { CaError } from "../../src/base/errors.ts";
import { authority, start } from "../support/authority.ts";

const derOf = (pem: string): Uint8Array => decodePem(pem)[0]?.der ?? new Uint8Array(0);

it("describeCsr describes a CSR, from PEM or DER", async () => {
  const { csr } = await authority().pki.generateIntermediate({
    common_name: "Some CA",
    key_type: "ec",
    organization: ["Example"],
  });
  const told = describeCsr(csr);
  expect(told).toMatchObject({ key: "EC P-256", signatureAlgorithm: "ECDSAWithSHA256" });
  expect(told.subject).toContain("Some CA");
  expect(describeCsr(derOf(csr))).toEqual(told);
});

it("describeCrl describes a CRL with its number and entries, from PEM or DER", async () => {
  const a = authority();
  await a.root();
  await a.role("leaf");
  const made = await a.pki.issue({ role: "leaf", common_name: "a.test" });
  await a.pki.revoke({ serial_number: made.serial_number, reason: "superseded" });
  const pem = (await a.pki.readCrlPem()) ?? "";
  const told = describeCrl(pem);
  expect(told).toMatchObject({
    thisUpdate: Math.floor(start / 1000),
    number: expect.any(Number),
    revoked: [{ serial: made.serial_number, reason: "superseded" }],
  });
  expect(told.issuer).toContain("Root CA");
  expect(describeCrl(derOf(pem))).toEqual(told);
});

it("describeCsr and describeCrl throw a CaError for other input, and a TypeError for other types", () => {
  for (const describe of [describeCsr, describeCrl]) {
    for (const given of ["", "text", new Uint8Array(3)])
      expect(() => describe(given)).toThrow(CaError);
    expect(() => describe(undefined as unknown as string)).toThrow(TypeError);
  }
});
