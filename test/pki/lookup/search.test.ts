import { createHash, X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../../../src/base/bytes.ts";
import type { CertRow } from "../../../src/pki/rows/records.ts";
import { authority, start, type Authority } from "../../support/authority.ts";
import { request, rdn, sanOf } from "../reading.ts";
import { commitRows } from "../../support/commit-rows.ts";

const now = start / 1000;
let a: Authority;
let issuers: { readonly root: string; readonly between: string };
const serials: Record<string, string> = {};
beforeAll(async () => {
  a = authority();
  const root = await a.root();
  const { id } = await a.intermediate();
  issuers = { root: root.issuer_id, between: id };
  await a.role("web");
  await a.role("mail", { issuer_ref: id });
  const made = async (role: string, common_name: string, ttl: number, more: object = {}) => {
    serials[common_name] = (await a.pki.issue({ role, common_name, ttl, ...more })).serial_number;
  };
  for (let i = 0; i < 25; i++)
    await made("web", `www${String(i).padStart(2, "0")}.a.test`, 100_000 + i);
  await made("web", "short.a.test", 10);
  await made("mail", "mail.b.test", 500_000, { alt_names: "Box@b.test", ip_sans: "192.0.2.9" });
  await made("web", "gone.a.test", 300_000);
  await a.pki.revoke({ serial_number: serials["gone.a.test"] ?? "" });
  a.clock.advance(60);
});
type Query = Partial<Parameters<Authority["pki"]["searchCerts"]>[0]>;
/** Returns the common names that a search finds, in order. */
const found = async (query: Query): Promise<readonly string[]> => {
  const { keys, key_info } = await a.pki.searchCerts(query);
  const info = key_info as Readonly<Record<string, { readonly common_name: string }>>;
  return keys.map((serial) => info[serial]?.common_name ?? "?");
};
const www = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => `www${String(from + i).padStart(2, "0")}.a.test`);

