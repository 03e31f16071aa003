import { describe, expect, it } from "vitest";
import { authority, type Authority, type AuthorityOptions } from "../support/authority.ts";

const cluster = "https://ca.test/v1/pki";
const defaults = {
  enabled: false,
  allowed_issuers: ["*"],
  allowed_roles: ["*"],
  allow_role_ext_key_usage: false,
  default_directory_policy: "sign-verbatim",
  dns_resolver: "",
  eab_policy: "not-required",
  max_ttl: 90 * 86_400,
  challenge_permitted_ip_ranges: [],
  challenge_excluded_ip_ranges: [],
  challenge_types: ["http-01", "dns-01", "tls-alpn-01"],
  issuer_domain_names: [],
  persistent_subdomains: false,
  attestation_apple_roots: "",
  attestation_tpm_roots: "",
  attestation_crls: "",
  attestation_devices: [],
  attestation_names: ["san"],
  challenge_timeout: 30,
};

async function configured(options: AuthorityOptions = {}): Promise<Authority> {
  const a = authority({ publicUrl: "https://ca.test", ...options });
  await a.root();
  await a.role("web", { ttl: "1h" });
  return a;
}
const read = (a: Authority, compat = false) =>
  a.call("GET", "pki/config/acme", undefined, { compat });
const write = (a: Authority, body: object, compat = false) =>
  a.call("POST", "pki/config/acme", body, { compat });
/** Asserts that a write is rejected with an error and stores nothing. */
async function refused(a: Authority, body: object, text: string | RegExp): Promise<void> {
  const before = await a.pki.readAcmeConfig({});
  const { status, errors } = await write(a, body);
  expect([status, errors.length]).toEqual([400, 1]);
  expect(errors[0]).toMatch(text);
  expect(await a.pki.readAcmeConfig({})).toEqual(before);
}
const warningsOf = async (answer: ReturnType<typeof read>): Promise<unknown> =>
  (await answer).json["warnings"];

describe("config/acme", () => {
  it("B 5.3 GET and POST: return 200 with all fields, and absent fields stay unchanged", async () => {
    const a = await configured();
    const first = await read(a);
    expect([first.status, first.data]).toEqual([200, defaults]);
    const steps = {
      allow_role_ext_key_usage: true,
      dns_resolver: "192.0.2.53:53",
      max_ttl: 3600,
      enabled: true,
    };
    let held: object = defaults;
    for (const [name, value] of Object.entries(steps)) {
      held = { ...held, [name]: value };
      const { status, data } = await write(a, { [name]: value });
      expect([status, data]).toEqual([200, held]);
      expect((await read(a)).data).toEqual(held);
    }
    expect(await a.pki.writeAcmeConfig({})).toEqual(held);
    expect((await a.call("PUT", "pki/config/acme", { enabled: false })).data).toEqual({
      ...held,
      enabled: false,
    });
  });

  it("B 5.3 GET and POST: require a token with the capability on the path", async () => {
    const a = await configured();
    expect(
      (await a.call("POST", "pki/config/acme", { enabled: true }, { token: "reader" })).status,
    ).toBe(403);
    expect((await a.call("GET", "pki/config/acme", undefined, { token: "" })).status).toBe(403);
    expect((await read(a)).data).toEqual(defaults);
  });

  it("B 5.3 enabled: requires no other settings if the deployment has a public URL", async () => {
    const a = authority({ publicUrl: "https://ca.test" });
    await a.root();
    const { status, data, json } = await write(a, { enabled: true });
    expect([status, data["enabled"], json["warnings"]]).toEqual([200, true, ""]);
  });

  it("B 5.3 enabled: without a cluster path, the error names the call that sets it", async () => {
    const a = authority();
    await a.root();
    await refused(
      a,
      { enabled: true },
      /^ACME feature requires local cluster 'path' field configuration to be set: POST \/v1\/pki\/config\/cluster with path/,
    );
    // other fields can be set before the cluster path
    expect((await write(a, { eab_policy: "always-required" })).status).toBe(200);
    await a.pki.writeCluster({ path: cluster });
    expect((await write(a, { enabled: "true" })).data).toMatchObject({ enabled: true });
  });

  it("B 5.3 allow_role_ext_key_usage, B 5.3 persistent_subdomains, B 5.3 enabled: accept booleans in every form that clients send", async () => {
    const a = await configured();
    for (const field of ["allow_role_ext_key_usage", "persistent_subdomains", "enabled"]) {
      for (const [sent, kept] of [
        ["true", true],
        [0, false],
        [1, true],
        ["F", false],
      ] as const)
        expect((await write(a, { [field]: sent })).data).toMatchObject({ [field]: kept });
      await refused(a, { [field]: "perhaps" }, /error converting input for field/);
    }
  });
});

