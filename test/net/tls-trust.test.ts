import { createServer } from "node:tls";
import { describe, expect, it } from "vitest";
import { sequence } from "../../src/base/der.ts";
import { requireTrust } from "../../src/net/tls-trust.ts";
import { connectTls } from "../../src/net/tls.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { nameConstraints } from "../../src/x509/name-constraints.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { extKeyUsage, extKeyUsageOid, keyUsage } from "../../src/x509/usage.ts";
import {
  certificate,
  listening,
  newKey,
  now,
  secured,
  trusting,
  type Certified,
} from "./tls-fixture.ts";
import { pipe } from "./tls-server.ts";
import { threadTime } from "../support/spent.ts";

type Extra = Parameters<typeof certificate>[0];

const day = 86_400;
const root = await certificate({ ca: true, name: "root" });
const middle = await certificate({ ca: true, name: "middle", issuer: root });
const names = { dns: ["peer.example", "*.wild.example"], ip: ["192.0.2.1", "2001:db8::1"] };
const leafOf = (issuer: Certified | undefined, more: Extra = {}) =>
  certificate({ names, ...(issuer && { issuer }), ...more });
const leaf = await leafOf(middle);

interface Asked {
  readonly serverName?: string;
  readonly address?: string;
  readonly now?: number;
  readonly roots?: readonly Certified[];
}
/** Returns the alert for a chain, or "trusted". */
async function judged(chain: readonly Certified[], asked: Asked = {}): Promise<string> {
  const { roots = [root], ...host } = asked;
  const known = asked.address === undefined ? { serverName: "peer.example" } : {};
  const trust = { roots: roots.map(({ der }) => der) };
  return await requireTrust(
    chain.map(({ der }) => der),
    { now, ...known, ...host, trust },
  ).then(
    () => "trusted",
    (error: unknown) => {
      expect(error).toMatchObject({ name: "TlsError", kind: "trust" });
      return (error as { alert: string }).alert;
    },
  );
}

