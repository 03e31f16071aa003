import { describe, expect, it } from "vitest";
import { authority, type Authority, type Pki } from "../support/authority.ts";
import { request } from "../pki/reading.ts";

const value = btoa("made for the press");
async function withRole(rules: Partial<Parameters<Pki["writeRole"]>[0]> = {}): Promise<Authority> {
  const a = authority();
  await a.root();
  await a.role("web", { ttl: "1h", ...rules });
  return a;
}
const issue = async (a: Authority, body: object) =>
  a.call("POST", "pki/issue/web", { common_name: "a.test", ...body });
const read = (a: Authority, serial: unknown) =>
  a.call("GET", `pki/cert-metadata/${String(serial)}`);

describe("certificate metadata", () => {
  it("B 1.3 GET cert-metadata/:serial, A 10 GET cert-metadata/:serial: returns issuer, expiration as RFC 3339, metadata, role and serial number; 404 if there is none", async () => {
    const a = await withRole();
    const { data } = await issue(a, { cert_metadata: value });
    const expected = {
      issuer_id: (await a.pki.readIssuer({ issuer_ref: "root" })).issuer_id,
      expiration: "2030-01-02T04:04:05Z",
      cert_metadata: value,
      role: "web",
      serial_number: data["serial_number"],
    };
    const serial = String(data["serial_number"]);
    for (const spelt of [serial, serial.replaceAll(":", "-"), serial.toUpperCase()])
      expect(await read(a, spelt)).toMatchObject({ status: 200, data: expected });
    expect(await a.pki.readCertMetadata({ serial })).toMatchObject(expected);
    expect(await read(a, "01:02")).toMatchObject({ status: 404, errors: [] });
    expect((await read(a, "nonsense")).status).toBe(404);
  });

  it("B 1.3 LIST cert-metadata, A 10 LIST cert-metadata: lists serial numbers with colons; 404 if there are none", async () => {
    const a = await withRole();
    expect((await a.call("LIST", "pki/cert-metadata")).status).toBe(404);
    const one = (await issue(a, { cert_metadata: value })).data["serial_number"];
    const two = (await issue(a, { metadata: "" })).data["serial_number"];
    await issue(a, {});
    expect((await a.call("GET", "pki/cert-metadata?list=true")).data).toEqual({
      keys: [String(one), String(two)].toSorted(),
    });
    expect((await a.pki.listCertMetadata({})).keys).toHaveLength(2);
  });

  it("B 1.3 POST batch/certs, A 10 POST batch/certs: returns PEM by the serial numbers as requested, null for unknown ones, inside and outside data", async () => {
    const a = await withRole();
    const { serial_number, certificate } = await a.pki.issue({
      role: "web",
      common_name: "a.test",
    });
    const dashes = serial_number.replaceAll(":", "-");
    const { status, json } = await a.call("POST", "pki/batch/certs", {
      serial_numbers: [serial_number, dashes, "01:02", "x"],
    });
    expect([status, json["certificates"]]).toEqual([
      200,
      { [serial_number]: certificate, [dashes]: certificate, "01:02": null, x: null },
    ]);
    expect(json["data"]).toEqual({ certificates: json["certificates"] });
    const slashed = await a.call("POST", "pki/batch/certs/", { serial_numbers: [serial_number] });
    expect([slashed.status, slashed.data]).toEqual([
      200,
      { certificates: { [serial_number]: certificate } },
    ]);
    expect((await a.call("POST", "pki/batch/certs//", {})).status).toBe(400);
    expect((await a.call("POST", "pki/revoke/", {})).errors).toEqual([
      "cannot write to a path ending in '/'",
    ]);
    expect((await a.pki.readCertBatch({ serial_numbers: serial_number })).certificates).toEqual({
      [serial_number]: certificate,
    });
    expect((await a.call("POST", "pki/batch/certs", {})).errors).toEqual([
      "serial_numbers must contain at least one serial number",
    ]);
    const many = Array.from({ length: 1001 }, (_, i) => `01:${i.toString(16).padStart(4, "0")}`);
    expect((await a.call("POST", "pki/batch/certs", { serial_numbers: many })).errors).toEqual([
      "serial_numbers contains more than 1000 serial numbers",
    ]);
  });

  it("A 10 item 1: reads require a token", async () => {
    const a = await withRole();
    const { data } = await issue(a, { cert_metadata: value });
    for (const path of [
      "pki/cert-metadata?list=true",
      `pki/cert-metadata/${String(data["serial_number"])}`,
    ])
      expect((await a.call("GET", path, undefined, { token: "" })).status).toBe(403);
  });

  it("B 1.3 cert_metadata, A 10 item 2: an empty value stores a record, an absent one none; both parameter names work on issue, sign and sign-verbatim", async () => {
    const a = await withRole();
    const empty = await issue(a, { cert_metadata: "" });
    expect(Object.keys((await read(a, empty.data["serial_number"])).data)).not.toContain(
      "cert_metadata",
    );
    expect((await read(a, (await issue(a, {})).data["serial_number"])).status).toBe(404);
    const csr = await request({ cn: "a.test" });
    for (const path of ["sign/web", "sign-verbatim/web", "issue/web"])
      for (const name of ["metadata", "cert_metadata"]) {
        const { data } = await a.call("POST", `pki/${path}`, {
          ...(path === "issue/web" ? {} : { csr }),
          common_name: "a.test",
          [name]: value,
          ttl: 60,
        });
        expect((await read(a, data["serial_number"])).data).toMatchObject({
          cert_metadata: value,
          role: "web",
        });
      }
  });

  it("A 10 item 3: invalid base64 and metadata with no_store_metadata are rejected; sign-verbatim without a role stores an empty role", async () => {
    const a = await withRole();
    expect(await issue(a, { cert_metadata: "not base64!" })).toMatchObject({
      status: 400,
      errors: ["metadata must be empty or base64"],
    });
    await a.role("web", { no_store_metadata: true });
    expect(await issue(a, { cert_metadata: value })).toMatchObject({
      status: 400,
      errors: [expect.stringContaining("no_store_metadata")],
    });
    const { data } = await a.call("POST", "pki/sign-verbatim", {
      csr: await request({ cn: "a.test" }),
      cert_metadata: value,
      ttl: 60,
    });
    expect((await read(a, data["serial_number"])).data).toMatchObject({
      cert_metadata: value,
      role: "",
    });
  });

  it("A 10 item 4: metadata is stored even if the certificate is not", async () => {
    const a = await withRole({ no_store: true });
    const { data } = await issue(a, { cert_metadata: value });
    expect((await read(a, data["serial_number"])).data).toMatchObject({ cert_metadata: value });
    expect((await a.call("GET", `pki/cert/${String(data["serial_number"])}`)).status).toBe(404);
  });
});