describe("the lists of config/acme", () => {
  it("B 5.3 allowed_issuers: accepts ids, names and `default`, each of which must refer to an issuer", async () => {
    const a = await configured();
    const issuers = await a.call("LIST", "pki/issuers");
    const [id] = issuers.data["keys"] as readonly string[];
    for (const sent of [[id], ["root"], ["default"], ["*"]])
      expect((await write(a, { allowed_issuers: sent })).data["allowed_issuers"]).toEqual(sent);
    expect((await write(a, { allowed_issuers: `root, ${id}` })).data["allowed_issuers"]).toEqual([
      "root",
      id,
    ]);
    await refused(
      a,
      { allowed_issuers: ["root", "other"] },
      "failed validating allowed_issuers: unable to find PKI issuer for reference: other",
    );
  });

  it("B 5.3 allowed_roles: each role must exist and store its certificates", async () => {
    const a = await configured();
    await a.role("passing", { no_store: true });
    expect((await write(a, { allowed_roles: ["web"] })).data["allowed_roles"]).toEqual(["web"]);
    await refused(
      a,
      { allowed_roles: ["web", "none"] },
      "allowed_role none is not a valid acme role: it does not exist",
    );
    await refused(
      a,
      { allowed_roles: "passing" },
      /^allowed_role passing is not a valid acme role: it has no_store set/,
    );
  });

  it("B 5.3 empty list: is rejected for both fields, as is null", async () => {
    const a = await configured();
    for (const field of ["allowed_issuers", "allowed_roles"])
      for (const none of [[], "", null])
        await refused(
          a,
          { [field]: none },
          new RegExp(`^${field} must take a non-zero length value; specify '\\*' as the value`),
        );
  });

  it("B 5.3 star not alone: is rejected with its index", async () => {
    const a = await configured();
    await refused(
      a,
      { allowed_issuers: ["root", "*"] },
      "cannot use '*' as issuer name at index 1",
    );
    await refused(a, { allowed_roles: ["*", "web"] }, "cannot use '*' as role name at index 0");
  });

  it("B 5.3 challenge_permitted_ip_ranges, B 5.3 challenge_excluded_ip_ranges: accept ranges in CIDR form, which an empty list removes", async () => {
    const a = await configured();
    for (const field of ["challenge_permitted_ip_ranges", "challenge_excluded_ip_ranges"]) {
      const ranges = ["127.0.0.0/8", "2001:db8::/32"];
      expect((await write(a, { [field]: ranges.join(",") })).data[field]).toEqual(ranges);
      for (const wrong of ["127.0.0.1", "10.0.0.0/33", "ca.test/8", "::1/129", "fe80::1%eth0/64"])
        await refused(
          a,
          { [field]: [ranges[0], wrong] },
          `${field}: invalid CIDR address: ${wrong}; use a range such as 192.0.2.0/24`,
        );
      for (const none of [[], ""]) {
        await write(a, { [field]: ranges });
        expect((await write(a, { [field]: none })).data[field]).toEqual([]);
      }
    }
  });
});

describe("challenge types of config/acme", () => {
  it("B 5.3 challenge_types, B 5.3 issuer_domain_names: accept known types and up to ten domain names, which dns-persist-01 requires if the mount's URL has none", async () => {
    const a = await configured();
    const persist = { challenge_types: ["DNS-01", "dns-persist-01"] };
    expect((await write(a, persist)).data["challenge_types"]).toEqual(["dns-01", "dns-persist-01"]);
    await refused(a, { challenge_types: [] }, /expected at least one of http-01, .* got none/);
    await refused(a, { challenge_types: ["dns-02"] }, /got dns-02/);
    for (const name of ["192.0.2.1", "*.a.test", "a b", ""])
      await refused(a, { issuer_domain_names: [name] }, /is not a domain name/);
    const eleven = Array.from({ length: 11 }, (_, n) => `a${n}.test`);
    await refused(a, { issuer_domain_names: eleven }, /has 11 entries; the maximum is 10/);
    const names = await write(a, { issuer_domain_names: ["CA.Test.", "Bücher.test"] });
    expect(names.data["issuer_domain_names"]).toEqual(["ca.test", "xn--bcher-kva.test"]);
    await a.call("POST", "pki/config/cluster", { path: "http://192.0.2.1/v1/pki" });
    await refused(a, { issuer_domain_names: [] }, /dns-persist-01 requires issuer_domain_names/);
  });
});

