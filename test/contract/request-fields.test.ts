import { describe, expect, it } from "vitest";
import { authority, type Answer } from "../support/authority.ts";

const seen = ({ status, errors }: Answer): readonly unknown[] => [status, errors];
async function ready() {
  const a = authority();
  await a.root();
  await a.role("web");
  return a;
}

describe("warnings", () => {
  it("A 1.4 item 1: name the unknown fields, sorted, except on empty responses", async () => {
    const a = authority();
    const answer = await a.call("POST", "pki/roles/web", { zeta: 1, alpha: 2 }, { compat: true });
    expect(answer.json["warnings"]).toContain(
      "Endpoint ignored these unrecognized parameters: [alpha zeta]",
    );
    const deleted = await a.call("DELETE", "pki/roles/web?zeta=1", undefined, { compat: true });
    expect(deleted.status).toBe(204);
  });
  it("A 1.4 item 2: name the fields overridden by the path", async () => {
    const a = await ready();
    const replaced = (name: string) =>
      `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${name}]`;
    const role = await a.call(
      "POST",
      "pki/roles/api",
      { name: "other", key_type: "ec" },
      { compat: true },
    );
    expect(role.json["warnings"]).toContain(replaced("name"));
    expect((await a.call("LIST", "pki/roles")).data["keys"]).toEqual(["api", "web"]);
    const issued = await a.call(
      "POST",
      "pki/issue/web",
      { role: "none", common_name: "a.test", ttl: "1h" },
      { compat: true },
    );
    expect(issued.json["warnings"]).toContain(replaced("role"));
    const issuer = await a.call(
      "POST",
      "pki/issuer/root",
      { issuer_ref: "none", issuer_name: "root" },
      { compat: true },
    );
    expect([issuer.data["issuer_name"], issuer.json["warnings"]]).toEqual([
      "root",
      [replaced("issuer_ref")],
    ]);
    for (const path of [
      "root/generate",
      "issuers/generate/root",
      "root/rotate",
      "intermediate/generate",
      "issuers/generate/intermediate",
    ])
      for (const [kind, body] of [
        ["internal", { key_type: "ec" }],
        ["exported", { key_type: "ec" }],
        ["existing", {}],
      ] as const) {
        const made = await a.call(
          "POST",
          `pki/${path}/${kind}`,
          { ...body, exported: "exported", common_name: "x" },
          { compat: true },
        );
        expect([path, kind, made.json["warnings"]]).toEqual([
          path,
          kind,
          expect.arrayContaining([replaced("exported")]),
        ]);
        expect(made.data["private_key"] === undefined).toBe(kind !== "exported");
      }
  });
});