describe("a TLS server", () => {
  it("is trusted with a chain to a root, in any order and with unrelated certificates", async () => {
    const other = await certificate({ ca: true, name: "other" });
    expect(await judged([leaf, middle])).toBe("trusted");
    expect(await judged([leaf, middle, root])).toBe("trusted");
    expect(await judged([leaf, other, root, middle])).toBe("trusted");
    expect(await judged([leaf], { roots: [other, middle] })).toBe("trusted");
    expect(await judged([await leafOf(root)], { roots: [other, root] })).toBe("trusted");
  });

  it.each([
    ["rsa", 2048],
    ["ec", 384],
    ["ec", 521],
    ["ed25519", 0],
  ] as const)("is trusted with %s %i signatures", async (type, bits) => {
    const ca = await certificate({ ca: true, key: await newKey(type, bits) });
    expect(await judged([await leafOf(ca)], { roots: [ca] })).toBe("trusted");
  });

  it("is not trusted without a chain to a root, or with a root of the same name only", async () => {
    const twin = await certificate({ ca: true, name: "root" });
    expect(await judged([leaf])).toBe("unknown_ca");
    expect(await judged([leaf, middle], { roots: [] })).toBe("unknown_ca");
    expect(await judged([leaf, middle], { roots: [twin] })).toBe("unknown_ca");
    expect(await judged([await leafOf(undefined)])).toBe("unknown_ca");
    expect(await judged([leaf, middle], { roots: [twin, root] })).toBe("trusted");
  });

  it("is trusted if its certificate is itself a root, but only for its names and while it is valid", async () => {
    const alone = await leafOf(undefined);
    expect(await judged([alone], { roots: [alone] })).toBe("trusted");
    expect(await judged([alone], { roots: [alone], serverName: "other.example" })).toBe(
      "bad_certificate",
    );
    expect(await judged([alone], { roots: [alone], now: now + 2 * day })).toBe(
      "certificate_expired",
    );
  });

  it.each([
    ["peer.example", "trusted"],
    ["a.wild.example", "trusted"],
    ["a.b.wild.example", "bad_certificate"],
    ["wild.example", "bad_certificate"],
    [".wild.example", "bad_certificate"],
    ["other.example", "bad_certificate"],
    ["xpeer.example", "bad_certificate"],
    ["192.0.2.1", "bad_certificate"],
  ])("is trusted for its DNS names only: %s, %s", async (serverName, verdict) => {
    expect(await judged([leaf, middle], { serverName })).toBe(verdict);
  });

  it.each([
    ["192.0.2.1", "trusted"],
    ["::ffff:192.0.2.1", "trusted"],
    ["2001:DB8:0::1", "trusted"],
    ["192.0.2.2", "bad_certificate"],
    ["peer.example", "bad_certificate"],
  ])("is trusted for its IP addresses only: %s, %s", async (address, verdict) => {
    expect(await judged([leaf, middle], { address })).toBe(verdict);
  });

  it("is not matched by its common name or by a wildcard for a top-level domain", async () => {
    const common = await leafOf(middle, { name: "peer.example", names: { dns: ["a.example"] } });
    expect(await judged([common, middle])).toBe("bad_certificate");
    const wide = await leafOf(middle, { names: { dns: ["*.example", "p*.example", "*"] } });
    expect(await judged([wide, middle])).toBe("bad_certificate");
    const upper = await leafOf(middle, { names: { dns: ["PEER.Example"] } });
    expect(await judged([upper, middle])).toBe("trusted");
  });

  it("is trusted only while the entire chain is valid", async () => {
    expect(await judged([leaf, middle], { now: now + 2 * day })).toBe("certificate_expired");
    expect(await judged([leaf, middle], { now: now - 2 * day })).toBe("certificate_expired");
    const times = { fields: { notBefore: now - 9 * day, notAfter: now - 1 } };
    const old = await certificate({ ca: true, name: "old", issuer: root, ...times });
    expect(await judged([await leafOf(old), old])).toBe("certificate_expired");
    const oldRoot = await certificate({ ca: true, name: "old", ...times });
    expect(await judged([await leafOf(oldRoot)], { roots: [oldRoot] })).toBe("certificate_expired");
  });

  const unknown = { oid: "1.2.3.4", critical: true, value: sequence() };
  const policies = { oid: extensionOid.policyConstraints, critical: true, value: sequence() };
  const purpose = (name: string) => extKeyUsage([extKeyUsageOid(name) ?? ""]);
  it.each<[string, Extra, string]>([
    [
      "a critical extension that is not known",
      { extensions: [unknown] },
      "unsupported_certificate",
    ],
    [
      "an unknown one that is not critical",
      { extensions: [{ ...unknown, critical: false }] },
      "trusted",
    ],
    ["rules about policies", { extensions: [policies] }, "unsupported_certificate"],
    ["a purpose for clients", { extensions: [purpose("ClientAuth")] }, "unsupported_certificate"],
    ["a purpose for servers", { extensions: [purpose("ServerAuth")] }, "trusted"],
    ["any purpose", { extensions: [purpose("Any")] }, "trusted"],
    [
      "a key that only enciphers",
      { extensions: [keyUsage(["KeyEncipherment"])] },
      "unsupported_certificate",
    ],
    ["a key that signs", { extensions: [keyUsage(["DigitalSignature"])] }, "trusted"],
  ])("whose certificate has %s", async (_, more, verdict) => {
    expect(await judged([await leafOf(middle, more), middle])).toBe(verdict);
  });

  const ca = (...extensions: NonNullable<Extra>["extensions"] & object) => ({
    name: "own",
    issuer: root,
    extensions: [keyUsage(["CertSign"]), basicConstraints(true), ...extensions],
  });
  it.each<[string, Extra, string]>([
    ["no basic constraints", { ...ca(), extensions: [keyUsage(["CertSign"])] }, "unknown_ca"],
    [
      "basic constraints of a leaf",
      { ...ca(), extensions: [basicConstraints(false)] },
      "unknown_ca",
    ],
    [
      "no right to sign",
      { ...ca(), extensions: [keyUsage(["CRLSign"]), basicConstraints(true)] },
      "unknown_ca",
    ],
    ["no key usage at all", { ...ca(), extensions: [basicConstraints(true)] }, "trusted"],
    ["a critical extension that is not known", ca(unknown), "unsupported_certificate"],
    ["a purpose for clients", ca(purpose("ClientAuth")), "unsupported_certificate"],
    [
      "a permitted domain",
      ca(
        nameConstraints({ permitted: { dns: ["example"], ip: ["192.0.2.0/24", "2001:db8::/32"] } }),
      ),
      "trusted",
    ],
    [
      "another permitted domain",
      ca(nameConstraints({ permitted: { dns: ["test"] } })),
      "bad_certificate",
    ],
    [
      "an excluded address",
      ca(nameConstraints({ excluded: { ip: ["192.0.2.0/24"] } })),
      "bad_certificate",
    ],
  ])("whose CA has %s", async (_, more, verdict) => {
    const own = await certificate(more);
    expect(await judged([await leafOf(own), own])).toBe(verdict);
  });

  it("is not trusted with more CAs below one than its path length allows", async () => {
    const tight = await certificate({
      name: "tight",
      issuer: root,
      extensions: [keyUsage(["CertSign"]), basicConstraints(true, 0)],
    });
    const below = await certificate({ ca: true, name: "below", issuer: tight });
    expect(await judged([await leafOf(tight), tight])).toBe("trusted");
    expect(await judged([await leafOf(below), below, tight])).toBe("unknown_ca");
  });

  it("is verified in bounded time, even with many CAs of the same name", async () => {
    const key = await newKey();
    const maze = await Promise.all(
      Array.from({ length: 15 }, () => certificate({ key, ca: true, name: "maze", fields: {} })),
    );
    const start = threadTime();
    expect(await judged([await leafOf(maze[0]), ...maze])).toBe("unknown_ca");
    expect(threadTime() - start).toBeLessThan(5000);
  });

  it("is rejected if its certificate or its issuer cannot be parsed", async () => {
    const broken = { ...leaf, der: leaf.der.subarray(0, 40) };
    expect(await judged([broken])).toBe("bad_certificate");
    expect(await judged([leaf, { ...middle, der: middle.der.subarray(1) }])).toBe("unknown_ca");
  });
});