describe("challenge_timeout of config/acme", () => {
  it("B 5.3 challenge_timeout: accepts 1 second to an hour, as a duration or seconds, and 0 sets the default of 30 s", async () => {
    const a = await configured();
    for (const [sent, seconds] of [
      ["2m", 120],
      [3600, 3600],
      [1, 1],
      [0, 30],
    ])
      expect((await write(a, { challenge_timeout: sent })).data["challenge_timeout"]).toBe(seconds);
    await refused(
      a,
      { challenge_timeout: "61m" },
      "challenge_timeout must be 1 to 3600 seconds, or 0 for 30 seconds; got 3660",
    );
    await refused(a, { challenge_timeout: "soon" }, "challenge_timeout");
    await refused(a, { challenge_timeout: -1 }, /./);
  });
});

describe("the policies of config/acme", () => {
  it("B 5.3 default_directory_policy: accepts sign-verbatim, forbid or a role", async () => {
    const a = await configured();
    for (const policy of ["forbid", "role:web", "sign-verbatim"])
      expect((await write(a, { default_directory_policy: policy })).data).toMatchObject({
        default_directory_policy: policy,
      });
    const bad = (policy: string, text: string | RegExp) =>
      refused(a, { default_directory_policy: policy }, text);
    await bad("role:", "no role specified by policy role:");
    await bad(
      "role:none",
      "default directory policy role:none is not usable: the role none does not exist",
    );
    for (const policy of ["", "Forbid", "web", "role", "role:a b", "role:../web"])
      await bad(policy, `string ${policy} not a valid Default Directory Policy`);
  });

  it("B 5.3 default_directory_policy: a role must be in allowed_roles, whichever field is written", async () => {
    const a = await configured();
    await a.role("api");
    await write(a, { allowed_roles: ["web"] });
    await refused(
      a,
      { default_directory_policy: "role:api" },
      "default directory policy role:api was not specified in allowed_roles: web",
    );
    const both = { allowed_roles: ["api"], default_directory_policy: "role:api" };
    expect((await write(a, both)).data).toMatchObject(both);
    await refused(
      a,
      { allowed_roles: ["web"] },
      "default directory policy role:api was not specified in allowed_roles: web",
    );
  });

  it("B 5.3 default_directory_policy: rejects a role that does not store its certificates", async () => {
    const a = await configured();
    await a.role("passing", { no_store: true });
    await refused(
      a,
      { default_directory_policy: "role:passing" },
      /the role passing has no_store set/,
    );
  });

  it("B 5.3 sign-verbatim-unsafe: is an alias of sign-verbatim", async () => {
    const a = await configured();
    await write(a, { default_directory_policy: "forbid" });
    expect(
      (await write(a, { default_directory_policy: "sign-verbatim-unsafe" })).data,
    ).toMatchObject({ default_directory_policy: "sign-verbatim" });
  });

  it("B 5.3 external-policy: is accepted with and without the name of a policy", async () => {
    const a = await configured();
    for (const policy of ["external-policy", "external-policy:gate"])
      expect((await write(a, { default_directory_policy: policy })).data).toMatchObject({
        default_directory_policy: policy,
      });
    for (const policy of ["external-policy:", "external-policygate"])
      expect((await write(a, { default_directory_policy: policy })).status, policy).toBe(400);
  });

  it("B 5.3 eab_policy: is accepted in any case and stored in lower case", async () => {
    const a = await configured();
    for (const policy of ["not-required", "new-account-required", "always-required"])
      expect((await write(a, { eab_policy: policy.toUpperCase() })).data["eab_policy"]).toBe(
        policy,
      );
    for (const policy of ["", "required", "always"])
      await refused(
        a,
        { eab_policy: policy },
        "invalid eab policy name provided, valid values are 'not-required', 'new-account-required', 'always-required'",
      );
  });
});

describe("other fields of config/acme", () => {
  it("B 5.3 max_ttl: accepts a duration, is returned in seconds in both dialects, and defaults to 90 days", async () => {
    const a = await configured();
    for (const compat of [false, true]) {
      for (const [sent, kept] of [
        ["72h", 72 * 3600],
        ["1h30m", 5400],
        [600, 600],
        ["600", 600],
        ["30d", 30 * 86_400],
        ["", 90 * 86_400],
        [0, 90 * 86_400],
      ] as const) {
        expect((await write(a, { max_ttl: sent }, compat)).data["max_ttl"]).toBe(kept);
        expect((await read(a, compat)).data["max_ttl"]).toBe(kept);
      }
    }
    for (const wrong of ["soon", -1, "-1h"]) await refused(a, { max_ttl: wrong }, /max_ttl/);
  });

  it("B 5.3 dns_resolver: accepts an IP address with a port, never a host name, and an empty text", async () => {
    const a = await configured();
    for (const sent of ["192.0.2.53:53", "127.0.0.1:5353", "[2001:db8::53]:53", ""])
      expect((await write(a, { dns_resolver: sent })).data["dns_resolver"]).toBe(sent);
    const failed = "failed to parse DNS resolver address:";
    for (const name of ["dns.test:53", "localhost:53", "[192.0.2.1]:53", "[::1%lo]:53"])
      await refused(
        a,
        { dns_resolver: name },
        `${failed} expected IPv4/IPv6 address, likely got hostname`,
      );
    for (const wrong of [
      "192.0.2.53",
      "192.0.2.53:",
      "192.0.2.53:0",
      "192.0.2.53:65536",
      "2001:db8::53",
    ])
      await refused(a, { dns_resolver: wrong }, `${failed} expected an address and a port`);
  });
});

