import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CaEvent } from "../../src/index.ts";
import { encodeDeviceName, readDeviceNames, type DeviceName } from "../../src/x509/device-name.ts";
import { sequence } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { keyOf, readCertificate, valueOf } from "../pki/reading.ts";
import { parseExposition } from "../support/exposition.ts";
import { hasOpenssl, makeKey, openssl } from "../x509/fixture.ts";
import {
  appleCertificate,
  appleObject,
  makerCa,
  pemOf,
  type AppleDevice,
  type MakerCa,
} from "./attestation.ts";
import {
  acmeAuthority,
  acmeClient,
  binding,
  clusterPath,
  type AcmeAuthority,
  type AcmeClient,
  type AcmeReply,
} from "./client.ts";
import { newKey } from "./key.ts";
import {
  certificateIdOf,
  chainIn,
  csrOf,
  finalize,
  issue,
  orderIn,
  type Identifier,
} from "./ordering.ts";

let root: MakerCa;
let sub: MakerCa;
let device: AppleDevice;
beforeAll(async () => {
  root = await makerCa("Maker Root");
  sub = await makerCa("Maker Sub CA", root);
  device = { serial: "C02XG0FDJG5J", udid: "00008103-001E2D", key: await makeKey("P-256") };
});

const types = ["http-01", "dns-01", "device-attest-01"];
let a: AcmeAuthority;
let client: AcmeClient;
const at = "roles/phones/acme";
const ofDevice = (value: string): Identifier => ({ type: "permanent-identifier", value });
/** Returns an authority whose role `phones` allows devices. */
async function withDevices(options: Parameters<typeof acmeAuthority>[0] = {}) {
  const made = await acmeAuthority({
    config: { challenge_types: types, attestation_apple_roots: pemOf(root.der) },
    ...options,
  });
  await made.role("phones", { allowed_device_identifiers: "permanent-identifier:*" });
  return made;
}
beforeEach(async () => {
  a = await withDevices();
  client = await a.registered({ at });
});

const order = async (identifiers: readonly Identifier[], by = client, more = {}) =>
  by.post(await by.url("newOrder"), { identifiers, ...more });
const told = ({ status, problem }: AcmeReply) => [status, problem];

/** Returns the only challenge of the first authorization of an order. */
async function challengeOf(made: AcmeReply, by = client) {
  if (made.status !== 201) throw new Error(made.text);
  const [url = ""] = orderIn(made).authorizations;
  const { json } = await by.post(url);
  const [challenge] = json["challenges"] as readonly {
    readonly type: string;
    readonly url: string;
    readonly token: string;
  }[];
  if (!challenge) throw new Error("no challenge");
  return challenge;
}
const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
/** Responds to the challenge of an order with the attestation of a device. */
async function attest(made: AcmeReply, { by = client, of = device, token = "" } = {}) {
  const challenge = await challengeOf(made, by);
  const leaf = await appleCertificate(sub, of, token || challenge.token);
  const attObj = base64Url(appleObject(leaf, sub.der));
  return by.post(challenge.url, { attObj });
}
/** Creates an order whose device has attested, and returns its URL. */
async function attested(identifiers = [ofDevice(device.serial)], by = client) {
  const made = await order(identifiers, by);
  const reply = await attest(made, { by });
  expect(reply.json["status"], reply.text).toBe("valid");
  return made.location;
}
const csr = (names: readonly DeviceName[] = [], more: Parameters<typeof csrOf>[0] = {}) =>
  csrOf({
    key: device.key,
    more: [
      names.length === 0
        ? undefined
        : {
            oid: extensionOid.subjectAltName,
            critical: false,
            value: sequence(...names.map(encodeDeviceName)),
          },
    ],
    ...more,
  });
async function certificateOf(done: AcmeReply, by = client) {
  if (done.status !== 200) throw new Error(done.text);
  const [leaf = ""] = chainIn(await by.post(orderIn(done).certificate));
  return { ...readCertificate(leaf), pem: leaf };
}
const devicesIn = (leaf: Parameters<typeof valueOf>[0]) =>
  readDeviceNames(valueOf(leaf, extensionOid.subjectAltName));

