import { describe, expect, it } from "vitest";
import { callerOf, describeEvent, groupEvents } from "../../../../demo/routes/system/event-text.ts";

const event = (endpoint: string, path: string, fields = {}, more = {}) => ({
  id: "",
  kind: "change",
  log: "change",
  time: 0,
  request: "",
  endpoint,
  method: "POST",
  mount: "pki",
  path,
  number: 1,
  store: "",
  fields,
  ...more,
});
const text = (...of: Parameters<typeof event>): string =>
  describeEvent(event(...of))
    .map((words) => (typeof words === "string" ? words : `[${words.kind} ${words.id}]`))
    .join("");

describe("describeEvent", () => {
  it.each([
    [
      "issue",
      "/issue/:role",
      { role: "web", serial: "4f61" },
      "issued [certificate 4f61] with role [role web]",
    ],
    ["revoke", "/revoke", { serial_number: "4f:61" }, "revoked [certificate 4f61]"],
    [
      "acmeFinalize",
      "/acme/order/:order_id/finalize",
      { serial: "4f61" },
      "obtained [certificate 4f61] with ACME",
    ],
    ["writeRole", "/roles/:name", { name: "web" }, "saved role [role web]"],
    ["patchIssuer", "/issuer/:issuer_ref", { issuer_ref: "a" }, "changed issuer [issuer a]"],
    ["writePolicy", "/policies/acl/:name", { name: "ops" }, "saved policy [other ops]"],
    ["writeCrlConfig", "/config/crl", {}, "saved CRL config"],
    ["rotateDeltaCrl", "/crl/rotate-delta", {}, "rotated delta CRL"],
    ["listAcmeOrders", "/acme/mgmt/orders", {}, "listed ACME orders"],
    ["loginUser", "/login/:username", { username: "ann" }, "signed in"],
    [
      "acmeNewAccount",
      "/roles/:role/acme/new-account",
      { role: "web" },
      "created an ACME account with role [role web]",
    ],
    ["fillUrls", "/config/urls/defaults", {}, "filled in the URLs in certificates"],
    ["renewSelf", "/renew-self", {}, "renewed its token"],
    [
      "signIntermediate",
      "/issuer/:issuer_ref/sign-intermediate",
      { issuer_ref: "a" },
      "signed an intermediate CA with [issuer a]",
    ],
    [
      "resignCrls",
      "/issuer/:issuer_ref/resign-crls",
      { issuer_ref: "a" },
      "re-signed CRLs [issuer a]",
    ],
    ["backUp", "/storage/raft/snapshot", {}, "backed up"],
  ])("describes %s of %s in words", (endpoint, path, fields, words) => {
    expect(text(endpoint, path, fields)).toBe(words);
  });

  it("describes a refused request by what the caller tried", () => {
    const refused = { refusal: "forbidden" };
    expect(text("issue", "/issue/:role", { role: "web" }, refused)).toBe(
      "tried to issue a certificate with role [role web]",
    );
    expect(text("readIssuer", "/issuer/:issuer_ref", {}, refused)).toBe("tried to read issuer");
    expect(text("loginUser", "/login/:username", { username: "ann" }, refused)).toBe(
      "tried to sign in as [other ann]",
    );
  });
});

it("the caller of an event is shown without its accessor, and an ACME account with the start of its ID", () => {
  expect(callerOf({ caller: "userpass-ann x7Y", accessor: "x7Y" })).toBe("userpass-ann");
  expect(callerOf({ caller: "root" })).toBe("root");
  expect(callerOf({ caller: "acme account c9d24049-7558-49b7" })).toBe("ACME account c9d24049…");
  expect(callerOf({})).toBe("An anonymous caller");
});

it("the caller of a sign-in is the user, unless it was refused", () => {
  const signIn = { endpoint: "loginUser", fields: { username: "ann" } };
  expect(callerOf(signIn)).toBe("ann");
  expect(callerOf({ endpoint: "loginAppRole" })).toBe("A client");
  expect(callerOf({ ...signIn, refusal: "bad_credentials" })).toBe("An anonymous caller");
});

describe("groupEvents", () => {
  it("joins consecutive equal refusals and adds those that were only counted", () => {
    const refused = (caller: string, time: number, more = {}) =>
      event("readIssuer", "", {}, { refusal: "forbidden", caller, time, ...more });
    const change = event("writeRole", "", {}, { caller: "ann" });
    const groups = groupEvents([
      refused("ann", 9, { more: 30 }),
      refused("ann", 8),
      refused("bob", 7),
      change,
      change,
      refused("ann", 5),
    ]);
    expect(groups.map(({ count, oldest }) => [count, oldest.time])).toEqual([
      [32, 8],
      [1, 7],
      [1, 0],
      [1, 0],
      [1, 5],
    ]);
  });
});
