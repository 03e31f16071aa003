import { expect, it } from "vitest";
import { barePrefix, directoryName, prefixOf } from "../../../../demo/routes/acme/directories.ts";
import { acmeFields, wrongAcme } from "../../../../demo/routes/acme/fields.ts";
import { snippets } from "../../../../demo/routes/acme/client-commands.ts";
import type { Order } from "../../../../demo/routes/acme/calls.ts";
import { namesOf, reasonsOf, stateOf } from "../../../../demo/routes/acme/order-status.ts";
import { changedSettings, refusedSetting, settingsOf } from "../../../../demo/lib/settings.ts";
import { authority } from "../../../support/authority.ts";

const fields = acmeFields(["web"], "sign-verbatim");

it.each([
  [{ role: "", issuer: "" }, "acme", "default directory"],
  [{ role: "web", issuer: "" }, "roles/web/acme", "role web"],
  [{ role: "", issuer: "x" }, "issuer/x/acme", "issuer x"],
  [{ role: "web", issuer: "x" }, "issuer/x/roles/web/acme", "role web, issuer x"],
])("the ACME directory of %j has the right path and name", (of, prefix, name) => {
  expect(prefixOf(of)).toBe(prefix);
  for (const told of [prefix, `${prefix}/`, `${prefix}/directory`]) {
    expect(barePrefix(told)).toBe(prefix);
    expect(directoryName(told)).toBe(name);
  }
});

it("the ACME form has every setting of the server except the switch, and sends lists as lists", async () => {
  const { enabled, ...config } = await authority().pki.readAcmeConfig({});
  expect(enabled).toBe(false);
  const held = settingsOf(config, fields);
  expect(Object.keys(held).toSorted()).toEqual(Object.keys(config).toSorted());
  const typed = { ...held, allowed_roles: "web\nother, third", max_ttl: "30d" };
  expect(changedSettings(held, typed, fields)).toEqual({
    allowed_roles: ["web", "other", "third"],
    max_ttl: 2_592_000,
  });
});

it.each([
  [{}, []],
  [{ allowed_roles: "" }, ["allowed_roles"]],
  [{ allowed_issuers: "* x" }, ["allowed_issuers"]],
  [{ challenge_permitted_ip_ranges: "10.0.0.0/8\nfd00::/8" }, []],
  [{ challenge_excluded_ip_ranges: "10.0.0.1" }, ["challenge_excluded_ip_ranges"]],
  [{ dns_resolver: "dns.example:53" }, ["dns_resolver"]],
  [{ dns_resolver: "192.0.2.53:53" }, []],
  [{ default_directory_policy: "role:web", allowed_roles: "other" }, ["default_directory_policy"]],
  [{ max_ttl: "0" }, ["max_ttl"]],
])("settings %j are rejected at %j before they are sent", async (typed, wrong) => {
  const held = settingsOf(await authority().pki.readAcmeConfig({}), fields);
  expect(Object.keys(wrongAcme({ ...held, ...typed }, fields))).toEqual(wrong);
});

it.each([
  [{ allowed_roles: ["none"] }, "allowed_roles"],
  [{ allowed_issuers: [] }, "allowed_issuers"],
  [{ allowed_issuers: ["none"] }, "allowed_issuers"],
  [{ dns_resolver: "dns.example:53" }, "dns_resolver"],
  [{ default_directory_policy: "role:none" }, "default_directory_policy"],
  [{ eab_policy: "sometimes" }, "eab_policy"],
  [{ challenge_permitted_ip_ranges: ["10.0.0.1"] }, "challenge_permitted_ip_ranges"],
])("the server's error about %j is shown at the field %s", async (sent, name) => {
  const said = await authority()
    .pki.writeAcmeConfig(sent)
    .then(
      () => "",
      (error: unknown) => String(error instanceof Error ? error.message : error),
    );
  expect(said).not.toBe("");
  expect(refusedSetting(said, fields)).toBe(name);
});

const directory = "https://ca.example.com/v1/pki/roles/web/acme/directory";
const text = (client: string, eab = "", name = "www.example.com"): string =>
  snippets.find((one) => one.client === client)?.text({ directory, name, eab }) ?? "";

it("every client snippet contains the directory URL, and the ID of a binding key, but never the key itself", () => {
  for (const { client } of snippets) {
    expect(text(client)).toContain(directory);
    expect(text(client)).not.toMatch(/eab|hmac/i);
    expect(text(client, "7f3c")).toContain("7f3c");
  }
  expect(text("lego 5", "7f3c")).toBe(
    `lego run --server ${directory} \\
  --eab --eab.kid 7f3c --eab.hmac "$EAB_HMAC_KEY" \\
  --accept-tos --email you@example.com \\
  --http --domains www.example.com`,
  );
  expect(text("certbot", "7f3c")).toBe(
    `certbot certonly --standalone \\
  --server ${directory} \\
  --eab-kid 7f3c --eab-hmac-key "$EAB_HMAC_KEY" \\
  --agree-tos --register-unsafely-without-email \\
  -d www.example.com`,
  );
});

it("a name with a special meaning for a shell or a file is quoted", () => {
  expect(text("lego 4", "", "a$(id).test")).toContain("'a$(id).test'");
  expect(text("certbot", "", "*.example.com")).toContain("'*.example.com'");
  expect(text("Caddy", "", "a { b")).toContain('"a { b" {');
});

const order: Order = {
  order_id: "o",
  account_id: "a",
  directory: "acme",
  status: "pending",
  identifiers: ["one.test", "two.test"],
  created_time: "2026-11-22T10:00:00Z",
  expires: "2026-11-23T10:00:00Z",
  cert_serial_number: "",
  authorizations: [
    {
      identifier: "one.test",
      status: "pending",
      challenges: [
        {
          type: "http-01",
          status: "processing",
          attempts: 2,
          error: { type: "connection", detail: "10.20.4.11:80 refused the connection\u202e" },
        },
        { type: "dns-01", status: "pending", attempts: 0 },
      ],
    },
  ],
};

it("an order shows why it is pending, with bidirectional controls as escapes", () => {
  expect(stateOf(order)).toMatchObject({
    text: "validation failed and is being retried",
    tone: "warn",
  });
  expect(stateOf({ ...order, authorizations: [] })).toMatchObject({
    text: "waiting for validation",
    tone: "info",
  });
  expect(namesOf(order.identifiers)).toBe("one.test and 1 more");
  expect(reasonsOf(order)).toEqual([
    {
      of: "one.test, http-01, tried twice",
      type: "connection",
      detail: "10.20.4.11:80 refused the connection‹U+202E›",
    },
  ]);
});
