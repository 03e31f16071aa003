import { describe, expect, it } from "vitest";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { parseCrl } from "../../../src/x509/crl.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { authority, start, type Answer, type Authority } from "../../support/authority.ts";

const everything = {
  auto_rebuild: true,
  enable_delta: true,
  unified_crl: true,
  unified_crl_on_existing_paths: true,
};
/** The paths of CRLs below an issuer or the mount, by what they return. */
const complete = ["crl", "unified-crl"];
const deltas = ["crl/delta", "unified-crl/delta"];
const words: Readonly<Record<string, string>> = {
  crl: "crl",
  "crl/delta": "delta-crl",
  "unified-crl": "unified-crl",
  "unified-crl/delta": "unified-delta-crl",
};
const open = (a: Authority, path: string, header = {}): Promise<Answer> => {
  a.clock.advance(1);
  return a.call("GET", `pki/${path}`, undefined, { token: "", header });
};
const typed = ({ status, headers, text }: Answer) => [status, headers.get("content-type"), text];
const isDelta = (der: Uint8Array): boolean =>
  parseCrl(der).extensions.some(({ oid }) => oid === extensionOid.deltaCrlIndicator);

async function nothingAt(a: Authority, path: string): Promise<void> {
  for (const raw of [path, `${path}/pem`, `issuer/root/${path}/der`, `issuer/root/${path}/pem`])
    expect(typed(await open(a, raw))).toEqual([204, null, ""]);
  expect(await open(a, `issuer/root/${path}`)).toMatchObject({ status: 200, data: { crl: "" } });
  expect(await open(a, `cert/${words[path]}`)).toMatchObject({ status: 404, errors: [] });
}
async function listAt(a: Authority, path: string): Promise<void> {
  const { bytes, ...der } = await open(a, path);
  const pem = encodePem("X509 CRL", bytes);
  expect([der.status, der.headers.get("content-type")]).toEqual([200, "application/pkix-crl"]);
  expect(isDelta(bytes)).toBe(path.endsWith("delta"));
  expect((await open(a, `issuer/root/${path}/der`)).bytes).toEqual(bytes);
  for (const text of [`${path}/pem`, `issuer/root/${path}/pem`])
    expect(typed(await open(a, text))).toEqual([200, "application/x-pem-file", pem]);
  expect(pem.endsWith("-----")).toBe(true);
  expect((await open(a, `issuer/root/${path}`)).data).toEqual({ crl: `${pem}\n` });
  expect((await open(a, `cert/${words[path]}`)).data).toEqual({
    certificate: pem,
    revocation_time: 0,
    revocation_time_rfc3339: "",
  });
}