describe("a device with a valid attestation", () => {
  it("gets a certificate for its key with the device identifier as its only name", async () => {
    const location = await attested();
    const leaf = await certificateOf(await finalize(client, location, await csr()));
    expect(devicesIn(leaf)).toEqual([ofDevice(device.serial)]);
    expect([leaf.text.subject, leaf.critical.includes(extensionOid.subjectAltName)]).toEqual([
      "",
      true,
    ]);
    expect(Buffer.from(leaf.spki)).toEqual(Buffer.from(device.key.key.spki));
  });

  it.runIf(hasOpenssl)("gets a certificate whose permanent identifier openssl prints", async () => {
    const location = await attested();
    const { pem } = await certificateOf(await finalize(client, location, await csr()));
    expect(openssl(["x509", "-noout", "-text"], `${pem}\n`)).toMatch(
      /Subject Alternative Name: critical\s+othername:.*Permanent Identifier/i,
    );
  });

  it("may repeat its identifier in the CSR as a name, and as the common name, which is dropped", async () => {
    const name = { type: "permanent-identifier", value: device.serial } as const;
    const location = await attested();
    const sent = await csr([name], { cn: device.serial });
    const leaf = await certificateOf(await finalize(client, location, sent));
    expect([leaf.text.subject, devicesIn(leaf)]).toEqual(["", [name]]);
  });

  it("is offered only device-attest-01, with a token", async () => {
    const challenge = await challengeOf(await order([ofDevice("x")]));
    expect([challenge.type, challenge.token.length]).toEqual(["device-attest-01", 28]);
  });

  it("can also order DNS names, which have their own challenges", async () => {
    const made = await order([ofDevice(device.serial), { type: "dns", value: "a.test" }]);
    expect((await attest(made)).json["status"]).toBe("valid");
    expect(orderIn(await client.post(made.location)).status).toBe("pending");
  });

  it.each([
    [["common_name"], "CN=C02XG0FDJG5J", []],
    [["common_name", "serial_number", "san"], "CN=C02XG0FDJG5J,serialNumber=C02XG0FDJG5J", [0]],
    [["serial_number"], "serialNumber=C02XG0FDJG5J", []],
  ])("attestation_names %j determines where the device is named", async (places, subject, sans) => {
    await a.call("POST", "pki/config/acme", { attestation_names: places });
    const leaf = await certificateOf(await finalize(client, await attested(), await csr()));
    expect(leaf.text.subject.split(",").toSorted().join(",")).toBe(subject);
    expect(leaf.names === undefined ? [] : devicesIn(leaf).map(() => 0)).toEqual(sans);
  });

  it("attestation_names empty: the certificate hides the device, and has the subject of the role", async () => {
    await a.call("POST", "pki/config/acme", { attestation_names: [] });
    const location = await attested();
    const nameless = await finalize(client, location, await csr());
    expect([...told(nameless), nameless.detail]).toEqual([
      400,
      "badCSR",
      "refusing to sign CSR: the certificate would have no name: extend attestation_names, or set a subject in the role",
    ]);
    await a.role("phones", {
      allowed_device_identifiers: "permanent-identifier:*",
      organization: "Example",
    });
    const leaf = await certificateOf(await finalize(client, location, await csr()));
    expect([leaf.text.subject, leaf.names]).toEqual(["O=Example", undefined]);
  });

  it("attestation_names common_name: rejects an identifier that looks like a host name", async () => {
    await a.call("POST", "pki/config/acme", { attestation_names: ["common_name"] });
    const of = { ...device, serial: "bank.example" };
    const made = await order([ofDevice(of.serial)]);
    await attest(made, { of });
    const reply = await finalize(client, made.location, await csr());
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "badCSR",
      "refusing to sign CSR: the device identifier bank.example contains one of . : @ *, so it cannot be a common name",
    ]);
  });
});