describe("config/acme after changes to what it refers to", () => {
  it("B 5.3 enabled without a path: reads return a warning", async () => {
    const a = await configured();
    await write(a, { enabled: true });
    expect(await warningsOf(read(a, true))).toBe(null);
    // as a backup of another server may contain it
    const uuid = (await a.sys.readMount({ path: "pki" })).uuid;
    const store = a.stores(uuid);
    await store.commit({ put: [["config/cluster", { path: "", aia_path: "" }]], epoch: "next" });
    a.clock.advance(2);
    expect(await warningsOf(read(a, true))).toEqual([
      expect.stringMatching(/^ACME feature requires local cluster 'path'/),
    ]);
    expect((await write(a, { enabled: false })).status).toBe(200);
  });

  it("a deleted role or issuer and a role with no_store cause warnings, but do not prevent other changes", async () => {
    const a = await configured();
    await a.role("api");
    await write(a, {
      enabled: true,
      allowed_roles: ["web", "api"],
      allowed_issuers: ["root"],
      default_directory_policy: "role:web",
    });
    await a.pki.deleteRole({ name: "web" });
    await a.role("api", { no_store: true });
    await a.pki.patchIssuer({ issuer_ref: "root", issuer_name: "renamed" });
    a.clock.advance(2);
    const told = [
      "allowed_issuers: root is not an issuer",
      "the role web does not exist: ACME cannot use it",
      "the role api has no_store set, but ACME requires stored certificates: ACME cannot use it",
    ];
    expect(await warningsOf(read(a, true))).toEqual(told);
    const answer = await write(a, { max_ttl: "1h" }, true);
    expect([answer.status, answer.json["warnings"]]).toEqual([200, told]);
    expect((await write(a, { enabled: false })).status).toBe(200);
  });

  it("setting no_store on a role that ACME uses causes a warning", async () => {
    const a = await configured();
    await write(a, { default_directory_policy: "role:web" });
    const turn = (no_store: boolean) =>
      warningsOf(a.call("POST", "pki/roles/web", { key_type: "ec", no_store }, { compat: true }));
    expect(await turn(true)).toBe(null);
    expect(await turn(false)).toBe(null);
    await write(a, { enabled: true });
    const warnings = [expect.stringMatching(/^ACME is configured to use this role/)];
    expect(await turn(true)).toEqual(warnings);
    const header = { "content-type": "application/merge-patch+json" };
    const patched = a.call("PATCH", "pki/roles/web", { ttl: "1h" }, { compat: true, header });
    expect(await warningsOf(patched)).toEqual(warnings);
  });

  it("enabling ACME on a mount without a default issuer causes a warning", async () => {
    const a = authority({ publicUrl: "https://ca.test" });
    expect(await warningsOf(write(a, { enabled: true }, true))).toEqual([
      "no default issuer is configured: directories without an issuer in their path cannot issue",
    ]);
  });
});

describe("a deployment without public ACME", () => {
  const shut =
    "SERVICE_DISABLE_PUBLIC_ACME env var is enabled, ACME EAB policy needs to be 'always-required' with ACME enabled";

  it("B 5.3 SERVICE_DISABLE_PUBLIC_ACME: enabling ACME with another eab_policy is rejected, in one write or in two", async () => {
    const a = await configured({ acme: { requireEab: true } });
    for (const eab_policy of ["not-required", "new-account-required"])
      await refused(a, { enabled: true, eab_policy }, shut);
    await refused(a, { enabled: true }, shut);
    expect((await write(a, { eab_policy: "new-account-required" })).status).toBe(200);
    const right = { enabled: true, eab_policy: "always-required" };
    expect((await write(a, right)).data).toMatchObject(right);
    await refused(a, { eab_policy: "not-required" }, shut);
  });

  it("B 5.3 SERVICE_DISABLE_PUBLIC_ACME: a mount with ACME already enabled returns a warning, and can be corrected", async () => {
    const before = await configured();
    await write(before, { enabled: true });
    const after = authority({ stores: before.stores, acme: { requireEab: true } });
    expect(await warningsOf(read(after, true))).toEqual([
      `ACME responds as if it were disabled: ${shut}`,
    ]);
    expect((await write(after, { enabled: false })).status).toBe(200);
    expect((await write(after, { enabled: true, eab_policy: "always-required" })).status).toBe(200);
  });
});
