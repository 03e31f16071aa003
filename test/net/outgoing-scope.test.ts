import { expect, it } from "vitest";
import { outgoingScope } from "../../src/net/outgoing-scope.ts";
import { authority } from "../support/authority.ts";

const root = new Uint8Array([0x30, 0]);

it.each([
  [undefined, [], "public"],
  [false, [], "public"],
  ["true", [], "public"],
  [true, [], "private"],
  [false, [root], "private"],
] as const)("a connection with privateNetworks %j and the roots %j is %s", (set, roots, scope) => {
  expect(outgoingScope({ features: { privateNetworks: set } }, roots)).toBe(scope);
});

it.each([
  [{ privateNetworks: true }, true],
  [{ privateNetworks: false }, false],
  [undefined, false],
])(
  "with the ACME settings %j, services outside ACME may have private addresses: %s",
  async (acme, allowed) => {
    const a = authority(acme ? { acme } : {});
    expect((await a.pki.readExternalPolicy()).allow_private_network).toBe(allowed);
    const path = "sys/managed-keys/https/one";
    const url = "https://kms.test/";
    await a.call("POST", path, { name: "one", url, token: "t" });
    expect((await a.call("GET", path)).data["allow_private_network"]).toBe(allowed);
  },
);