describe("a failed device attestation", () => {
  it("makes challenge and order permanently invalid, with the reason", async () => {
    const made = await order([ofDevice(device.serial)]);
    const { url } = await challengeOf(made);
    const reply = await attest(made, { token: "another" });
    expect([reply.status, reply.json["status"], reply.json["error"]]).toEqual([
      200,
      "invalid",
      {
        type: "urn:ietf:params:acme:error:badAttestationStatement",
        detail: "the freshness code is not the SHA-256 of the challenge's token",
      },
    ]);
    expect(orderIn(await client.post(made.location)).status).toBe("invalid");
    const again = await client.post(url, { attObj: base64Url(appleObject(sub.der)) });
    expect([...told(again), again.detail]).toEqual([
      400,
      "malformed",
      "the authorization is invalid, no longer pending",
    ]);
    expect(told(await finalize(client, made.location, await csr()))).toEqual([
      403,
      "orderNotReady",
    ]);
  });

  it("raises an event and is counted, with the type of the challenge", async () => {
    const events: CaEvent[] = [];
    const b = await withDevices({
      events: (event) => void (event.type.includes(".acme.") && events.push(event)),
    });
    const by = await b.registered({ at });
    const made = await order([ofDevice(device.serial)], by);
    expect((await attest(made, { by, token: "another" })).json["status"]).toBe("invalid");
    expect(events).toMatchObject([
      {
        type: "sealwright.acme.challenge.failed",
        subject: device.serial,
        data: {
          order: made.location.slice(made.location.lastIndexOf("/") + 1),
          name: device.serial,
          challenge: "device-attest-01",
          problem: { type: "badAttestationStatement" },
        },
      },
    ]);
    const { text } = await b.call("GET", "sys/metrics?format=prometheus");
    expect(parseExposition(text).get("sealwright_acme_challenges_total")).toEqual(
      new Map([["mount=pki,type=device-attest-01,result=invalid", 1]]),
    );
  });

  it.each([
    [{}],
    [{ attObj: "" }],
    [{ attObj: 1 }],
    [{ attObj: "not base64url!" }],
    [{ attestation: "AA" }],
  ])(
    "a payload %j without an attestation is malformed, and leaves the challenge pending",
    async (payload) => {
      const made = await order([ofDevice(device.serial)]);
      const { url } = await challengeOf(made);
      const reply = await client.post(url, payload);
      expect([...told(reply), reply.detail]).toEqual([
        400,
        "malformed",
        "attObj must be the attestation object as base64url-encoded CBOR",
      ]);
      expect((await client.post(url)).json["status"]).toBe("pending");
    },
  );

  it("an attestation for one order does not prove another one", async () => {
    const [one, other] = [
      await order([ofDevice(device.serial)]),
      await order([ofDevice(device.serial)]),
    ];
    const { token } = await challengeOf(one);
    expect((await attest(other, { token })).json["status"]).toBe("invalid");
    expect((await attest(one)).json["status"]).toBe("valid");
  });

  it("another account cannot respond, even with a genuine attestation", async () => {
    const made = await order([ofDevice(device.serial)]);
    const { url, token } = await challengeOf(made);
    const other = await a.registered({ at });
    const leaf = await appleCertificate(sub, device, token);
    const attObj = base64Url(appleObject(leaf, sub.der));
    expect(told(await other.post(url, { attObj }))).toEqual([400, "malformed"]);
    expect((await client.post(url)).json["status"]).toBe("pending");
  });
});