describe("CRL paths", () => {
  it("return 404 for cert/crl and cert/delta-crl in a mount without issuers", async () => {
    const a = authority();
    for (const word of ["crl", "delta-crl"])
      expect(await open(a, `cert/${word}`)).toMatchObject({ status: 404, errors: [] });
  });

  it("B 1.4 cert/crl, B 1.4 cert/delta-crl, B 1.4 cert/unified-crl, B 1.4 cert/unified-delta-crl, B 1.5 crl, B 1.5 crl/delta, B 1.5 crl/pem, B 1.5 crl/delta/pem, B 1.5 unified-crl, B 1.6 crl, B 1.6 crl/pem, B 1.6 crl/der, B 1.6 crl/delta, B 1.6 unified-crl: are available as DER, PEM and JSON", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeCrlConfig(everything);
    for (const path of [...complete, ...deltas]) await listAt(a, path);
  });

  it("B 1.5 nothing there: return 204 without an issuer or unified CRLs, but a delta CRL even if deltas are off", async () => {
    const a = authority();
    for (const path of [...complete, ...deltas])
      for (const raw of [path, `${path}/pem`])
        expect(typed(await open(a, raw))).toEqual([204, null, ""]);
    await a.root();
    for (const path of ["crl", "crl/delta"]) await listAt(a, path);
    for (const path of ["unified-crl", "unified-crl/delta"]) await nothingAt(a, path);
    await a.pki.writeCrlConfig({ auto_rebuild: true, unified_crl: true });
    for (const path of [...complete, ...deltas]) await listAt(a, path);
    await a.pki.writeCrlConfig({ unified_crl: false, enable_delta: true });
    for (const path of ["crl", "crl/delta"]) await listAt(a, path);
    for (const path of ["unified-crl", "unified-crl/delta"]) await nothingAt(a, path);
    await a.pki.writeCrlConfig({ disable: true });
    for (const path of ["crl", "crl/delta"]) await listAt(a, path);
  });

  it("B 1.6 unified_crl_on_existing_paths: return the same for unified and other CRLs, since there is one cluster", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeCrlConfig(everything);
    for (const [path, twin] of [
      ["crl", "unified-crl"],
      ["crl/delta", "unified-crl/delta"],
    ] as const)
      expect((await open(a, twin)).bytes).toEqual((await open(a, path)).bytes);
  });

  it("B 1.7 not modified, B 1.7 Last-Modified, B 1.7 timestamps, B 1.7 unparsable date, B 1.7 passthrough_request_headers: support conditional requests by date and entity tag, and allow caching for a minute", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeCrlConfig(everything);
    for (const path of [...complete, ...deltas])
      for (const raw of [path, `${path}/pem`, `issuer/root/${path}/der`]) {
        const { headers } = await open(a, raw);
        const [date, tag] = [headers.get("last-modified"), headers.get("etag")];
        expect([date, headers.get("cache-control")]).toEqual([
          new Date(start).toUTCString(),
          "public, max-age=60",
        ]);
        const asked = async (header: object) => (await open(a, raw, header)).status;
        // the time alone does not identify CRLs that were built twice in a second
        const later = new Date(start + 1000).toUTCString();
        expect(await asked({ "if-modified-since": later })).toBe(304);
        expect(await asked({ "if-none-match": tag })).toBe(304);
        expect(await asked({ "if-modified-since": "yesterday" })).toBe(200);
        expect(await asked({ "if-modified-since": new Date(start - 1000).toUTCString() })).toBe(
          200,
        );
      }
    const tags = await Promise.all(
      ["crl", "crl/delta"].map(async (path) => (await open(a, path)).headers.get("etag")),
    );
    expect(new Set(tags).size).toBe(2);
    a.clock.advance(60);
    const later = new Date(a.clock.now).toUTCString();
    await a.pki.rotateDeltaCrl({});
    const dates = async (path: string) => (await open(a, path)).headers.get("last-modified");
    expect([await dates("crl"), await dates("crl/delta")]).toEqual([
      new Date(start).toUTCString(),
      later,
    ]);
  });

  it("return 200 for the date of a CRL that a revocation in the same second has replaced", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    a.clock.advance(10);
    const asked = (path: string, header: Record<string, string>) =>
      a.call("GET", `pki/${path}`, undefined, { token: "", header });
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    const date = { "if-modified-since": new Date(start + 10_000).toUTCString() };
    await a.pki.rotateCrl();
    for (const path of ["crl", "crl/pem", "issuer/root/crl"])
      expect([path, (await asked(path, date)).status]).toEqual([path, 304]);
    await a.pki.revoke({ serial_number });
    a.clock.advance(60);
    for (const path of ["crl", "crl/pem", "issuer/root/crl"])
      expect((await asked(path, date)).status).toBe(200);
    await a.pki.rotateCrl();
    const later = { "if-modified-since": new Date(start + 70_000).toUTCString() };
    expect((await asked("crl", later)).status).toBe(304);
  });

  it("return 404 for an unknown issuer, in every format", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeCrlConfig(everything);
    for (const path of [...complete, ...deltas])
      for (const form of ["", "/der", "/pem"])
        expect(await open(a, `issuer/none/${path}${form}`)).toMatchObject({
          status: 404,
          errors: ["unable to find PKI issuer for reference: none"],
        });
  });

  it("B 1.4 cert/crl/raw: return 404 in raw form", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeCrlConfig(everything);
    for (const word of Object.values(words))
      for (const form of ["raw", "raw/pem"])
        expect((await open(a, `cert/${word}/${form}`)).status).toBe(404);
  });

  it("can be read through the typed client", async () => {
    const { pki, root } = authority();
    await root();
    await pki.writeCrlConfig(everything);
    const pems = async (...replies: readonly Promise<string | undefined>[]) =>
      (await Promise.all(replies)).map((pem = "") => decodePem(pem)[0]?.der);
    const of = { issuer_ref: "root" };
    const all = {
      delta: {
        der: [
          pki.readDeltaCrl({}),
          pki.readUnifiedDeltaCrl({}),
          pki.readIssuerDeltaCrlDer(of),
          pki.readIssuerUnifiedDeltaCrlDer(of),
        ],
        pem: [
          pki.readDeltaCrlPem({}),
          pki.readUnifiedDeltaCrlPem({}),
          pki.readIssuerDeltaCrlPem(of),
          pki.readIssuerUnifiedDeltaCrlPem(of),
        ],
        json: [
          (await pki.readDeltaCrlCert({})).certificate,
          (await pki.readUnifiedDeltaCrlCert({})).certificate,
          (await pki.readIssuerDeltaCrl(of)).crl,
          (await pki.readIssuerUnifiedDeltaCrl(of)).crl,
        ],
      },
      full: {
        der: [pki.readUnifiedCrl({}), pki.readIssuerUnifiedCrlDer(of)],
        pem: [pki.readUnifiedCrlPem({}), pki.readIssuerUnifiedCrlPem(of)],
        json: [
          (await pki.readUnifiedCrlCert({})).certificate,
          (await pki.readIssuerUnifiedCrl(of)).crl,
        ],
      },
    };
    for (const [kind, { der, pem, json }] of Object.entries(all))
      for (const bytes of [
        ...(await Promise.all(der)),
        ...(await pems(...pem)),
        ...json.map((crl) => decodePem(crl)[0]?.der),
      ])
        expect(isDelta(bytes ?? new Uint8Array())).toBe(kind === "delta");
  });
});