describe("fields", () => {
  const coerced = async (field: string, value: unknown) => {
    const a = authority();
    const answer = await a.call(
      "POST",
      "pki/roles/web",
      { [field]: value, key_type: "ec" },
      { compat: true },
    );
    return answer.status === 200 ? answer.data[field] : answer.status;
  };
  it("A 1.5 string: accepts numbers, booleans and null, but no array or object, not even for names", async () => {
    for (const [value, text] of [
      ["x", "x"],
      [12, "12"],
      [true, "1"],
      [false, "0"],
    ] as const)
      expect(await coerced("issuer_ref", value)).toBe(text);
    expect(await coerced("issuer_ref", null)).toBe("default");
    for (const value of [["x"], {}]) expect(await coerced("issuer_ref", value)).toBe(400);
    const a = await ready();
    for (const name of ["common_name", "alt_names"])
      expect(
        seen(await a.call("POST", "pki/issue/web", { common_name: "a.test", [name]: ["a.test"] })),
      ).toEqual([400, [expect.stringContaining(`"${name}"`)]]);
  });
  it("A 1.5 int: accepts integers, and texts with a base prefix", async () => {
    for (const [value, number] of [
      [384, 384],
      ["384", 384],
      ["0x180", 384],
      ["0b110000000", 384],
      ["0600", 384],
      ["", 0],
      [null, 0],
      [false, 0],
    ] as const)
      expect(await coerced("key_bits", value)).toBe(number === 0 ? 256 : number);
    for (const value of [1.5, "1.5", "1e3", "x", [256]])
      expect(await coerced("key_bits", value)).toBe(400);
  });
  it("A 1.5 int, duration: reject numbers with a decimal point or exponent, even if integral; a text field keeps the literal", async () => {
    const a = authority();
    for (const [field, literal] of [
      ["key_bits", "2.56e2"],
      ["key_bits", "384.0"],
      ["ttl", "1e3"],
      ["ttl", "3600.0"],
    ]) {
      const { status } = await a.call(
        "POST",
        "pki/roles/web",
        `{"key_type":"ec","${field}":${literal}}`,
      );
      expect([field, literal, status]).toEqual([field, literal, 400]);
    }
    const { data } = await a.call(
      "POST",
      "pki/roles/web",
      '{"key_type":"ec","issuer_ref":1e3,"key_bits":384,"max_ttl":3600}',
    );
    expect([data["issuer_ref"], data["key_bits"]]).toEqual(["1e3", 384]);
  });
  it("A 1.5 bool: accepts the usual words, the empty text, 0 and 1, and null as false", async () => {
    for (const value of [true, "1", "t", "T", "TRUE", "true", "True", 1])
      expect(await coerced("allow_localhost", value)).toBe(true);
    for (const value of [false, "0", "f", "F", "FALSE", "false", "False", "", 0, null])
      expect(await coerced("allow_localhost", value)).toBe(false);
    for (const value of ["yes", 2, [], {}])
      expect(await coerced("allow_localhost", value)).toBe(400);
  });
  it("A 1.5 duration: accepts seconds, days and sequences of units, but no negative or mixed values; null counts as absent", async () => {
    const cases = [
      [3600, 3600],
      ["3600", 3600],
      ["2d", 172_800],
      ["1h30m", 5400],
      ["1.5h", 5400],
      ["2160h0m0s", 7_776_000],
      ["1500ms", 1],
      ["", 0],
      [null, 0],
    ] as const;
    for (const [value, seconds] of cases) expect(await coerced("max_ttl", value)).toBe(seconds);
    for (const value of [1.5, "1d2h", "1x", "h", [1]])
      expect(await coerced("max_ttl", value)).toBe(400);
    expect(seen(await authority().call("POST", "pki/roles/web", { max_ttl: "-5s" }))).toEqual([
      400,
      [expect.stringContaining("cannot provide negative value '-5'")],
    ]);
  });
  it("A 1.5 comma list: keeps elements of arrays and splits text, trimming both, and ignores empty elements between others", async () => {
    const cases = [
      [
        ["a.test, b", " c "],
        ["a.test, b", "c"],
      ],
      [" a.test , b.test", ["a.test", "b.test"]],
      ["", []],
      [null, []],
      [[], []],
      [7, ["7"]],
      [
        [7, true],
        ["7", "1"],
      ],
    ] as const;
    for (const [value, list] of cases)
      expect(await coerced("allowed_domains", value)).toEqual(list);
    expect(await coerced("allowed_domains", {})).toBe(400);
    const a = authority();
    await a.root();
    await a.pki.writeRole({
      name: "web",
      key_type: "ec",
      allowed_domains: "a.test,,b.test",
      allow_bare_domains: true,
    });
    expect(
      (await a.pki.issue({ role: "web", common_name: "b.test", ttl: 60 })).certificate,
    ).toContain("BEGIN");
  });
  it("A 1.5 string list: accepts a text as a single element", async () => {
    const a = await ready();
    const crl = (await a.call("GET", "pki/crl/pem")).text;
    for (const crls of [crl, [crl]])
      expect((await a.call("POST", "pki/issuer/root/resign-crls", { crls })).status).toBe(200);
    expect(
      seen(await a.call("POST", "pki/issuer/root/resign-crls", { crls: `${crl}\n${crl}` })),
    ).toEqual([400, ["invalid crl; should be one PEM block only"]]);
  });
  it("A 1.5 list, map: require a JSON array and a JSON object", async () => {
    const a = await ready();
    expect(
      (await a.call("POST", "pki/issuer/root/sign-revocation-list", { revoked_certs: {} })).status,
    ).toBe(400);
    expect(
      (await a.call("POST", "pki/issuer/root/sign-revocation-list", { revoked_certs: [] })).status,
    ).toBe(200);
    expect((await a.call("POST", "sys/mounts/two", { type: "pki", config: [] })).status).toBe(400);
    expect(
      (await a.call("POST", "sys/mounts/two", { type: "pki", config: { max_lease_ttl: "1h" } }))
        .status,
    ).toBe(204);
  });
});

describe("leases", () => {
  it("A 1.7 leases: are created only if the role requests them and stores certificates, and expire by the mount's maximum", async () => {
    const a = await ready();
    await a.role("leased", { generate_lease: true });
    await a.role("unstored", { generate_lease: true, no_store: true });
    const issue = (role: string, body: object = { ttl: "1h" }) =>
      a.call("POST", `pki/issue/${role}`, { common_name: "a.test", ...body }, { compat: true });
    const { json } = await issue("leased");
    expect(json).toMatchObject({
      lease_id: expect.stringMatching(
        /^pki\/issue\/leased\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      ),
      lease_duration: 3600,
      renewable: false,
    });
    for (const role of ["web", "unstored"])
      expect((await issue(role)).json).toMatchObject({ lease_id: "", lease_duration: 0 });
    await a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "permit" });
    const long = await issue("leased", { not_after: "2099-01-01T00:00:00Z" });
    expect(long.json["lease_duration"]).toBe(87_600 * 3600);
    expect(long.json["warnings"]).toContain(
      "The lease expires before the certificate, after 87600h0m0s, which is the maximum of the mount.",
    );
  });
});