describe("finalizing an order for a device", () => {
  it("rejects a CSR with a key other than the attested one", async () => {
    const location = await attested();
    const reply = await finalize(client, location, await csr([], { key: await keyOf("P-256") }));
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "badCSR",
      "the key of the CSR is not the key that was attested for C02XG0FDJG5J",
    ]);
    expect((await finalize(client, location, await csr())).status).toBe(200);
  });

  it("requires that every device of an order attested the key of the CSR", async () => {
    const other = { serial: "OTHER", udid: "0", key: await makeKey("P-256") };
    const made = await order([ofDevice(device.serial), ofDevice(other.serial)]);
    const [first = "", second = ""] = orderIn(made).authorizations;
    for (const [url, of] of [
      [first, device],
      [second, other],
    ] as const)
      await attest({ ...made, json: { ...made.json, authorizations: [url] } }, { of });
    expect(orderIn(await client.post(made.location)).status).toBe("ready");
    for (const { key } of [device, other])
      expect(told(await finalize(client, made.location, await csr([], { key })))).toEqual([
        400,
        "badCSR",
      ]);
  });

  it.each<[string, DeviceName]>([
    ["another device", { type: "permanent-identifier", value: "OTHER" }],
    ["an assigner", { type: "permanent-identifier", value: "C02XG0FDJG5J/1.2.3" }],
    ["a hardware module", { type: "hardware-module", value: "C02XG0FDJG5J/1.2.3" }],
  ])("rejects a CSR that requests %s", async (_, name) => {
    const reply = await finalize(client, await attested(), await csr([name]));
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "badCSR",
      `the CSR requests a device name that is not in the order: ${name.value}`,
    ]);
  });

  it.each([["a.test"], ["c02xg0fdjg5j"]])(
    "rejects a CSR with the common name %s, which is not an identifier of the order",
    async (cn) => {
      const reply = await finalize(client, await attested(), await csr([], { cn }));
      expect(told(reply)).toEqual([400, "badCSR"]);
    },
  );

  it("rejects a device that the role no longer allows", async () => {
    const location = await attested();
    await a.role("phones", { allowed_device_identifiers: "permanent-identifier:X*" });
    const reply = await finalize(client, location, await csr());
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "badCSR",
      "refusing to sign CSR: the role does not allow the permanent-identifier C02XG0FDJG5J: no entry in allowed_device_identifiers matches it",
    ]);
  });

  it("rejects a device that attestation_devices no longer matches, by any of its identifiers", async () => {
    const location = await attested();
    const allow = (attestation_devices: readonly string[]) =>
      a.call("POST", "pki/config/acme", { attestation_devices });
    await allow(["C03*"]);
    const reply = await finalize(client, location, await csr());
    expect([...told(reply), reply.detail]).toEqual([
      403,
      "unauthorized",
      "the device C02XG0FDJG5J is no longer in attestation_devices of config/acme",
    ]);
    await allow(["00008103-*"]);
    expect((await finalize(client, location, await csr())).status).toBe(200);
  });

  it("rejects devices if the directory has been switched to an external policy", async () => {
    a = await withDevices({ externalPolicy: () => Promise.reject(new Error("asked")) });
    await a.call("POST", "pki/config/acme", { default_directory_policy: "role:phones" });
    const by = await a.registered();
    const location = await attested([ofDevice(device.serial)], by);
    await a.call("POST", "pki/config/external-policy", { enabled: true });
    await a.call("POST", "pki/config/acme", { default_directory_policy: "external-policy" });
    const reply = await finalize(by, location, await csr());
    expect([reply.problem, reply.detail]).toEqual([
      "badCSR",
      "an external policy decides in this directory, and external policies cannot certify devices",
    ]);
  });
});

describe("devices that may order", () => {
  it("are none by default: the identifier types are unsupported", async () => {
    const plain = await acmeAuthority();
    await plain.role("phones", { allowed_device_identifiers: "permanent-identifier:*" });
    const by = await plain.registered({ at });
    const reply = await order([ofDevice("x")], by);
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "unsupportedIdentifier",
      "the identifier type permanent-identifier is not supported: use dns or ip",
    ]);
  });

  it.each([
    ["a role that allows any other name", "roles/any/acme"],
    ["the default directory, which allows any name", "acme"],
  ])("are none in %s", async (_, directory) => {
    await a.role("any", { allow_any_name: true, allowed_other_sans: "*", allowed_uri_sans: "*" });
    const by = await a.registered({ at: directory });
    const reply = await order([ofDevice("x")], by);
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "rejectedIdentifier",
      "the role does not allow the permanent-identifier x: no entry in allowed_device_identifiers matches it",
    ]);
  });

  it.each([
    ["permanent-identifier:C02*", "permanent-identifier", "C02X", true],
    ["permanent-identifier:C02*", "permanent-identifier", "c02x", false],
    ["permanent-identifier:*", "hardware-module", "1/1.2.3", false],
    ["hardware-module:*/1.2.3", "hardware-module", "1/1.2.3", true],
    ["hardware-module:*/1.2.3", "hardware-module", "1/1.2.4", false],
    ["Hardware-Module: 1/1.2.3", "hardware-module", "1/1.2.3", true],
  ])(
    "are determined by the role: %s allows the %s %s: %j",
    async (allowed_device_identifiers, type, value, allowed) => {
      await a.role("phones", { allowed_device_identifiers });
      const reply = await order([{ type, value }]);
      expect([reply.status, reply.problem]).toEqual(
        allowed ? [201, ""] : [400, "rejectedIdentifier"],
      );
    },
  );

  it.each([
    ["permanent-identifier", ""],
    ["permanent-identifier", "/1.2.3"],
    ["permanent-identifier", "a/b"],
    ["permanent-identifier", "a/1.2.3/4"],
    ["permanent-identifier", "a/1.40.1"],
    ["permanent-identifier", "a/1.2.03"],
    ["permanent-identifier", "a/"],
    ["permanent-identifier", "a\ud800"],
    ["permanent-identifier", "a".repeat(513)],
    ["hardware-module", "a"],
    ["hardware-module", "/1.2.3"],
    ["hardware-module", "a/3.1"],
  ])("do not include %s %j, which is malformed", async (type, value) => {
    await a.role("phones", {
      allowed_device_identifiers: ["permanent-identifier:*", "hardware-module:*"],
    });
    const reply = await order([{ type, value }]);
    expect([...told(reply), reply.detail]).toEqual([
      400,
      "malformed",
      expect.stringContaining(` is not a ${type}: expected `),
    ]);
  });

  it("do not include one with a control character in its identifier", async () => {
    expect(told(await order([ofDevice("a\nb")]))).toEqual([400, "rejectedIdentifier"]);
  });

  it.each([["permanent-identifier"], ["serial:x"], ["permanent-identifier:"], ["*"]])(
    "a role with the entry %j in allowed_device_identifiers is rejected",
    async (entry) => {
      const reply = await a.call("POST", "pki/roles/bad", { allowed_device_identifiers: [entry] });
      expect(JSON.stringify(reply.json)).toContain(
        `allowed_device_identifiers: expected permanent-identifier:<value> or hardware-module:<value>, got ${entry}`,
      );
    },
  );
});