describe("certificate search", () => {
  it("matches a prefix of the first name", async () => {
    expect(await found({ name: "www0" })).toEqual(www(0, 10));
    expect(await found({ name: "www24.a.test" })).toEqual(["www24.a.test"]);
    expect(await found({ name: "nothing" })).toEqual([]);
  });

  it("distinguishes CA certificates from others", async () => {
    const { key_info } = await a.pki.searchCerts({ limit: 1000 });
    const cas = Object.values(key_info).filter(({ is_ca }) => is_ca);
    expect(cas).toHaveLength(2);
    expect(cas.every(({ role }) => role === "")).toBe(true);
  });

  it("matches issuer, role, expiry, state and any name, alone and combined", async () => {
    expect(await found({ issuer: issuers.between })).toEqual(["mail.b.test"]);
    expect(await found({ role: "mail" })).toEqual(["mail.b.test"]);
    expect(await found({ not_after_from: now + 100_000, not_after_to: now + 100_003 })).toEqual(
      www(0, 4),
    );
    expect(await found({ not_after_to: now + 100_000 })).toEqual(["short.a.test", "www00.a.test"]);
    expect(await found({ state: "expired" })).toEqual(["short.a.test"]);
    expect(await found({ state: "revoked" })).toEqual(["gone.a.test"]);
    expect(await found({ state: "valid", role: "web" })).toHaveLength(25);
    for (const san of ["BOX@B", "192.0.2.9", "mail.b"])
      expect(await found({ san })).toEqual(["mail.b.test"]);
    expect(
      await found({
        name: "www",
        role: "web",
        issuer: issuers.root,
        not_after_from: now + 100_020,
        state: "valid",
        san: "24",
      }),
    ).toEqual(["www24.a.test"]);
    expect(await found({ name: "www", role: "mail" })).toEqual([]);
  });

  it("matches the start of validity", async () => {
    const b = authority();
    await b.root();
    await b.role("web", { not_before_duration: 30 });
    for (const name of ["first", "second", "third"]) {
      await b.pki.issue({ role: "web", common_name: `${name}.test`, ttl: 5000 });
      b.clock.advance(100);
    }
    const within = async (query: Query): Promise<readonly string[]> =>
      Object.values((await b.pki.searchCerts({ role: "web", ...query })).key_info).map(
        (info) => (info as { common_name: string }).common_name,
      );
    expect(await within({ not_before_from: now + 70, not_before_to: now + 169 })).toEqual([
      "second.test",
    ]);
    expect(await within({ not_before_from: now + 70 })).toEqual(["second.test", "third.test"]);
    expect(await within({ not_before_to: now + 69 })).toEqual(["first.test"]);
  });

  it("returns another name for a certificate that has neither a common name nor DNS names", async () => {
    const own = authority();
    await own.root();
    await own.role("web", {
      allow_any_name: true,
      require_cn: false,
      allowed_uri_sans: ["spiffe://a.test/*"],
    });
    const named = async (names: object) => {
      const { serial_number } = await own.pki.issue({ role: "web", ...names });
      return (await own.pki.searchCerts({})).key_info[serial_number]?.name;
    };
    expect(await named({ ip_sans: ["192.0.2.9"] })).toBe("192.0.2.9");
    expect(await named({ uri_sans: ["spiffe://a.test/b"] })).toBe("spiffe://a.test/b");
    expect(await named({ common_name: "www.a.test" })).toBe("www.a.test");
  });

  it("matches the fingerprint of a certificate or of its key, and returns that of the certificate", async () => {
    const { certificate } = await a.pki.readCert({ serial: serials["www07.a.test"] ?? "" });
    const x509 = new X509Certificate(certificate);
    const ofKey = createHash("sha256")
      .update(x509.publicKey.export({ type: "spki", format: "der" }))
      .digest("hex");
    for (const fingerprint of [
      x509.fingerprint256,
      x509.fingerprint256.replaceAll(":", "").toLowerCase(),
      ofKey,
    ]) {
      const { keys, key_info } = await a.pki.searchCerts({ fingerprint });
      expect(keys).toEqual([serials["www07.a.test"]]);
      expect(key_info[keys[0] ?? ""]).toMatchObject({
        fingerprint: x509.fingerprint256.replaceAll(":", "").toLowerCase(),
        names: 1,
        revocation_time: 0,
      });
    }
    expect(await found({ fingerprint: "00".repeat(32) })).toEqual([]);
    for (const fingerprint of ["abcd", "zz".repeat(32), `${ofKey}00`])
      await expect(a.pki.searchCerts({ fingerprint })).rejects.toMatchObject({
        message: "fingerprint must be a SHA-256 hash of 64 hexadecimal digits",
      });
  });

  it("returns time and reason of a revocation, and the number of names", async () => {
    const b = authority();
    await b.root();
    await b.role("web");
    const { serial_number } = await b.pki.issue({
      role: "web",
      common_name: "many.test",
      alt_names: "b.test,c.test,d.test,e.test,f.test,box@many.test",
      ip_sans: "192.0.2.1",
    });
    b.clock.advance(77);
    await b.pki.revoke({ serial_number, reason: "keyCompromise" });
    const { key_info } = await b.pki.searchCerts({ state: "revoked" });
    expect(key_info[serial_number]).toMatchObject({
      names: 8,
      revocation_time: now + 77,
      revocation_reason: "keyCompromise",
    });
  });

  it("accepts an issuer by ID, by name or as `default`, and IDs of deleted issuers", async () => {
    const all = await found({ issuer: issuers.root });
    expect(all).toHaveLength(29);
    // by the index of the issuer, which is in the order of serial numbers
    const { keys } = await a.pki.searchCerts({ issuer: "root" });
    expect(keys).toEqual([...keys].sort());
    for (const issuer of ["root", "default", issuers.root.toUpperCase()])
      expect(await found({ issuer })).toEqual(all);
    expect(await found({ issuer: "nobody" })).toEqual([]);
    const own = authority();
    const { issuer_id } = await own.root({ key_name: "k" });
    await own.role("web");
    await own.pki.issue({ role: "web", common_name: "a.test", ttl: 60 });
    await own.pki.deleteIssuer({ issuer_ref: issuer_id });
    expect((await own.pki.searchCerts({ issuer: issuer_id })).keys).toHaveLength(2);
  });

  it("finds a text in names of every type, ignoring the case of ASCII letters", async () => {
    const own = authority();
    await own.root({ common_name: "R" });
    await own.role("web", { allowed_uri_sans: ["*"], allowed_other_sans: ["*"] });
    const names = {
      common_name: "Bücher.test",
      alt_names: "Box@b.test",
      ip_sans: "2001:db8::5",
      uri_sans: "urn:Thing",
      other_sans: "1.2.3;UTF8:Ärger",
    };
    await own.pki.issue({ role: "web", ttl: 60, ...names });
    const count = async (san: string) => (await own.pki.searchCerts({ san })).keys.length;
    for (const san of [
      "BÜCHER".replace("Ü", "ü"),
      "xn--bcher-kva.TEST",
      "bOx@",
      "DB8::5",
      "2001:DB8",
      "URN:thing",
      "ÄRGER",
      "rger",
    ])
      expect([san, await count(san)]).toEqual([san, 1]);
    for (const san of ["BÜCHER", "ärger", "\ud800", "2001:db8::50", "UTF8"])
      expect([san, await count(san)]).toEqual([san, 0]);
  });

  it("finds a CA by its first name of any type", async () => {
    const own = authority();
    await own.root({ common_name: "R" });
    await own.intermediate({
      common_name: "Below",
      exclude_cn_from_sans: true,
      alt_names: "ca@below.test",
    });
    expect((await own.pki.searchCerts({ name: "ca@b" })).keys).toHaveLength(1);
  });

  it("finds every certificate by a prefix of one name: the first SAN, or else the common name or another name", async () => {
    const own = authority();
    await own.root({ common_name: "Test Root" });
    const { id } = await own.intermediate({ common_name: "Test Between" });
    await own.role("web", {
      enforce_hostnames: false,
      require_cn: false,
      cn_validations: ["disabled"],
      allowed_uri_sans: ["*"],
      allowed_other_sans: ["*"],
    });
    await own.role("thin", { no_store: true, require_cn: false, allowed_uri_sans: ["*"] });
    const issued = async (more: object, role = "web") =>
      (await own.pki.issue({ role, ttl: 60, ...more })).certificate;
    await issued({ common_name: "John Doe" });
    await issued({ common_name: "left.out.test", exclude_cn_from_sans: true });
    await issued({ uri_sans: "spiffe://cluster.test/one" });
    await issued({ ip_sans: "198.51.100.7", uri_sans: "spiffe://cluster.test/two" });
    await issued({ other_sans: "1.3.6.1.4.1.311.20.2.3;UTF8:Jane@corp.test" });
    await issued({ common_name: "Prefix.Case.test" });
    await issued({ common_name: "Ünder Wood" });
    await issued({ common_name: "\u{1f600} Box" });
    await issued({ common_name: "Mary Roe", alt_names: "Mary@roe.test,roe.test" });
    await own.pki.signVerbatim({
      csr: await request({
        subject: [rdn("organization", "O"), rdn("commonName", "Verbatim One")],
      }),
      ttl: 60,
    });
    await own.pki.signVerbatim({
      csr: await request({ extensions: [sanOf({ uri: ["urn:verbatim:two"] })] }),
      ttl: 60,
    });
    await own.pki.revoke({ certificate: await issued({ uri_sans: "urn:presented" }, "thin") });
    const count = async (name: string) => (await own.pki.searchCerts({ name })).keys.length;
    for (const [name, hits] of [
      ["Test Root", 1],
      ["test be", 1],
      ["Test", 2],
      ["John", 1],
      ["john d", 1],
      ["left.out", 1],
      ["spiffe", 1],
      ["198.51", 1],
      ["JANE@", 1],
      ["prefix", 1],
      ["PREFIX.case", 1],
      ["Ünder", 1],
      ["\u{1f600}", 1],
      ["roe.test", 1],
      ["verbatim o", 1],
      ["urn:verbatim", 1],
      ["URN:", 2],
      // the index has only one name of each, and case is ignored for ASCII letters only
      ["Mary", 0],
      ["ünder", 0],
      ["oe", 0],
    ] as const)
      expect([name, await count(name)]).toEqual([name, hits]);
    expect((await own.pki.searchCerts({ name: "T", issuer: "root" })).keys).toHaveLength(2);
    expect((await own.pki.searchCerts({ name: "T", issuer: id })).keys).toEqual([]);
  });

  it("returns pages by name without gaps or duplicates, for all types, scripts and cases", async () => {
    const own = authority();
    await own.root({ common_name: "Same Root" });
    await own.role("web", {
      enforce_hostnames: false,
      require_cn: false,
      cn_validations: ["disabled"],
      allowed_uri_sans: ["*"],
      allowed_other_sans: ["*"],
    });
    const issued = (more: object) =>
      own.call("POST", "pki/issue/web", { ttl: 60, ...more }, { compat: true });
    for (const rest of [
      " one",
      " \u{1f600}",
      " \u{1f601}",
      " \uffee",
      " Über",
      " über",
      " ÿ",
      `${"\u{1f600}".repeat(70)} long`,
      " \u0061\u0308",
    ])
      await issued({ common_name: `Same${rest}` });
    for (const more of [
      { common_name: "same.two.test" },
      { common_name: "SAME@three.test" },
      { uri_sans: "same:four" },
      { other_sans: "1.2.3;UTF8:sAME five" },
    ])
      for (let i = 0; i < 2; i++) await issued(more);
    await issued({ common_name: "Other" });
    const whole = (await own.pki.searchCerts({ name: "Same" })).keys;
    expect(whole).toHaveLength(18);
    for (const limit of [1, 5]) {
      const pages: string[] = [];
      for (let cursor = "", i = 0; ; i++) {
        const page = await own.pki.searchCerts({ name: i % 2 ? "same" : "SAME", limit, cursor });
        pages.push(...page.keys);
        if (page.cursor === "") break;
        cursor = page.cursor;
      }
      expect(pages).toEqual(whole);
    }
  });

  it("compares the first 253 octets of a name", async () => {
    const own = authority();
    await own.root();
    await own.role("long", { cn_validations: ["disabled"], enforce_hostnames: false });
    const two = "\u00fc";
    const body = { common_name: two.repeat(200), ttl: 60 };
    await own.call("POST", "pki/issue/long", body, { compat: true });
    const count = async (name: string) => (await own.pki.searchCerts({ name })).keys.length;
    expect(await count(two.repeat(200))).toBe(1);
    expect(await count(`${two.repeat(126)}x`)).toBe(0);
    expect(await count(`${two.repeat(127)}x`)).toBe(1);
    expect(await count("x".repeat(100_000))).toBe(0);
  });

  it("returns the same fields of a certificate as the detailed list", async () => {
    const { key_info } = await a.pki.searchCerts({ name: "MAIL" });
    const detailed = (await a.pki.listCertDetails({})).key_info as Readonly<Record<string, object>>;
    const [[serial, info] = ["", {}]] = Object.entries(
      key_info as Readonly<Record<string, object>>,
    );
    expect(info).toMatchObject({ ...detailed[serial], state: "valid" });
  });

  it("combines each filter with an index that does not cover it", async () => {
    const at = now + 100_000;
    const by = { name: "www" };
    expect(await found({ ...by, issuer: issuers.between })).toEqual([]);
    expect(await found({ ...by, issuer: issuers.root })).toHaveLength(25);
    expect(await found({ ...by, not_after_from: at + 24 })).toEqual(["www24.a.test"]);
    expect(await found({ ...by, not_after_to: at })).toEqual(["www00.a.test"]);
    expect(await found({ name: "short", state: "valid" })).toEqual([]);
    expect(await found({ name: "gone", state: "valid" })).toEqual([]);
    expect(await found({ name: "gone", state: "expired" })).toEqual([]);
    expect(await found({ name: "www00", state: "revoked" })).toEqual([]);
  });

  it("returns all fields of a certificate", async () => {
    const { key_info, keys } = await a.pki.searchCerts({ role: "mail" });
    expect(keys).toEqual([serials["mail.b.test"]]);
    expect((key_info as Readonly<Record<string, unknown>>)[keys[0] ?? ""]).toEqual({
      common_name: "mail.b.test",
      issuer: issuers.between,
      role: "mail",
      is_ca: false,
      key_type: "ec",
      key_bits: 256,
      not_before: "2030-01-02T03:03:35Z",
      not_after: "2030-01-07T21:57:25Z".replace(
        "2030-01-07T21:57:25Z",
        new Date((now + 500_000) * 1000).toISOString().replace(".000", ""),
      ),
      dns_names: ["mail.b.test"],
      source: "api",
      state: "valid",
      name: "mail.b.test",
      names: 3,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      revocation_time: 0,
    });
  });

  it("returns pages without gaps or duplicates, by any index", async () => {
    for (const query of [
      {},
      { name: "www" },
      { role: "web" },
      { issuer: issuers.root },
      { state: "valid" },
      { san: "a.test" },
    ] satisfies readonly Query[]) {
      const whole = (await a.pki.searchCerts(query)).keys;
      for (const limit of [1, 7, whole.length]) {
        const pages: string[] = [];
        for (let cursor = ""; ;) {
          const page = await a.pki.searchCerts({ ...query, limit, cursor });
          expect(page.keys.length).toBeLessThanOrEqual(limit);
          pages.push(...page.keys);
          if (page.cursor === "") break;
          cursor = page.cursor;
        }
        expect(pages).toEqual(whole);
      }
    }
  });

  it("reads a limited number of rows per page, and finds later matches page by page", async () => {
    const own = authority();
    await own.root({ ttl: "90000h" });
    await own.role("web");
    await own.pki.issue({ role: "web", common_name: "many.test", ttl: 60 });
    const mounts = (await own.sys.listMounts({})) as unknown as Readonly<
      Record<string, { readonly uuid: string }>
    >;
    const store = own.stores(mounts["pki/"]?.uuid ?? "");
    const [entry] = await store.list("cert/", { by: { name: "name", from: "many", to: "many~" } });
    const row = entry?.[1].value as { readonly issuer: string };
    const key = (i: number) => `cert/01${i.toString(16).padStart(38, "0")}`;
    await commitRows(store, {
      put: Array.from({ length: 6000 }, (_, i) => [
        key(i),
        row,
        { not_after: now + 60, name: "many.test", role: "web", issuer: row.issuer },
      ]),
    });
    await own.pki.issue({ role: "web", common_name: "wanted.test", ttl: 6000 });
    const pages: string[][] = [];
    for (let cursor = ""; pages.length < 10;) {
      const page = await own.pki.searchCerts({
        role: "web",
        not_after_from: now + 61,
        san: "WANTED",
        cursor,
      });
      pages.push([...page.keys]);
      if ((cursor = page.cursor) === "") break;
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flat()).toHaveLength(1);
  });

  it("continues from its cursor after certificates were added", async () => {
    const own = authority();
    await own.root();
    await own.role("web");
    for (const name of ["b.test", "d.test", "f.test"])
      await own.pki.issue({ role: "web", common_name: name, ttl: 60 });
    const first = await own.pki.searchCerts({ name: "", role: "", limit: 2 });
    const named = await own.pki.searchCerts({ san: "test", limit: 1 });
    await own.pki.issue({ role: "web", common_name: "a.test", ttl: 600 });
    const rest = await own.pki.searchCerts({ limit: 10, cursor: first.cursor });
    expect(new Set([...first.keys, ...rest.keys]).size).toBe(first.keys.length + rest.keys.length);
    expect(named.cursor).not.toBe("");
  });

  it("returns every certificate that existed at the start once, whatever is issued or revoked between pages", async () => {
    for (const by of [
      {},
      { name: "n" },
      { role: "web" },
      { issuer: "root" },
      { not_after_from: 1 },
      { role: "web", state: "valid" },
    ] satisfies readonly Query[]) {
      const own = authority();
      await own.root();
      await own.role("web");
      const issued = async (i: number) =>
        (
          await own.pki.issue({
            role: "web",
            common_name: `n${(i * 37) % 100}.test`,
            ttl: 100 + ((i * 61) % 50),
          })
        ).serial_number;
      for (let i = 0; i < 12; i++) await issued(i);
      const before = (await own.pki.searchCerts(by)).keys;
      const gone = new Set<string>();
      const [pages, detailed]: [string[], string[]] = [[], []];
      for (let cursor = "", i = 12; ; i++) {
        const page = await own.pki.searchCerts({ ...by, limit: 3, cursor });
        pages.push(...page.keys);
        await issued(i);
        const next = before.find((serial) => !pages.includes(serial) && !gone.has(serial));
        if (
          next &&
          i % 2 === 0 &&
          (await own.call("POST", "pki/revoke", { serial_number: next })).status === 200
        )
          gone.add(next);
        if (page.cursor === "") break;
        cursor = page.cursor;
      }
      expect(new Set(pages).size).toBe(pages.length);
      const lost = before.filter((serial) => !pages.includes(serial));
      // a search for valid certificates omits those that no longer are
      expect(lost.every((serial) => "state" in by && gone.has(serial))).toBe(true);
      const all = (await own.pki.listCertDetails({})).keys;
      for (let after = "", i = 40; ; i++) {
        const answer = await own.call("LIST", `pki/certs/detailed?limit=3&after=${after}`);
        if (answer.status === 404) break;
        const keys = answer.data["keys"] as readonly string[];
        detailed.push(...keys);
        after = keys.at(-1) ?? "";
        if (i < 45) await issued(i);
      }
      expect(new Set(detailed).size).toBe(detailed.length);
      expect(all.filter((serial) => !detailed.includes(serial))).toEqual([]);
    }
  });

  it("returns the current state: valid, expired a second after notAfter, revoked immediately and permanently", async () => {
    const own = authority();
    await own.root();
    await own.role("web");
    const { serial_number } = await own.pki.issue({ role: "web", common_name: "a.test", ttl: 60 });
    const other = await own.pki.issue({ role: "web", common_name: "b.test", ttl: 3600 });
    const both = [serial_number, other.serial_number].sort();
    const states = async () =>
      Promise.all(
        ["valid", "expired", "revoked"].map(async (state) =>
          [...(await own.pki.searchCerts({ role: "web", state })).keys].sort(),
        ),
      );
    expect(await states()).toEqual([both, [], []]);
    own.clock.advance(60);
    expect(await states()).toEqual([both, [], []]);
    own.clock.advance(1);
    expect(await states()).toEqual([[other.serial_number], [serial_number], []]);
    await own.pki.revoke({ serial_number: other.serial_number });
    expect(await states()).toEqual([[], [serial_number], [other.serial_number]]);
    own.clock.advance(7200);
    expect(await states()).toEqual([[], [serial_number], [other.serial_number]]);
  });

  it("security row 55: rejects a forged cursor, a cursor of another search, an unknown state and a negative limit", async () => {
    const forged = (value: unknown) => toBase64Url(utf8(JSON.stringify(value)));
    const { cursor } = await a.pki.searchCerts({ name: "www", limit: 1 });
    const asked = async (query: string) =>
      (await a.call("LIST", `pki/certs/search?${query}`)).status;
    for (const bad of [
      "x",
      "%21",
      forged({}),
      forged([1]),
      forged([1, "key/00"]),
      forged([true, "cert/00"]),
      forged(["x", "cert/00"]),
      forged([1.5, "cert/00"]),
      forged([1, "cert/zz"]),
      forged([1, "cert/00", 2]),
    ])
      expect([bad, await asked(`cursor=${bad}`)]).toEqual([bad, 400]);
    for (const other of [
      "",
      "name=short&",
      "role=web&",
      "not_after_from=1&",
      "name=www&state=valid&",
      "name=www&san=x&",
      "name=www&role=web&",
      "name=ww&",
    ])
      expect([other, await asked(`${other}cursor=${cursor}`)]).toEqual([other, 400]);
    expect(await asked(`name=www&cursor=${cursor}`)).toBe(200);
    // the tag of a search is not secret, so the rest is validated too
    const [value, key, tag] = JSON.parse(
      fromUtf8(fromBase64Url(cursor) ?? new Uint8Array(0)),
    ) as readonly string[];
    for (const bad of [
      [true, key, tag],
      [1, key, tag],
      [null, key, tag],
      ["wwx", key, tag],
      [value, "key/00", tag],
      [value, "cert/", tag],
      [value, "cert/zz", tag],
      [value, `cert/${"0".repeat(65)}`, tag],
      [value, 7, tag],
      [value, key, tag, 1],
      [value, key],
      { 0: value, 1: key, 2: tag, length: 3 },
    ])
      expect([bad, await asked(`name=www&cursor=${forged(bad)}`)]).toEqual([bad, 400]);
    const expiring = await a.pki.searchCerts({ limit: 1 });
    const [, at, own_] = JSON.parse(
      fromUtf8(fromBase64Url(expiring.cursor) ?? new Uint8Array(0)),
    ) as readonly string[];
    for (const bad of ["x", 1.5, 2 ** 60, null])
      expect([bad, await asked(`cursor=${forged([bad, at, own_])}`)]).toEqual([bad, 400]);
    for (const bad of [`${cursor}AA`, cursor.slice(1), cursor.repeat(2), cursor.padEnd(3000, "A")])
      expect([bad.length, await asked(`name=www&cursor=${bad}`)]).toEqual([bad.length, 400]);
    // a time window that moves with the clock is the same search, one that excludes the cursor's
    // position is not
    const soon = await a.pki.searchCerts({ not_after_to: now + 100_010, limit: 3 });
    expect(await asked(`not_after_to=${now + 100_011}&cursor=${soon.cursor}`)).toBe(200);
    expect(await asked(`not_after_to=${now + 5}&cursor=${soon.cursor}`)).toBe(400);
    // a first name of the maximum length still has a valid cursor
    const own = authority();
    await own.root();
    await own.role("long", { cn_validations: ["disabled"], enforce_hostnames: false });
    const long = `${"x".repeat(300)}@a.test`;
    const body = { common_name: long, ttl: 60 };
    for (let i = 0; i < 2; i++) await own.call("POST", "pki/issue/long", body, { compat: true });
    const page = await own.pki.searchCerts({ name: "xx", limit: 1 });
    expect(
      (await own.pki.searchCerts({ name: "xx", limit: 1, cursor: page.cursor })).keys,
    ).toHaveLength(1);
    for (const query of ["state=lost", "limit=-1", "limit=many", "not_after_from=soon"])
      expect(await asked(query)).toBe(400);
    expect(await asked("limit=1000000000")).toBe(200);
    expect(await asked("limit=0")).toBe(200);
  });

  it("requires a token", async () => {
    for (const path of ["certs/search", "certs/detailed"]) {
      expect((await a.call("GET", `pki/${path}?list=true`, undefined, { token: "" })).status).toBe(
        403,
      );
      expect(
        (await a.call("GET", `pki/${path}?list=true`, undefined, { token: "reader" })).status,
      ).toBe(200);
    }
  });
});

