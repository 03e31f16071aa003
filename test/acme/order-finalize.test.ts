import { beforeEach, describe, expect, it } from "vitest";
import { createPublicKey } from "node:crypto";
import { checkCsr, readCsr } from "../../src/acme/order/csr.ts";
import { fromBase64Url, toBase64Url } from "../../src/base/bytes.ts";
import { CaError } from "../../src/base/errors.ts";
import { derOf, keyOf, rdn, readCertificate, request, sanOf, verified } from "../pki/reading.ts";
import { basicConstraints, keyUsage, type Extension } from "../x509/extensions.ts";
import { makeKey } from "../x509/fixture.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient } from "./client.ts";
import {
  chainIn,
  csrOf,
  finalize,
  issue,
  newOrder,
  orderIn,
  prove,
  readyOrder,
  setAuthorization,
} from "./ordering.ts";
import { primeKey } from "../x509/prime-key.ts";

let a: AcmeAuthority;
let client: AcmeClient;
beforeEach(async () => {
  a = await acmeAuthority();
  client = await a.registered();
});
const status = async (order: string) => orderIn(await client.post(order)).status;
const told = ({ status, problem }: Awaited<ReturnType<typeof finalize>>) => [status, problem];

describe("an order object (B 5.9)", () => {
  it("B 5.9 order status, B 5.9 authorizations listed: is pending, ready or valid; an invalid order lists only its valid authorizations", async () => {
    const names = ["a.test", "b.test"];
    const made = await newOrder(client, names);
    const [one = "", two = ""] = orderIn(made).authorizations;
    await prove(a, [one]);
    expect(await status(made.location)).toBe("pending");
    await setAuthorization(a, two, (row) => ({ ...row, status: "invalid" }));
    const failed = orderIn(await client.post(made.location));
    expect([failed.status, failed.authorizations]).toEqual(["invalid", [one]]);
    const ready = await readyOrder(a, client, names);
    expect(await status(ready)).toBe("ready");
    await finalize(client, ready, { names });
    const done = orderIn(await client.post(ready));
    expect([done.status, done.authorizations.length]).toEqual(["valid", 2]);
  });

  it("security row 31: is invalid after its expiry, when finalize returns malformed (B 5.9 finalize expired)", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    a.clock.advance(86_399);
    client = await again(client);
    expect(await status(order)).toBe("ready");
    a.clock.advance(1);
    expect(await status(order)).toBe("invalid");
    expect(told(await finalize(client, order, { names: ["a.test"] }))).toEqual([400, "malformed"]);
  });

  it("security row 31: is invalid once an authorization has expired (RFC 8555 section 7.1.6)", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const [url = ""] = orderIn(await client.post(order)).authorizations;
    await setAuthorization(a, url, (row) => ({ ...row, expires: a.clock.now / 1000 }));
    expect(await status(order)).toBe("invalid");
    expect(told(await finalize(client, order, { names: ["a.test"] }))).toEqual([
      403,
      "orderNotReady",
    ]);
  });

  it("B 5.9 foreign order, security row 27: is malformed for another account or directory, like a missing order", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const [authorization = ""] = orderIn(await client.post(order)).authorizations;
    await a.role("web");
    const other = await a.registered();
    const elsewhere = await a.registered({ at: "roles/web/acme" });
    const own = order.replace("/pki/acme/", "/pki/roles/web/acme/");
    for (const [who, url] of [
      [other, order],
      [other, `${order}/finalize`],
      [other, `${order}/cert`],
      [other, authorization],
      [elsewhere, own],
      [elsewhere, `${own}/cert`],
      [other, order.replace(/[^/]+$/, "nothing")],
    ] as const) {
      const payload = url.endsWith("finalize")
        ? { csr: await csrOf({ names: ["a.test"] }) }
        : undefined;
      expect(told(await who.post(url, payload))).toEqual([400, "malformed"]);
    }
    expect(told(await other.post(authorization, { status: "deactivated" }))).toEqual([
      400,
      "malformed",
    ]);
    expect(await status(order)).toBe("ready");
  });

  it("B 5.10 authorization, B 5.10 authorization deactivated: a pending or valid authorization can be deactivated, which makes the order invalid", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const [url = ""] = orderIn(await client.post(order)).authorizations;
    expect((await client.post(url)).json).toMatchObject({
      status: "valid",
      expires: expect.any(String),
    });
    for (const payload of [{ status: "valid" }, { status: 7 }])
      expect(told(await client.post(url, payload))).toEqual([400, "malformed"]);
    expect((await client.post(url, {})).json["status"]).toBe("valid");
    const ended = await client.post(url, { status: "deactivated" });
    expect([ended.status, ended.json["status"]]).toEqual([200, "deactivated"]);
    const challenges = ended.json["challenges"] as readonly Record<string, unknown>[];
    expect(challenges.map((one) => one["status"])).toEqual(["invalid", "invalid", "invalid"]);
    expect(told(await client.post(url, { status: "deactivated" }))).toEqual([400, "malformed"]);
    expect(await status(order)).toBe("invalid");
    expect(told(await finalize(client, order, { names: ["a.test"] }))).toEqual([
      403,
      "orderNotReady",
    ]);
    const made = await newOrder(client, ["a.test"]);
    const [pending = ""] = orderIn(made).authorizations;
    expect((await client.post(pending, { status: "deactivated" })).json["status"]).toBe(
      "deactivated",
    );
    expect(await status(made.location)).toBe("invalid");
  });

  it("B 5.10 authorization: an authorization lists all challenges while pending, then only the one that was validated or failed", async () => {
    const listed = async (state: "pending" | "valid" | "invalid") => {
      const [url = ""] = orderIn(await newOrder(client, ["a.test"])).authorizations;
      await setAuthorization(a, url, (row) => ({
        ...row,
        status: state,
        challenges: row.challenges.map((one) =>
          one.type === "dns-01" ? { ...one, status: state } : one,
        ),
      }));
      const { json } = await client.post(url);
      const challenges = json["challenges"] as readonly Record<string, unknown>[];
      return challenges.map(({ type, status }) => [type, status]);
    };
    expect(await listed("pending")).toHaveLength(3);
    expect(await listed("valid")).toEqual([["dns-01", "valid"]]);
    expect(await listed("invalid")).toEqual([["dns-01", "invalid"]]);
  });

  it("has Retry-After while a challenge is processing", async () => {
    const made = await newOrder(client, ["a.test"]);
    const [url = ""] = orderIn(made).authorizations;
    expect((await client.post(made.location)).headers.get("retry-after")).toBeNull();
    await setAuthorization(a, url, (row) => ({
      ...row,
      challenges: row.challenges.map((one, i) =>
        i === 0 ? { ...one, status: "processing", due_ms: a.clock.now + 4500, attempts: 1 } : one,
      ),
    }));
    for (const of of [made.location, url, `${made.location}/cert`])
      expect((await client.post(of)).headers.get("retry-after")).toBe("5");
  });

  it("has no Retry-After after it failed, even while validations run", async () => {
    const made = await newOrder(client, ["a.test", "b.test"]);
    const [one = "", other = ""] = orderIn(made).authorizations;
    await setAuthorization(a, one, (row) => ({
      ...row,
      challenges: row.challenges.map((challenge, i) =>
        i === 0 ? { ...challenge, status: "processing", due_ms: a.clock.now } : challenge,
      ),
    }));
    await setAuthorization(a, other, (row) => ({ ...row, status: "invalid" }));
    for (const of of [made.location, `${made.location}/cert`])
      expect((await client.post(of)).headers.get("retry-after")).toBeNull();
    expect(await status(made.location)).toBe("invalid");
  });
});
/** Returns a client of the same account with a new nonce. */
async function again(before: AcmeClient): Promise<AcmeClient> {
  const next = a.client({ key: before.key });
  next.kid = before.kid;
  return next;
}

