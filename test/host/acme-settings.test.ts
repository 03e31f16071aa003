import { expect, it } from "vitest";
import { acmeSettingsOf, type AcmeEnv } from "../../src/host/acme-settings.ts";

const read = (env: AcmeEnv) => acmeSettingsOf(env, (text) => new RangeError(text));

it("a deployment that says nothing of ACME asks public addresses only and limits new accounts to 50", () => {
  expect(read({})).toEqual({
    requireEab: false,
    accountLimit: 50,
    connections: 4,
    privateNetworks: false,
  });
  const empty = {
    ACME_HTTP_PORT: "",
    ACME_TLS_PORT: "",
    ACME_PRIVATE_NETWORKS: "",
    ACME_ACCOUNT_LIMIT: "",
    ACME_CONNECTIONS: "",
  };
  expect(read(empty)).toEqual(read({}));
});

it("ACME settings take ports, private networks and a limit from the environment", () => {
  expect(
    read({
      ACME_HTTP_PORT: "5002",
      ACME_TLS_PORT: "65535",
      ACME_PRIVATE_NETWORKS: "true",
      ACME_ACCOUNT_LIMIT: "0",
      ACME_CONNECTIONS: "50",
    }),
  ).toEqual({
    requireEab: false,
    accountLimit: 0,
    connections: 50,
    privateNetworks: true,
    httpPort: 5002,
    tlsPort: 65_535,
  });
  expect(read({ ACME_PRIVATE_NETWORKS: "false" }).privateNetworks).toBe(false);
});

it("ACME_ACCOUNT_LIMIT public is the usual limit, which loopback and private addresses do not have", () => {
  expect(read({ ACME_ACCOUNT_LIMIT: "public" })).toMatchObject({
    accountLimit: 50,
    limitPrivate: false,
  });
});

it.each<[keyof AcmeEnv, readonly string[]]>([
  ["ACME_HTTP_PORT", ["0", "65536", "http", "80a", "-1", "1e3", "080"]],
  ["ACME_TLS_PORT", ["0", "65536"]],
  ["ACME_ACCOUNT_LIMIT", ["-1", "1.5", "many"]],
  ["ACME_CONNECTIONS", ["0", "1", "2.5", "many"]],
])("an invalid %s is reported", (name, values) => {
  for (const value of values)
    expect(() => read({ [name]: value }), value).toThrow(new RegExp(`^${name} must be `));
});

it.each(["SERVICE_DISABLE_PUBLIC_ACME", "VAULT_DISABLE_PUBLIC_ACME"] as const)(
  "%s is true wherever it is present, unless it says false (B 5.3)",
  (name) => {
    for (const value of ["1", "t", "T", "TRUE", "true", "True", "yes", "no", "", " false", "fAlse"])
      expect([value, read({ [name]: value }).requireEab]).toEqual([value, true]);
    for (const value of ["0", "f", "F", "FALSE", "false", "False"])
      expect([value, read({ [name]: value }).requireEab]).toEqual([value, false]);
  },
);

it("one of the two names is enough", () => {
  const env = { SERVICE_DISABLE_PUBLIC_ACME: "false", VAULT_DISABLE_PUBLIC_ACME: "true" };
  expect(read(env).requireEab).toBe(true);
});
