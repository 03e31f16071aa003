import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import type { CertRow } from "../../../src/pki/rows/records.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { authority, warningsOf, type Authority } from "../../support/authority.ts";

interface Leaf {
  readonly serial_number: string;
  readonly certificate: string;
}
interface Made {
  readonly a: Authority;
  readonly leaf: Leaf;
  readonly other: Leaf;
  /** Changes the stored row of the first leaf. */
  alter(change: (row: CertRow) => CertRow): Promise<void>;
}
async function made(): Promise<Made> {
  const a = authority();
  await a.root();
  await a.role("web");
  const issue = (common_name: string) => a.pki.issue({ role: "web", common_name, ttl: "900h" });
  const [leaf, other] = [await issue("a.test"), await issue("b.test")];
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  const [store, key] = [a.stores(uuid), `cert/${leaf.serial_number.replaceAll(":", "")}`];
  const alter: Made["alter"] = async (change) => {
    const [row] = await store.get([key]);
    await store.commit({
      put: [
        [
          key,
          change(row?.value as CertRow),
          { not_after: 2_000_000_000, name: "a.test", role: "web" },
        ],
      ],
    });
  };
  return { a, leaf, other, alter };
}
const flip =
  (at: number, mask = 1) =>
  (row: CertRow): CertRow => ({
    ...row,
    der: row.der.map((byte, i) => (i === at ? byte ^ mask : byte)),
  });
const text = (serial: string): string =>
  `the stored certificate ${serial} was altered in storage, so it is not returned`;

describe("a stored certificate whose bytes were altered", () => {
  it("is not returned by any path, with an error that says so and is logged", async () => {
    const { a, leaf, other, alter } = await made();
    const { serial_number } = leaf;
    const length = 400;
    for (let at = 0; at < length; at += 53) {
      await alter(flip(at, 1 << (at % 8)));
      for (const path of ["", "/raw", "/raw/pem"]) {
        const answer = await a.call("GET", `pki/cert/${serial_number}${path}`, undefined, {
          token: "",
        });
        expect([answer.status, answer.errors]).toEqual([500, [text(serial_number)]]);
      }
      const batch = await a.call("POST", "pki/batch/certs", {
        serial_numbers: [other.serial_number, serial_number],
      });
      expect([batch.status, batch.errors]).toEqual([500, [text(serial_number)]]);
      await alter(flip(at, 1 << (at % 8)));
    }
    expect(
      a.events.filter(({ refusal, status }) => refusal === "damaged" && status === 500),
    ).toHaveLength(4 * Math.ceil(length / 53));
    expect((await a.call("GET", `pki/cert/${serial_number}`)).data["certificate"]).toBe(
      leaf.certificate,
    );
  });

  it("is omitted from details and searches with a warning, and the others are listed", async () => {
    const { a, leaf, other, alter } = await made();
    await alter(flip(5));
    const warning = `The stored certificate ${leaf.serial_number} is omitted because it was altered in storage.`;
    for (const list of [
      await a.pki.listCertDetails({}),
      await a.pki.searchCerts({}),
      await a.pki.searchCerts({ san: ".test" }),
    ]) {
      expect(list.keys).toContain(other.serial_number);
      expect(list.keys).not.toContain(leaf.serial_number);
      expect(warningsOf(list)).toEqual([warning]);
    }
    expect((await a.pki.listCerts({})).keys).toContain(leaf.serial_number);
  });

  it("is not revoked by serial number, but by presenting the certificate, which is then stored again", async () => {
    const { a, leaf, alter } = await made();
    // a bit of its serial number
    await alter(flip(20));
    const refused = await a.call("POST", "pki/revoke", { serial_number: leaf.serial_number });
    const hint = `the stored certificate ${leaf.serial_number} was altered in storage; to revoke it, send the certificate as PEM in \`certificate\``;
    expect([refused.status, refused.errors]).toEqual([500, [hint]]);
    expect((await a.pki.revoke({ certificate: leaf.certificate })).state).toBe("revoked");
    const read = await a.pki.readCert({ serial: leaf.serial_number });
    expect([read.certificate, read.revocation_time > 0]).toEqual([leaf.certificate, true]);
    const listed = [...eachRevoked(parseCrl((await a.call("GET", "pki/crl")).bytes))].map(
      ({ serial }) => toHex(serial),
    );
    expect(listed).toEqual([leaf.serial_number.replaceAll(":", "")]);
  });

  it("is returned if it has no checksum, as in rows of an earlier version", async () => {
    const { a, leaf, alter } = await made();
    await alter(({ der, issuer, crl_set, role }) => ({ der, issuer, crl_set, role }));
    expect((await a.pki.readCert({ serial: leaf.serial_number })).certificate).toBe(
      leaf.certificate,
    );
  });
});

it("every endpoint that issues stores a checksum with the certificate", async () => {
  const a = authority();
  await a.root();
  await a.role("web");
  const issued = await a.pki.issue({ role: "web", common_name: "a.test" });
  await a.intermediate();
  await a.role("web", { no_store: true });
  await a.pki.revoke({
    certificate: (await a.pki.issue({ role: "web", common_name: "b.test" })).certificate,
  });
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  const rows = await a.stores(uuid).list("cert/");
  expect(rows).toHaveLength(4);
  for (const [, { value }] of rows) expect((value as CertRow).crc).toBeTypeOf("number");
  expect(issued.serial_number).not.toBe("");
});