describe("finalizing an order (B 5.9, B 5.9 csr CA)", () => {
  it("B 5.9 finalize not ready, B 5.9 cert not valid: returns orderNotReady while the order is pending and after it is valid", async () => {
    const made = await newOrder(client, ["a.test"]);
    expect(told(await client.post(`${made.location}/cert`))).toEqual([403, "orderNotReady"]);
    const early = await finalize(client, made.location, { names: ["a.test"] });
    expect(told(early)).toEqual([403, "orderNotReady"]);
    await prove(a, orderIn(made).authorizations);
    expect(told(await client.post(`${made.location}/cert`))).toEqual([403, "orderNotReady"]);
    expect((await finalize(client, made.location, { names: ["a.test"] })).status).toBe(200);
    const late = await finalize(client, made.location, { names: ["a.test"] });
    expect(told(late)).toEqual([403, "orderNotReady"]);
  });

  it("B 5.9 csr: a missing, invalid or badly signed CSR is malformed and leaves the order ready; padding is accepted (B 5.9 finalize fails)", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const good = await csrOf({ names: ["a.test"] });
    const bytes = fromBase64Url(good) ?? new Uint8Array();
    const forged = bytes.slice();
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    for (const csr of [
      undefined,
      "",
      "*",
      "AAAA",
      good.slice(0, -8),
      `${good}AAAA`,
      toBase64Url(forged),
      await request({ cn: "a.test" }),
    ])
      expect(told(await client.post(`${order}/finalize`, { csr }))).toEqual([400, "malformed"]);
    expect(told(await client.post(`${order}/finalize`, { csr: 7 }))).toEqual([400, "malformed"]);
    expect(await status(order)).toBe("ready");
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
    const padded = good + "=".repeat((4 - (good.length % 4)) % 4);
    expect((await finalize(client, order, padded)).status).toBe(200);
  });

  it("B 5.9 csr key algorithm: an unknown key algorithm is badCSR", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const bytes = (fromBase64Url(await csrOf({ names: ["a.test"] })) ?? new Uint8Array()).slice();
    // replaces id-ecPublicKey with another OID of the same length
    const at = Buffer.from(bytes).indexOf(Buffer.from("06072a8648ce3d0201", "hex"));
    bytes[at + 8] = 0x7f;
    expect(told(await finalize(client, order, toBase64Url(bytes)))).toEqual([400, "badCSR"]);
  });

  it("an RSA key whose modulus is a prime is badCSR, and the order stays ready", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const refused = await finalize(client, order, { names: ["a.test"], key: primeKey() });
    expect(told(refused)).toEqual([400, "badCSR"]);
    expect(refused.json["detail"]).toBe("RSA key: the modulus is a prime");
    expect(await status(order)).toBe("ready");
  });

  it.each<[string, Extension | undefined]>([
    ["basic constraints of a CA", basicConstraints(true)],
    ["keyCertSign", keyUsage(["CertSign"])],
    ["cRLSign", keyUsage(["DigitalSignature", "CRLSign"])],
  ])("B 5.9 csr CA, security row 10: %s is badCSR", async (_, extension) => {
    const order = await readyOrder(a, client, ["a.test"]);
    const refused = await finalize(client, order, { names: ["a.test"], more: [extension] });
    expect(told(refused)).toEqual([400, "badCSR"]);
    expect(await status(order)).toBe("ready");
  });

  it("B 5.9 csr names, security row 30: the names, including the common name, must be exactly those of the order, in any case and order", async () => {
    const names = ["a.test", "*.b.test", "192.0.2.1", "2001:db8::1"];
    const order = await readyOrder(a, client, names);
    for (const csr of [
      { names: names.slice(1) },
      { names: [...names, "c.test"] },
      { names: ["a.test", "b.test", "192.0.2.1", "2001:db8::1"] },
      { names: ["a.test", "*.b.test", "192.0.2.1", "2001:db8::2"] },
      { names, cn: "c.test" },
      { names, cn: "192.0.2.2" },
      { names, cn: "somebody" },
      { names, san: { email: ["a@a.test"] } },
      { names, san: { uri: ["https://a.test/"] } },
      { names, san: { other: [{ oid: "1.3.6.1.4.1.311.20.2.3", value: "a" }] } },
      { cn: "a.test" },
      {},
    ]) {
      const refused = await finalize(client, order, csr);
      expect(told(refused), JSON.stringify(csr)).toEqual([400, "badCSR"]);
    }
    const told3 = (await finalize(client, order, { names: [...names, "c.test"] })).detail;
    expect(told3).toContain("the DNS names of the CSR (3) differ from those of the order (2)");
    const odd = ["2001:db8::1", "192.0.2.1", "*.B.test", "A.TEST", "a.test"];
    expect((await finalize(client, order, { names: odd, cn: "A.test" })).status).toBe(200);
    const leaf = readCertificate(chainIn(await client.post(`${order}/cert`))[0]);
    expect(leaf.text.subject).toBe("CN=a.test");
    expect(leaf.names).toMatchObject({
      dns: ["a.test", "*.b.test"],
      ip: ["192.0.2.1", "2001:db8::1"],
    });
  });

  it("B 5.9 csr names: a common name alone suffices for an order of that name", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    expect((await finalize(client, order, { cn: "a.test" })).status).toBe(200);
  });

  it("B 5.9 csr account key, security row 16: the account key and the issuer's key are badCSR", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const spki = createPublicKey(client.key.key).export({ format: "der", type: "spki" });
    const account = {
      ...(await makeKey("P-256")),
      key: { ...(await makeKey("P-256")).key, spki: new Uint8Array(spki) },
      sign: async (data: Uint8Array) => {
        const { sign } = await import("node:crypto");
        return new Uint8Array(sign("sha256", data, client.key.key));
      },
    };
    const refused = await finalize(client, order, { names: ["a.test"], key: account });
    expect([...told(refused), refused.detail]).toEqual([
      400,
      "badCSR",
      expect.stringContaining("the account's key"),
    ]);
    const [asked, other] = await Promise.all(
      [1, 2].map(async () =>
        readCsr(await csrOf({ names: ["a.test"], key: await makeKey("P-256") })),
      ),
    );
    if (!asked || !other) throw new TypeError("no CSR");
    const against = {
      identifiers: [{ type: "dns", value: "a.test" }] as const,
      accountKey: other.publicKey,
      issuerKey: asked.publicKey,
    };
    expect(() => checkCsr(asked, against)).toThrow(
      new CaError("bad_csr", "the key of the CSR is the issuer's key: use a different key"),
    );
    expect(() => checkCsr(asked, { ...against, issuerKey: undefined })).not.toThrow();
  });

  it("B 5.9 role refuses: keys and names that the role does not allow are badCSR with its reason", async () => {
    await a.role("strict", { key_type: "rsa", key_bits: 3072 });
    const at = "roles/strict/acme";
    client = await a.registered({ at });
    const order = await readyOrder(a, client, ["a.test"]);
    const refused = await finalize(client, order, { names: ["a.test"] });
    expect([...told(refused), refused.detail]).toEqual([
      400,
      "badCSR",
      "refusing to sign CSR: role requires keys of type rsa",
    ]);
    await a.role("strict", { allow_any_name: false, allowed_domains: ["b.test"] });
    expect(told(await finalize(client, order, { names: ["a.test"] }))).toEqual([400, "badCSR"]);
    await a.role("strict", { cn_validations: ["email"] });
    expect(told(await finalize(client, order, { names: ["a.test"], cn: "a.test" }))).toEqual([
      400,
      "badCSR",
    ]);
    expect(await status(order)).toBe("ready");
    await a.role("strict");
    expect((await finalize(client, order, { names: ["a.test"] })).status).toBe(200);
  });

  it("B 5.9 csr ignored parts, B 5.4 rule 5: the subject and other extensions of the CSR are ignored", async () => {
    const order = await readyOrder(a, client, ["a.test"]);
    const pem = await request({
      subject: [rdn("organization", "Evil"), rdn("country", "DE")],
      extensions: [
        sanOf({ dns: ["a.test"] }),
        { oid: "1.3.6.1.5.5.7.1.31", critical: true, value: Uint8Array.of(4, 0) },
        { oid: "1.3.6.1.4.1.11129.2.4.3", critical: true, value: Uint8Array.of(5, 0) },
        { oid: "1.2.3.4", critical: false, value: Uint8Array.of(5, 0) },
      ],
    });
    const done = await finalize(client, order, Buffer.from(derOf(pem)).toString("base64url"));
    expect(done.status).toBe(200);
    const leaf = readCertificate(chainIn(await client.post(`${order}/cert`))[0]);
    expect(leaf.text.subject).toBe("");
    for (const oid of ["1.3.6.1.5.5.7.1.31", "1.3.6.1.4.1.11129.2.4.3", "1.2.3.4"])
      expect(leaf.order).not.toContain(oid);
  });

  it("B 5.9 require_cn: without a common name, the first wildcard, name or address is used as the common name", async () => {
    await a.role("web", {
      allow_any_name: false,
      allowed_domains: ["a.test"],
      allow_subdomains: true,
      allow_ip_sans: true,
    });
    client = await a.registered({ at: "roles/web/acme" });
    for (const [names, cn] of [
      [["192.0.2.1", "b.a.test", "*.c.a.test"], "*.c.a.test"],
      [["192.0.2.1", "b.a.test", "d.a.test"], "b.a.test"],
      [["192.0.2.1"], "192.0.2.1"],
      [["2001:db8::1"], "2001:db8::1"],
    ] as const)
      expect((await issue(a, client, names)).leaf.text.subject).toBe(`CN=${cn}`);
    await a.role("web", { require_cn: false, allow_any_name: true });
    expect((await issue(a, client, ["x.a.test"])).leaf.text.subject).toBe("");
  });

  it("B 5.9 require_cn: a name longer than 64 characters is never used as the common name", async () => {
    await a.role("web");
    client = await a.registered({ at: "roles/web/acme" });
    const long = `${"x".repeat(40)}.${"y".repeat(40)}.test`;
    for (const [names, cn, subject] of [
      [[long], long, ""],
      [[long], undefined, ""],
      [[long, "b.a.test"], long, "CN=b.a.test"],
      [[`*.${long}`, "b.a.test"], undefined, "CN=b.a.test"],
    ] as const) {
      const order = await readyOrder(a, client, names);
      expect((await finalize(client, order, { names, ...(cn && { cn }) })).status).toBe(200);
      const leaf = readCertificate(chainIn(await client.post(`${order}/cert`))[0]);
      expect([leaf.text.subject, leaf.names?.dns.toSorted()]).toEqual([subject, names.toSorted()]);
    }
  });

  it("B 5.9 ttl, B 5.9 notAfter: the lifetime is the role's or the requested one, at most max_ttl", async () => {
    await a.role("web", { ttl: "2h", max_ttl: "30h" });
    client = await a.registered({ at: "roles/web/acme" });
    const life = async (more = {}) => {
      const { leaf } = await issue(a, client, ["a.test"], { more });
      return leaf.notAfter - a.clock.now / 1000;
    };
    expect(await life()).toBe(7200);
    const notAfter = new Date(a.clock.now + 36e5).toISOString().replace(".000", "");
    expect(await life({ notAfter })).toBe(3600);
    await a.call("POST", "pki/config/acme", { max_ttl: "1h" });
    expect(await life()).toBe(3600);
    await a.role("web", { not_after: "2040-01-01T00:00:00Z" });
    expect(await life()).toBe(3600);
    await a.role("web", { not_after_bound: "forbid" });
    expect((await newOrder(client, ["a.test"], { notAfter })).problem).toBe("malformed");
  });

  it("B 5.9 truncated: the lifetime is limited to the issuer's expiry, even with err, but not with always_enforce_err", async () => {
    const { id } = await a.intermediate({ ttl: "48h" });
    await a.call("POST", `pki/issuer/${id}`, { leaf_not_after_behavior: "err" });
    client = await a.registered({ at: `issuer/${id}/acme` });
    const { leaf, chain } = await issue(a, client, ["a.test"]);
    const between = readCertificate(chain[1]);
    expect(leaf.notAfter).toBe(between.notAfter);
    expect(
      verified(chain[0], { root: String(chain[2]), between: [String(chain[1])], at: a.clock.now }),
    ).toContain("OK");
    await a.call("POST", `pki/issuer/${id}`, { leaf_not_after_behavior: "always_enforce_err" });
    const order = await readyOrder(a, client, ["a.test"]);
    expect(told(await finalize(client, order, { names: ["a.test"] }))).toEqual([400, "badCSR"]);
  });

  it("B 5.9 cert, B 5.9 no alternate, security row 92: the download is the full chain including the root, with one link", async () => {
    const { id } = await a.intermediate();
    client = await a.registered({ at: `issuer/${id}/acme` });
    const order = await readyOrder(a, client, ["a.test"]);
    await finalize(client, order, { names: ["a.test"] });
    const reply = await client.post(`${order}/cert`);
    expect(chainIn(reply)).toHaveLength(3);
    expect(reply.text.endsWith("-----END CERTIFICATE-----\n")).toBe(true);
    expect(reply.headers.get("link")?.match(/rel=/g)).toHaveLength(1);
    expect(reply.text).toBe(
      chainIn(reply)
        .map((pem) => `${pem}\n`)
        .join(""),
    );
  });

  it.each(["P-256", "P-384", "P-521", "Ed25519", "RSA"] as const)(
    "openssl verifies a certificate for a key of type %s",
    async (kind) => {
      const { chain } = await issue(a, client, ["a.test", "*.b.test", "192.0.2.1"], {
        csr: { key: await keyOf(kind) },
      });
      expect(verified(chain[0], { root: String(chain[1]), at: a.clock.now })).toContain("OK");
    },
  );

  it("B 5.9 stored: the certificate is stored, searchable by account and source, and has no lease", async () => {
    await a.role("web", { generate_lease: true });
    client = await a.registered({ at: "roles/web/acme" });
    const { leaf, order } = await issue(a, client, ["a.test"]);
    const byHand = await a.pki.issue({ role: "web", common_name: "a.test" });
    const account = client.kid.slice(client.kid.lastIndexOf("/") + 1);
    const found = async (query: object) => {
      const { keys, key_info } = await a.pki.searchCerts({ name: "a.test", ...query });
      return {
        keys,
        info: key_info as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
      };
    };
    const serial = (await found({ acme_account: account })).keys[0] ?? "";
    expect(serial.replaceAll(":", "")).toBe(Buffer.from(leaf.serial).toString("hex"));
    for (const query of [
      { source: "acme" },
      { source: "acme", name: "" },
      { acme_account: account, name: "" },
    ])
      expect((await found(query)).keys).toEqual([serial]);
    expect((await found({ source: "api" })).keys).toEqual([byHand.serial_number]);
    expect((await found({ acme_account: "other" })).keys).toEqual([]);
    expect((await found({})).info[serial]).toMatchObject({
      role: "web",
      source: "acme",
      acme_account: account,
      acme_order: order.slice(order.lastIndexOf("/") + 1),
    });
    expect((await found({})).info[byHand.serial_number]).not.toHaveProperty("acme_order");
    expect((await a.call("GET", "pki/certs/search?list=true&source=x")).status).toBe(400);
  });
});