describe("certificates altered in storage", () => {
  /** Creates an authority with 70 leaves, and alters some of them. */
  async function damaged(numbers: readonly number[]) {
    const own = authority();
    await own.root({ ttl: "100h" });
    await own.role("web");
    const name = (i: number) => `n${String(i).padStart(2, "0")}.test`;
    const { uuid } = (await own.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const store = own.stores(uuid);
    for (let i = 0; i < 70; i++) {
      const { serial_number } = await own.pki.issue({
        role: "web",
        common_name: name(i),
        ttl: 1000 + i,
      });
      if (!numbers.includes(i)) continue;
      const key = `cert/${serial_number.replaceAll(":", "")}`;
      const value = (await store.get([key]))[0]?.value as CertRow;
      const index = { not_after: now + 1000 + i, name: name(i), role: "web", issuer: value.issuer };
      // alters the first byte only, so that the certificate cannot be parsed
      await store.commit({
        put: [[key, { ...value, der: value.der.map((byte, at) => (at === 0 ? 0 : byte)) }, index]],
      });
    }
    const names = Array.from({ length: 70 }, (_, i) => i).flatMap((i) =>
      numbers.includes(i) ? [] : [name(i)],
    );
    return { own, names };
  }
  const range = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from }, (_, i) => from + i);

  it.each([
    ["a whole page from the first on", range(0, 50)],
    ["a whole page and the end of the one before", range(5, 69)],
    ["the last ones", range(10, 70)],
  ])("do not hide later certificates: %s", async (_, numbers) => {
    const { own, names } = await damaged(numbers);
    for (const query of [
      { name: "n" },
      { role: "web" },
      { issuer: "root" },
      { not_after_from: now },
    ] as const) {
      const told: string[] = [];
      for (let cursor = "", pages = 0; pages < 20; pages++) {
        const page = await own.pki.searchCerts({
          ...query,
          state: "valid",
          san: ".test",
          limit: 3,
          cursor,
        });
        told.push(
          ...Object.values(
            page.key_info as Readonly<Record<string, { readonly common_name: string }>>,
          ).map(({ common_name }) => common_name),
        );
        ({ cursor } = page);
        if (cursor === "") break;
      }
      expect([query, told.sort()]).toEqual([query, names]);
    }
  });

  it.each([range(0, 60), range(3, 70)])(
    "do not hide later certificates in the detailed list (%#)",
    async (...numbers) => {
      const { own } = await damaged(numbers);
      const told: string[] = [];
      for (let after = "", pages = 0; pages < 40; pages++) {
        const answer = await own.call("LIST", `pki/certs/detailed?limit=3&after=${after}`);
        const { keys = [] } = (answer.data ?? {}) as { readonly keys?: readonly string[] };
        told.push(...keys);
        if (keys.length === 0) break;
        after = keys.at(-1) ?? "";
      }
      const sound = (await own.pki.searchCerts({ limit: 1000 })).keys;
      expect(told).toEqual(sound.toSorted());
    },
  );

  it("cause an error if they exceed the limit of a page, instead of an endless loop", async () => {
    const { own } = await damaged([]);
    const { uuid } = (await own.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const altered: CertRow = {
      der: new Uint8Array(8),
      issuer: "",
      crl_set: "",
      role: "many",
      crc: 1,
    };
    const put = range(0, 2500).map(
      (i) => [`cert/${i.toString(16).padStart(8, "0")}`, altered, { role: "many" }] as const,
    );
    await commitRows(own.stores(uuid), { put });
    const answer = await own.call("LIST", "pki/certs/search?role=many");
    expect([answer.status, answer.errors]).toEqual([
      500,
      [expect.stringMatching(/^the next 2500 stored certificates were altered/)],
    ]);
    expect((await own.pki.searchCerts({ role: "web", limit: 1 })).keys).toHaveLength(1);
    const more = range(2500, 2700).map(
      (i) => [`cert/${i.toString(16).padStart(8, "0")}`, altered, { role: "more" }] as const,
    );
    await commitRows(own.stores(uuid), { put: more });
    const listed = await own.call("LIST", "pki/certs/detailed?limit=3");
    const told =
      /^the next [0-9]+ stored certificates were altered in storage; to skip them, list the certificates after (\S+)$/;
    expect([listed.status, listed.errors]).toEqual([500, [expect.stringMatching(told)]]);
    const after = told.exec(String(listed.errors?.[0]))?.[1];
    expect((await own.call("LIST", `pki/certs/detailed?after=${after}`)).status).toBe(200);
  });
});

describe("the detailed list", () => {
  it("B 1.3 LIST certs/detailed: is paged in the order of serial numbers, and returns 404 if empty", async () => {
    const whole = await a.pki.listCertDetails({});
    expect(whole.keys).toEqual((await a.pki.listCerts({})).keys);
    expect(Object.keys(whole.key_info as object)).toEqual(whole.keys);
    const pages: string[] = [];
    for (let after = ""; pages.length < whole.keys.length; after = pages.at(-1) ?? "")
      pages.push(...(await a.pki.listCertDetails({ after, limit: 9 })).keys);
    expect(pages).toEqual(whole.keys);
    const after = whole.keys.at(-1)?.toUpperCase().replaceAll(":", "-");
    expect((await a.call("LIST", `pki/certs/detailed?after=${after}`)).status).toBe(404);
    expect((await a.call("LIST", "pki/certs/detailed?limit=-1")).status).toBe(400);
  });
});
