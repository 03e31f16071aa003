import { beforeEach, describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { placementOf } from "../../src/engine/placement-rules.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { derOf, verified } from "../pki/reading.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import { openssl } from "../x509/fixture.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient } from "./client.ts";
import {
  certificateIdOf,
  csrOf,
  finalize,
  issue,
  newOrder,
  orderIn,
  prove,
  readyOrder,
  setAuthorization,
  sharedKey,
} from "./ordering.ts";

let a: AcmeAuthority;
let client: AcmeClient;
beforeEach(async () => {
  a = await acmeAuthority();
  client = await a.registered();
});
const text = (pem: unknown) => Buffer.from(derOf(pem)).toString("base64url");
const revoke = async (who: AcmeClient, certificate: unknown, reason?: unknown) =>
  who.post(await who.url("revokeCert"), {
    certificate,
    ...(reason === undefined ? {} : { reason }),
  });
const told = ({ status, problem }: Awaited<ReturnType<typeof revoke>>) => [status, problem];
const crl = async () => (await a.call("GET", "pki/crl/pem", undefined, { token: "" })).text;

/** Returns openssl's verdict on a chain, given a CRL. */
function verdict([leaf, root]: readonly string[], list: string): string {
  try {
    return verified(leaf, { root: String(root), at: a.clock.now, crls: [list] });
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}

describe("revocation with ACME (B 5.11)", () => {
  it("B 5.11 reply, B 5.11 reason: returns 200, and the CRL has the given reason", async () => {
    for (const [reason, words] of [
      [undefined, ""],
      [null, ""],
      [0, ""],
      [1, "Key Compromise"],
      [3, "Affiliation Changed"],
      [4, "Superseded"],
      [5, "Cessation Of Operation"],
    ] as const) {
      const { chain, leaf } = await issue(a, client, ["a.test"]);
      const reply = await revoke(client, text(chain[0]), reason);
      expect([reply.status, reply.text]).toEqual([200, ""]);
      const printed = openssl(["crl", "-noout", "-text"], await crl());
      const serial = Buffer.from(leaf.serial).toString("hex").toUpperCase();
      const entry = printed.slice(printed.indexOf(serial)).split("Serial Number")[0];
      expect(printed).toContain(serial);
      if (words === "") expect(entry).not.toContain("Reason");
      else expect(entry).toContain(words);
      expect(verdict(chain, await crl())).toContain("certificate revoked");
    }
  });

  it.each([2, 6, 7, 8, 9, 10, 11, -1, 1.5, "1", true])(
    "B 5.11 reason: %j is badRevocationReason, and nothing is revoked",
    async (reason) => {
      const { chain } = await issue(a, client, ["a.test"]);
      expect(told(await revoke(client, text(chain[0]), reason))).toEqual([
        400,
        "badRevocationReason",
      ]);
      expect(told(await revoke(client, text(chain[0])))).toEqual([200, ""]);
    },
  );

  it("B 5.11 already revoked: returns alreadyRevoked for a certificate that was revoked in any way", async () => {
    const { chain, leaf } = await issue(a, client, ["a.test"]);
    await revoke(client, text(chain[0]), 1);
    expect(told(await revoke(client, text(chain[0]), 4))).toEqual([400, "alreadyRevoked"]);
    const second = await issue(a, client, ["a.test"]);
    await a.pki.revoke({ serial_number: Buffer.from(second.leaf.serial).toString("hex") });
    expect(told(await revoke(client, text(second.chain[0])))).toEqual([400, "alreadyRevoked"]);
    expect(leaf.serial).not.toEqual(second.leaf.serial);
  });

  it("B 5.11 expired, B 5.11 not stored, B 5.11 bytes differ: returns malformed", async () => {
    const { chain } = await issue(a, client, ["a.test"]);
    for (const odd of [undefined, "", "*", "AAAA", text(chain[0]).slice(0, -4), 7])
      expect(told(await revoke(client, odd))).toEqual([400, "malformed"]);
    const bytes = derOf(chain[0]).slice();
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(told(await revoke(client, Buffer.from(bytes).toString("base64url")))).toEqual([
      400,
      "malformed",
    ]);
    const b = await acmeAuthority({ seed: 77 });
    const foreign = await issue(b, await b.registered(), ["a.test"]);
    expect(told(await revoke(client, text(foreign.chain[0])))).toEqual([400, "malformed"]);
    const { chain: short } = await issue(a, client, ["a.test"], {
      more: { notAfter: new Date(a.clock.now + 60_000).toISOString() },
    });
    a.clock.advance(61);
    expect(told(await revoke(client, text(short[0])))).toEqual([400, "malformed"]);
  });

  it("B 5.11 by kid: without authorizations, certificates of others and those not issued by ACME are unauthorized", async () => {
    const { chain } = await issue(a, client, ["a.test"]);
    const other = await a.registered();
    expect(told(await revoke(other, text(chain[0])))).toEqual([403, "unauthorized"]);
    await newOrder(other, ["a.test"]);
    expect(told(await revoke(other, text(chain[0])))).toEqual([403, "unauthorized"]);
    await a.role("web");
    const byHand = await a.pki.issue({ role: "web", common_name: "a.test" });
    expect(told(await revoke(client, text(byHand.certificate)))).toEqual([403, "unauthorized"]);
    expect(told(await revoke(client, text(chain[0])))).toEqual([200, ""]);
  });

  it("B 5.11 by authorizations: an account with valid authorizations for all names of a certificate can revoke it, in any directory of the mount", async () => {
    const names = ["a.test", "*.b.test", "192.0.2.7"];
    await a.role("web", { allow_ip_sans: true, allow_wildcard_certificates: true });
    for (const at of ["acme", "roles/web/acme"]) {
      const { chain } = await issue(a, client, names);
      const other = await a.registered({ at });
      const asked = async () => told(await revoke(other, text(chain[0]), 4));
      // a wildcard needs its own authorization, and each order proves only some of the names
      await readyOrder(a, other, ["a.test", "b.test"]);
      await readyOrder(a, other, ["192.0.2.7", "x.b.test"]);
      expect(await asked()).toEqual([403, "unauthorized"]);
      await readyOrder(a, other, ["*.b.test"]);
      expect(await asked()).toEqual([200, ""]);
      expect(await asked()).toEqual([400, "alreadyRevoked"]);
    }
    const { chain } = await issue(a, client, ["a.test"]);
    // a certificate of the account proves its names too, while the authorizations are valid
    const other = await a.registered();
    await issue(a, other, ["a.test"]);
    expect(told(await revoke(other, text(chain[0])))).toEqual([200, ""]);
  });

  it("B 5.11 by authorizations: deactivated, failed and expired authorizations do not count", async () => {
    const { chain } = await issue(a, client, ["a.test", "b.test"]);
    const other = await a.registered();
    const asked = async () => told(await revoke(other, text(chain[0])));
    const order = await readyOrder(a, other, ["a.test", "b.test"]);
    const [first = "", second = ""] = orderIn(await other.post(order)).authorizations;
    for (const change of [{ status: "invalid" as const }, { expires: a.clock.now / 1000 }]) {
      await setAuthorization(a, second, (row) => ({ ...row, ...change }));
      expect(await asked()).toEqual([403, "unauthorized"]);
      await prove(a, [second]);
    }
    await other.post(first, { status: "deactivated" });
    expect(await asked()).toEqual([403, "unauthorized"]);
    await readyOrder(a, other, ["a.test"]);
    expect(await asked()).toEqual([200, ""]);
  });

  it("B 5.11 by authorizations: authorizations are not enough for a certificate with a name that ACME cannot authorize, or with another common name", async () => {
    await a.call("POST", "pki/config/acme", { allow_role_ext_key_usage: true });
    const { leaf } = await issue(a, client, ["a.test"]);
    await a.role("any", {
      enforce_hostnames: false,
      allow_any_name: true,
      allowed_uri_sans: ["*"],
    });
    const other = await a.registered();
    await readyOrder(a, other, ["a.test"]);
    const store = a.stores(await a.uuid());
    const [issued] = await store.get([`cert/${Buffer.from(leaf.serial).toString("hex")}`]);
    const acme = (issued?.value as { acme: object } | undefined)?.acme;
    for (const more of [
      { common_name: "c.test", alt_names: "a.test" },
      { common_name: "a.test", alt_names: "user@a.test" },
      { common_name: "a.test", uri_sans: "spiffe://a.test/x" },
    ]) {
      const made = await a.pki.issue({ role: "any", ...more });
      // as if ACME had issued it
      const key = `cert/${made.serial_number.replaceAll(":", "")}`;
      const [row] = await store.get([key]);
      const value = { ...(row?.value as object), acme };
      await store.commit({ put: [[key, value]] });
      expect(told(await revoke(other, text(made.certificate)))).toEqual([403, "unauthorized"]);
    }
  });

  it("B 5.11 by jwk: the certificate's key revokes it without an account, and no other certificate", async () => {
    const key = await sharedKey();
    const mine = await issue(a, client, ["a.test"], { csr: { key: key.csr } });
    const other = await issue(a, client, ["a.test"]);
    const holder = a.client({ key: key.acme });
    const url = await holder.url("revokeCert");
    const send = (pem: unknown) => holder.postWithKey(url, { certificate: text(pem), reason: 1 });
    expect(told(await send(other.chain[0]))).toEqual([403, "unauthorized"]);
    expect(told(await send(mine.chain[0]))).toEqual([200, ""]);
    expect(told(await send(mine.chain[0]))).toEqual([400, "alreadyRevoked"]);
  });

  it("B 5.11 by jwk: a certificate in another partition than the nonces is revoked once", async () => {
    const { stores } = partitionedStores(4);
    a = await acmeAuthority({ stores });
    await a.role("web");
    const key = await sharedKey();
    const csr = encodePem(
      "CERTIFICATE REQUEST",
      Buffer.from(await csrOf({ key: key.csr, names: ["a.test"] }), "base64url"),
    );
    const { placeOf } = placementOf(pkiPlacement, 4);
    let made = await a.pki.sign({ role: "web", csr, common_name: "a.test" });
    while (placeOf(`revoked/${made.serial_number.replaceAll(":", "")}`) === 0)
      made = await a.pki.sign({ role: "web", csr, common_name: "a.test" });
    const holder = a.client({ key: key.acme });
    const url = await holder.url("revokeCert");
    const send = async () =>
      told(await holder.postWithKey(url, { certificate: text(made.certificate), reason: 1 }));
    expect([await send(), await send()]).toEqual([
      [200, ""],
      [400, "alreadyRevoked"],
    ]);
    const serial = made.serial_number.replaceAll(":", "").toUpperCase();
    expect(openssl(["crl", "-noout", "-text"], await crl())).toContain(serial);
    const { data } = await a.call("GET", "sys/audit/events?list=true&endpoint=acmeRevoke");
    expect(data["keys"]).toHaveLength(1);
  });

  it("rejects issuers of the mount and certificates that are corrupt in storage", async () => {
    const { chain, leaf } = await issue(a, client, ["a.test"]);
    expect((await revoke(client, text(chain[1]))).status).toBe(403);
    const store = a.stores(await a.uuid());
    const key = `cert/${Buffer.from(leaf.serial).toString("hex")}`;
    const [row] = await store.get([key]);
    const value = row?.value as { der: Uint8Array };
    await store.commit({ put: [[key, { ...value, der: value.der.slice(0, -1) }]] });
    expect(told(await revoke(client, text(chain[0])))).toEqual([500, "serverInternal"]);
    const order = (await client.post(`${clientOrder(leaf, value)}`)).status;
    expect(order).toBe(500);
  });
});
/** Returns the download URL of a stored certificate. */
const clientOrder = (_: unknown, value: unknown): string =>
  `http://ca.test/v1/pki/acme/order/${(value as { acme: { order: string } }).acme.order}/cert`;

describe("replacement of certificates (RFC 9773)", () => {
  const info = async (id: string) => {
    const reply = await a.ca.fetch(new Request(`${await client.url("renewalInfo")}/${id}`));
    const json = (await reply.json()) as { suggestedWindow?: { start: string; end: string } };
    const { start = "", end = "" } = json.suggestedWindow ?? {};
    return { status: reply.status, isPast: Date.parse(end) < a.clock.now, start, end };
  };

  it("security row 29: an order can replace only an unreplaced certificate of its account that shares a name with it", async () => {
    const { leaf } = await issue(a, client, ["a.test", "b.test"]);
    const id = certificateIdOf(leaf);
    const other = await a.registered();
    const ask = async (who: AcmeClient, names: readonly string[], replaces: unknown) =>
      told(await newOrder(who, names, { replaces }));
    expect(await ask(other, ["a.test"], id)).toEqual([400, "malformed"]);
    expect(await ask(client, ["c.test"], id)).toEqual([400, "malformed"]);
    const [key = "", serial = ""] = id.split(".");
    for (const odd of [
      "x",
      `${key}.`,
      `.${serial}`,
      `${id}.x`,
      `${id}=`,
      `${serial}.${key}`,
      7,
      `${key}.AQ`,
    ])
      expect(await ask(client, ["a.test"], odd)).toEqual([400, "malformed"]);
    const made = await newOrder(client, ["a.test"], { replaces: id });
    expect([made.status, made.json["replaces"]]).toEqual([201, id]);
    // two pending orders may name the same certificate; the one finalized first replaces it
    const [one, two] = [
      await readyOrder(a, client, ["a.test"], { replaces: id }),
      await readyOrder(a, client, ["b.test"], { replaces: id }),
    ];
    expect((await finalize(client, one, { names: ["a.test"] })).status).toBe(200);
    expect(await ask(client, ["a.test"], id)).toEqual([409, "alreadyReplaced"]);
    expect((await finalize(client, two, { names: ["b.test"] })).status).toBe(200);
    expect(orderIn(await client.post(one)).status).toBe("valid");
  });

  it("renewal information suggests immediate renewal once the certificate or its issuer is revoked", async () => {
    const { id } = await a.intermediate();
    client = await a.registered({ at: `issuer/${id}/acme` });
    const { leaf, chain } = await issue(a, client, ["a.test"]);
    const other = await issue(a, client, ["a.test"]);
    expect(await info(certificateIdOf(leaf))).toMatchObject({ status: 200, isPast: false });
    await revoke(client, text(chain[0]));
    expect(await info(certificateIdOf(leaf))).toMatchObject({ isPast: true });
    expect(await info(certificateIdOf(other.leaf))).toMatchObject({ isPast: false });
    await a.call("POST", `pki/issuer/${id}/revoke`);
    const again = await a.ca.fetch(
      new Request(
        `http://ca.test/v1/pki/issuer/root/acme/renewal-info/${certificateIdOf(other.leaf)}`,
      ),
    );
    const { suggestedWindow } = (await again.json()) as { suggestedWindow: { end: string } };
    expect(Date.parse(suggestedWindow.end)).toBeLessThan(a.clock.now);
  });

  it("renewal information suggests immediate renewal once the directory has another issuer with another key", async () => {
    const { leaf } = await issue(a, client, ["a.test"]);
    const id = certificateIdOf(leaf);
    expect((await info(id)).isPast).toBe(false);
    const next = await a.root({ issuer_name: "next" });
    await a.call("POST", "pki/config/issuers", { default: next.issuer_id });
    expect((await info(id)).isPast).toBe(true);
    await a.call("POST", "pki/config/issuers", { default: "root" });
    expect((await info(id)).isPast).toBe(false);
  });

  it("renewal information returns 400 for a malformed identifier and 404 for an unknown one, without a signature", async () => {
    const { leaf } = await issue(a, client, ["a.test"]);
    const [key = "", serial = ""] = certificateIdOf(leaf).split(".");
    expect((await info(`${key}.${serial}`)).status).toBe(200);
    for (const odd of ["x", `${key}.`, `.${serial}`, `${key}.${serial}.x`])
      expect((await info(odd)).status).toBe(400);
    for (const absent of [`${key}.AQ`, `AQ.${serial}`])
      expect((await info(absent)).status).toBe(404);
  });
});
