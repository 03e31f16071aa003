import { expect, it } from "vitest";
import { acmeSettingsOf, type AcmeEnv } from "../../src/host/acme-settings.ts";

const read = (env: AcmeEnv) => acmeSettingsOf(env, (text) => new RangeError(text));

it("ACME settings default to public addresses only and a limit of 50 new accounts", () => {
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

it("ACME settings are read from the environment", () => {
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

it("ACME_ACCOUNT_LIMIT=public applies the default limit, from which loopback and private addresses are exempt", () => {
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
  "%s counts as true whenever it is set, unless its value is a form of false (B 5.3)",
  (name) => {
    for (const value of ["1", "t", "T", "TRUE", "true", "True", "yes", "no", "", " false", "fAlse"])
      expect([value, read({ [name]: value }).requireEab]).toEqual([value, true]);
    for (const value of ["0", "f", "F", "FALSE", "false", "False"])
      expect([value, read({ [name]: value }).requireEab]).toEqual([value, false]);
  },
);

it("public ACME is disabled if either of the two variables is true", () => {
  const env = { SERVICE_DISABLE_PUBLIC_ACME: "false", VAULT_DISABLE_PUBLIC_ACME: "true" };
  expect(read(env).requireEab).toBe(true);
});
