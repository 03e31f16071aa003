import { describe, expect, it } from "vitest";
import { authority, start } from "../../support/authority.ts";
import { derOf } from "../reading.ts";
import { commitRows } from "../../support/commit-rows.ts";

describe("stored certificates", () => {
  it("B 1.3 LIST certs, B 1.4 cert/:serial, B 1.4 cert/:serial/raw, B 1.4 cert/:serial/raw/pem, B 1.4 JSON data, B 1.4 authority_key_id: are listed by serial number to callers with a token, and readable by anyone in every format", async () => {
    const a = authority();
    for (const path of ["pki/certs", "pki/certs/revoked"]) {
      const empty = await a.call("LIST", path);
      expect([empty.status, empty.json]).toEqual([404, { errors: [] }]);
    }
    const root = await a.root();
    await a.role("web");
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    const { subject_key_id: key } = await a.pki.readKey({ key_ref: root.key_id });
    expect((await a.call("GET", "pki/certs/?list=true")).data["keys"]).toEqual(
      [root.serial_number, leaf.serial_number].sort(),
    );
    expect((await a.call("LIST", "pki/certs", undefined, { token: "" })).status).toBe(403);
    expect((await a.call("LIST", "pki/certs", undefined, { token: "reader" })).status).toBe(200);
    for (const serial of [
      leaf.serial_number,
      leaf.serial_number.toUpperCase().replaceAll(":", "-"),
      leaf.serial_number.replaceAll(":", ""),
    ]) {
      const read = await a.call("GET", `pki/cert/${serial}`, undefined, { token: "" });
      expect(read.data).toEqual({
        certificate: leaf.certificate,
        revocation_time: 0,
        revocation_time_rfc3339: "",
        authority_key_id: key,
      });
    }
    const der = await a.call("GET", `pki/cert/${leaf.serial_number}/raw`, undefined, { token: "" });
    expect([der.headers.get("content-type"), der.bytes]).toEqual([
      "application/pkix-cert",
      new Uint8Array(derOf(leaf.certificate)),
    ]);
    const pem = await a.call("GET", `pki/cert/${leaf.serial_number}/raw/pem`);
    expect([pem.headers.get("content-type"), pem.text]).toEqual([
      "application/pem-certificate-chain",
      leaf.certificate,
    ]);
    await a.pki.revoke({ serial_number: leaf.serial_number });
    expect(await a.pki.readCert({ serial: leaf.serial_number })).toEqual({
      certificate: leaf.certificate,
      revocation_time: start / 1000,
      revocation_time_rfc3339: "2030-01-02T03:04:05Z",
      issuer_id: root.issuer_id,
      authority_key_id: key,
    });
    expect(await a.pki.readCertRaw({ serial: leaf.serial_number })).toBeInstanceOf(Uint8Array);
    expect((await a.pki.readCertPem({ serial: leaf.serial_number }))?.trim()).toBe(
      leaf.certificate.trim(),
    );
  });

  it("B 1.3 LIST certs/revoked, B 1.3 paging: are listed without blocking other requests, 10,000 at once or in pages", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { no_store: true });
    const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const serials = Array.from(
      { length: 10_000 },
      (_, n) => `7f${n.toString(16).padStart(6, "0")}`,
    );
    for (const prefix of ["cert", "revoked", "metadata"])
      await commitRows(a.stores(uuid), {
        put: serials.map((serial) => [
          `${prefix}/${serial}`,
          { der: new Uint8Array(1), issuer: "", crl_set: "none", role: "" },
        ]),
      });
    const expected = serials.map((serial) => serial.replace(/..(?!$)/g, "$&:"));
    for (const path of ["pki/certs", "pki/certs/revoked", "pki/cert-metadata"]) {
      // other work, such as a request, runs between two parts of 2,000
      let turns = 0;
      const count = setInterval(() => turns++);
      const { data } = await a.call("LIST", path);
      clearInterval(count);
      const keys = data["keys"] as readonly string[];
      expect(keys.slice(-10_000)).toEqual(expected);
      expect(turns).toBeGreaterThanOrEqual(3);
    }
    for (const [limit, after] of [
      [1, 0],
      [1999, 7],
      [2000, 0],
      [2001, 5],
      [4000, 100],
      [10_000, 9990],
    ] as const) {
      const page = await a.pki.listRevoked({ limit, after: expected[after] ?? "" });
      expect(page.keys).toEqual(expected.slice(after + 1, after + 1 + limit));
    }
  });

  it("B 1.4 unknown serial, B 1.4 route: that do not exist return 404 as JSON and 204 in raw form", async () => {
    const a = authority();
    const none = await a.call("GET", "pki/cert/01:02");
    expect([none.status, none.json]).toEqual([404, { errors: [] }]);
    for (const path of ["pki/cert/01:02/raw", "pki/cert/01-02/raw/pem"])
      expect(await a.call("GET", path)).toMatchObject({ status: 204, text: "" });
    expect((await a.call("GET", `pki/cert/${"01:".repeat(30)}01`)).status).toBe(404);
    expect((await a.call("GET", "pki/cert/nothex")).errors).toEqual([
      "1 error occurred:\n\t* unsupported path\n\n",
    ]);
    expect((await a.call("POST", "pki/cert/01")).errors).toEqual([
      "1 error occurred:\n\t* unsupported operation\n\n",
    ]);
  });
});