describe("external account bindings and devices", () => {
  /** Returns a client whose account has a binding with limits. */
  async function bound(limits: Readonly<Record<string, unknown>>): Promise<AcmeClient> {
    const eab = await a.call("POST", `pki/${at.replace("/acme", "")}/acme/new-eab`, limits);
    const { id = "", key = "" } = (eab.json as { data: Record<string, string> }).data;
    const by = acmeClient({
      fetch: (request) => a.ca.fetch(request),
      directory: `${clusterPath}/${at}/directory`,
      key: newKey(),
    });
    const url = await by.url("newAccount");
    const made = await by.register({
      externalAccountBinding: binding(by.key, { kid: id, mac: key, url }),
    });
    expect(made.status, made.text).toBe(201);
    return by;
  }
  const denied = [
    400,
    "rejectedIdentifier",
    "the external account binding of the account does not allow C02XG0FDJG5J",
  ];

  it.each([
    [{ max_uses: 2 }],
    [{ allowed_identifiers: ["*"] }],
    [{ allowed_identifiers: ["*", "0.0.0.0/0", "permanent-identifier:X*"] }],
    [{ allowed_identifiers: ["hardware-module:*"] }],
  ])("a binding with the limits %j does not allow the device", async (limits) => {
    const by = await bound(limits);
    const reply = await order([ofDevice(device.serial)], by);
    expect([...told(reply), reply.detail]).toEqual(denied);
  });

  it("a binding that names the device allows it, but preauthorized does not replace its attestation", async () => {
    const by = await bound({
      allowed_identifiers: ["Permanent-Identifier:C02*", "*.test"],
      preauthorized: true,
    });
    const made = await order([ofDevice(device.serial), { type: "dns", value: "a.test" }], by);
    expect(orderIn(made).status).toBe("pending");
    const states = await Promise.all(
      orderIn(made).authorizations.map(async (url) => (await by.post(url)).json["status"]),
    );
    expect(states.toSorted()).toEqual(["pending", "valid"]);
    const other = await order([ofDevice("X")], by);
    expect(told(other)).toEqual([400, "rejectedIdentifier"]);
  });

  it("a binding can be tightened to fewer devices, which applies to a ready order too", async () => {
    const by = await bound({ allowed_identifiers: ["permanent-identifier:C0*"] });
    const location = await attested([ofDevice(device.serial)], by);
    const list = await a.call("LIST", "pki/eab");
    const [id = ""] = (list.json as { data: { keys: string[] } }).data.keys;
    const wider = await a.call("POST", `pki/eab/${id}`, {
      allowed_identifiers: ["permanent-identifier:*"],
    });
    expect(JSON.stringify(wider.json)).toContain("permanent-identifier:* is new");
    await a.call("POST", `pki/eab/${id}`, { allowed_identifiers: ["permanent-identifier:C01*"] });
    await a.call("POST", `pki/eab/${id}`, { allowed_identifiers: ["permanent-identifier:C03*"] });
    const tightened = await a.call("POST", `pki/eab/${id}`, {
      allowed_identifiers: ["permanent-identifier:C01*"],
    });
    expect(JSON.stringify(tightened.json)).not.toContain("errors");
    expect(told(await finalize(by, location, await csr()))).toEqual([403, "unauthorized"]);
  });
});

