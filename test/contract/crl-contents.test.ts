import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { readCrlNumber } from "../support/crl-number.ts";
import { authority, type Authority } from "../support/authority.ts";

const plain = (serial: string): string => serial.replaceAll(":", "");
async function list(a: Authority, issuer = "default") {
  a.clock.advance(1);
  const crl = parseCrl((await a.call("GET", `pki/issuer/${issuer}/crl/der`)).bytes);
  const number = crl.extensions.find(({ oid }) => oid === extensionOid.crlNumber);
  return {
    number: number && readCrlNumber(number.value),
    serials: [...eachRevoked(crl)].map(({ serial }) => toHex(serial)),
  };
}
async function revoked(a: Authority, role = "web", ttl = "9000h"): Promise<string> {
  const { serial_number } = await a.pki.issue({ role, common_name: "a.test", ttl });
  await a.pki.revoke({ serial_number });
  return plain(serial_number);
}
async function ready(): Promise<Authority> {
  const a = authority();
  await a.root();
  await a.role("web");
  return a;
}

describe("a CRL", () => {
  it("B 1.8 rule 3: lists certificates of an issuer that may not sign CRLs, if another issuer of its set may", async () => {
    const a = await ready();
    const one = await a.intermediate();
    const again = await a.pki.setSigned({
      certificate: (await a.pki.signIntermediate({ csr: one.csr, common_name: "Intermediate CA" }))
        .certificate,
    });
    const other = again.imported_issuers?.[0] ?? "";
    await a.role("low", { issuer_ref: one.id });
    await a.pki.patchIssuer({ issuer_ref: one.id, usage: "issuing-certificates" });
    const serial = await revoked(a, "low");
    for (const id of [one.id, other]) expect((await list(a, id)).serials).toEqual([serial]);
  });

  it("B 1.8 rule 5: lists a revoked CA once, on the CRL of its parent, even if its certificate is stored and revoked as well", async () => {
    const a = await ready();
    const { id, certificate } = await a.intermediate();
    await a.pki.revokeIssuer({ issuer_ref: id });
    await a.pki.rotateCrl({});
    const gone = (await a.pki.readCertBatch({ serial_numbers: (await list(a)).serials }))
      .certificates;
    expect(Object.values(gone)).toEqual([certificate]);
    expect((await list(a, id)).serials).toEqual([]);
  });

  it("B 1.8 rule 16: lists expired certificates until they are tidied", async () => {
    const a = await ready();
    const [short, long] = [await revoked(a, "web", "1h"), await revoked(a)];
    a.clock.advance(30 * 24 * 3600);
    await a.pki.rotateCrl({});
    expect((await list(a)).serials.toSorted()).toEqual([short, long].toSorted());
  });

  it("B 1.8 rule 13: is unavailable after the last issuer of its set was deleted, and a new issuer continues its numbers", async () => {
    const a = await ready();
    const { certificate } = await a.pki.readIssuer({ issuer_ref: "root" });
    const serial = await revoked(a);
    const before = (await list(a)).number ?? 0;
    await a.pki.deleteIssuer({ issuer_ref: "root" });
    a.clock.advance(1);
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
    expect((await a.call("GET", "pki/issuer/root/crl")).status).toBe(404);
    await a.pki.setSigned({ certificate });
    await a.ca.tick();
    const { number, serials } = await list(a);
    expect([number, serials]).toEqual([before + 1, [serial]]);
  });
});