describe("trust on a TLS connection", () => {
  const serving = async () => {
    const server = createServer(
      { key: leaf.key.pem, cert: `${leaf.pem}\n${middle.pem}` },
      (socket) => void socket.on("error", () => undefined),
    );
    server.on("tlsClientError", () => undefined);
    return { port: await listening(server), stop: () => server.close() };
  };

  it("a server is accepted by root and name, or by its pinned certificate", async () => {
    const { port, stop } = await serving();
    const roots = { roots: [root.der] };
    const stranger = await certificate({ ca: true, name: "root" });
    for (const options of [
      { trust: roots, serverName: "Peer.Example." },
      { trust: roots, address: "192.0.2.1" },
      { trust: { pinned: [middle.der, leaf.der] } },
      { trust: { pinned: [leaf.der] }, now: now + 90 * day, serverName: "other.example" },
    ])
      (await secured(port, options)).close();
    for (const options of [
      { trust: roots, serverName: "other.example" },
      { trust: { roots: [stranger.der] }, serverName: "peer.example" },
      { trust: { pinned: [middle.der] }, serverName: "peer.example" },
      { trust: { pinned: [] } },
    ])
      await expect(secured(port, options)).rejects.toMatchObject({ kind: "trust" });
    stop();
  });

  it("invalid options throw a TypeError", async () => {
    const attempt = (options: object) => connectTls(pipe().client, trusting(options));
    await expect(attempt({ trust: { roots: [] } })).rejects.toBeInstanceOf(TypeError);
    for (const serverName of ["", "a b", "ä.example", "a..b", `${"a".repeat(64)}.example`])
      await expect(attempt({ serverName })).rejects.toBeInstanceOf(TypeError);
  });
});