describe("certificates of devices", () => {
  it("may be replaced by an order for the same device only", async () => {
    const leaf = await certificateOf(await finalize(client, await attested(), await csr()));
    const replaces = certificateIdOf(leaf);
    const other = await order([ofDevice("OTHER")], client, { replaces });
    expect([...told(other), other.detail]).toEqual([
      400,
      "malformed",
      "replaces: the certificate has no name in common with the order",
    ]);
    expect((await order([ofDevice(device.serial)], client, { replaces })).status).toBe(201);
  });

  it("do not authorize a device named like a host to revoke certificates of that host", async () => {
    const of = { ...device, serial: "a.test" };
    const owner = await a.registered({ at });
    const { chain } = await issue(a, owner, ["a.test"]);
    const made = await order([ofDevice("a.test")]);
    expect((await attest(made, { of })).json["status"]).toBe("valid");
    const certificate = Buffer.from(readCertificate(chain[0]).der).toString("base64url");
    const reply = await client.post(await client.url("revokeCert"), { certificate });
    expect(told(reply)).toEqual([403, "unauthorized"]);
  });

  it("cannot be revoked by another account with an attestation of the same device", async () => {
    const leaf = await certificateOf(await finalize(client, await attested(), await csr()));
    const other = await a.registered({ at });
    await attested([ofDevice(device.serial)], other);
    const certificate = Buffer.from(leaf.der).toString("base64url");
    const url = await other.url("revokeCert");
    expect(told(await other.post(url, { certificate }))).toEqual([403, "unauthorized"]);
    expect((await client.post(url, { certificate })).status).toBe(200);
  });

  it("are found by a search for the name of the device", async () => {
    await certificateOf(await finalize(client, await attested(), await csr()));
    const count = async (san: string) => {
      const { data } = await a.call("GET", `pki/certs/search?san=${san}`);
      return (data["keys"] as readonly string[]).length;
    };
    expect([await count("xg0fdjg5j"), await count("xg0fdjg5k")]).toEqual([1, 0]);
  });
});

describe("the device attestation settings of config/acme", () => {
  const write = async (fields: Readonly<Record<string, unknown>>) => {
    const { json } = await a.call("POST", "pki/config/acme", fields);
    return JSON.stringify(json);
  };

  it.each([
    [
      { attestation_apple_roots: "" },
      "device-attest-01 requires attestation_apple_roots or attestation_tpm_roots",
    ],
    [{ attestation_apple_roots: "x" }, "attestation_apple_roots: expected "],
    [
      { attestation_apple_roots: encodePem("CERTIFICATE", Uint8Array.of(0x30, 0)) },
      "attestation_apple_roots: certificate",
    ],
    [{ attestation_names: ["san", "dns"] }, "attestation_names: expected some of san, common_name"],
    [
      { attestation_devices: Array.from({ length: 1001 }, () => "x") },
      "attestation_devices has 1001 entries",
    ],
  ])("reject %j", async (fields, why) => {
    expect(await write(fields)).toContain(why);
  });

  it("reject a root that is not a CA certificate", async () => {
    const leaf = await appleCertificate(sub, device, "token");
    expect(await write({ attestation_apple_roots: pemOf(root.der, leaf) })).toContain(
      "attestation_apple_roots: block 2 is not a CA certificate",
    );
  });

  it("require a root when device-attest-01 is enabled", async () => {
    const plain = await acmeAuthority();
    const { json } = await plain.call("POST", "pki/config/acme", { challenge_types: types });
    expect(JSON.stringify(json)).toContain(
      "device-attest-01 requires attestation_apple_roots or attestation_tpm_roots",
    );
  });
});
