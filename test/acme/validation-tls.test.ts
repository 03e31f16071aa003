import { createServer, type TlsOptions as ServerOptions } from "node:tls";
import { createServer as createPlain } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { validateHttp01 } from "../../src/acme/validation/http-01-validation.ts";
import { validateTlsAlpn01 } from "../../src/acme/validation/tls-alpn-01-validation.ts";
import { octets } from "../../src/base/der.ts";
import { concat } from "../../src/base/bytes.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { peer } from "../net/streams.ts";
import { certificate, dial, listening, newKey, type Certified } from "../net/tls-fixture.ts";
import { ipToBytes } from "../../src/x509/address.ts";
import { never, network, proof, verdict } from "./validation-network.ts";
import type { ValidationNetwork } from "../../src/acme/validation/challenge-type.ts";

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

const oid = "1.3.6.1.5.5.7.1.31";
const identifier = (
  value: Uint8Array = octets(proof.digest),
  more: Partial<Extension> = {},
): Extension => ({ oid, critical: true, value, ...more });
const key = await newKey();
const names = { dns: ["a.example"] };
const right = await certificate({ key, names, extensions: [identifier()] });

/** Validates a challenge against a server with this certificate. */
async function judgedWith(
  own: Certified,
  options: ServerOptions = {},
  name = "a.example",
  rules: Partial<ValidationNetwork["rules"]> = {},
) {
  const names: string[] = [];
  const SNICallback: ServerOptions["SNICallback"] = (asked, give) => {
    names.push(asked);
    give(null);
  };
  const server = createServer(
    { key: own.key.pem, cert: own.pem, ALPNProtocols: ["acme-tls/1"], SNICallback, ...options },
    (socket) => {
      socket.on("error", () => undefined);
    },
  );
  server.on("tlsClientError", () => undefined);
  const port = await listening(server);
  closing.push(() => server.close());
  const address = ipToBytes(name) ? name : "9.9.9.9";
  const reach = network(
    { [`A ${name}`]: [address] },
    { [`${address} 443`]: () => dial(port) },
    { rules: { permitted: [], excluded: [], privateNetworks: false, ...rules } },
  );
  return {
    text: await verdict(validateTlsAlpn01(name, proof, reach, never)),
    names,
    dialled: reach.dialled,
  };
}

describe("tls-alpn-01 (RFC 8737, B 5.10, security row 40)", () => {
  it.each(["TLSv1.2", "TLSv1.3"] as const)(
    "B 5.10 tls-alpn-01: accepts a self-signed certificate with the digest over %s",
    async (version) => {
      const {
        text,
        names: sent,
        dialled,
      } = await judgedWith(right, { minVersion: version, maxVersion: version });
      expect([text, sent, dialled]).toEqual(["proven", ["a.example"], ["9.9.9.9 443"]]);
    },
  );

  it("accepts the name in a different case", async () => {
    const other = await certificate({
      key,
      names: { dns: ["A.Example"] },
      extensions: [identifier()],
    });
    expect((await judgedWith(other)).text).toBe("proven");
  });

  it.each([
    ["9.9.9.9", "9.9.9.9.in-addr.arpa"],
    ["192.0.2.10", "10.2.0.192.in-addr.arpa"],
    ["2001:db8::1", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"],
  ])("requests the address %s with the server name %s (RFC 8738)", async (address, name) => {
    const own = await certificate({
      key,
      names: { ip: [address] },
      extensions: [identifier()],
    });
    const {
      text,
      names: sent,
      dialled,
    } = await judgedWith(own, {}, address, {
      permitted: ["0.0.0.0/0", "::/0"],
    });
    expect([text, sent, dialled]).toEqual(["proven", [name], [`${address} 443`]]);
  });

  it.each([
    ["another address", { ip: ["9.9.9.8"] }],
    ["two addresses", { ip: ["9.9.9.9", "9.9.9.8"] }],
    ["the address as a DNS name", { dns: ["9.9.9.9.in-addr.arpa"] }],
    ["a name besides", { ip: ["9.9.9.9"], dns: ["a.example"] }],
  ])("rejects for an IP address a certificate with %s", async (_, names) => {
    const own = await certificate({ key, names, extensions: [identifier()] });
    expect((await judgedWith(own, {}, "9.9.9.9")).text).toBe(
      "incorrect_response: the certificate of 9.9.9.9 at 9.9.9.9 port 443 does not have exactly the address 9.9.9.9",
    );
  });

  it.each([
    [
      "another digest",
      { extensions: [identifier(octets(new Uint8Array(32)))] },
      "does not have the expected digest in its acmeIdentifier extension",
    ],
    [
      "something behind the digest",
      { extensions: [identifier(concat([octets(proof.digest), Uint8Array.of(5, 0)]))] },
      "does not have the expected digest in its acmeIdentifier extension",
    ],
    [
      "a digest that is no OCTET STRING",
      { extensions: [identifier(proof.digest)] },
      "does not have the expected digest in its acmeIdentifier extension",
    ],
    ["no digest", {}, "has no acmeIdentifier extension"],
    [
      "the extension of old drafts",
      { extensions: [identifier(octets(proof.digest), { oid: "1.3.6.1.5.5.7.1.30.1" })] },
      "has no acmeIdentifier extension",
    ],
    [
      "an extension that is not critical",
      { extensions: [identifier(octets(proof.digest), { critical: false })] },
      "has an acmeIdentifier extension that is not critical",
    ],
    [
      "another critical extension",
      {
        extensions: [identifier(), { oid: "1.2.3.4", critical: true, value: octets(proof.digest) }],
      },
      "has an unknown critical extension",
    ],
    [
      "another name",
      { names: { dns: ["b.example"] }, extensions: [identifier()] },
      "does not have exactly the name a.example",
    ],
    [
      "two names",
      { names: { dns: ["a.example", "b.example"] }, extensions: [identifier()] },
      "does not have exactly the name a.example",
    ],
    [
      "the same name twice",
      { names: { dns: ["a.example", "a.example"] }, extensions: [identifier()] },
      "does not have exactly the name a.example",
    ],
    [
      "an address besides",
      { names: { dns: ["a.example"], ip: ["9.9.9.9"] }, extensions: [identifier()] },
      "does not have exactly the name a.example",
    ],
    [
      "no name",
      { names: {}, name: "a.example", extensions: [identifier()] },
      "has no subject alternative name that can be parsed",
    ],
  ] as const)("rejects %s as incorrectResponse", async (_, of, why) => {
    const { text } = await judgedWith(await certificate({ key, names, ...of }));
    expect(text).toBe(
      `incorrect_response: the certificate of a.example at 9.9.9.9 port 443 ${why}`,
    );
  });

  it("rejects a certificate signed by another key, or with another issuer name", async () => {
    const ca = await certificate({ name: "CA", ca: true });
    const issued = await certificate({ key, issuer: ca, names, extensions: [identifier()] });
    expect((await judgedWith(issued)).text).toMatch(/is not self-signed$/);
    const same = await certificate({
      key,
      issuer: { ...ca, subject: right.subject },
      names,
      extensions: [identifier()],
    });
    expect((await judgedWith(same)).text).toMatch(/is not self-signed$/);
  });

  it("rejects a chain of more than one certificate", async () => {
    const other = await certificate({ name: "other" });
    const { text } = await judgedWith({ ...right, pem: `${right.pem}\n${other.pem}` });
    expect(text).toMatch(/is sent with 1 others, but must be the only one$/);
  });

  it("rejects a server that does not select acme-tls/1, as tls", async () => {
    const { text } = await judgedWith(right, { ALPNProtocols: undefined });
    expect(text).toBe("tls: a.example at 9.9.9.9 port 443 did not select the protocol acme-tls/1");
    const others = await judgedWith(right, { ALPNProtocols: ["http/1.1"] });
    expect(others.text).toMatch(
      /^tls: the TLS handshake with a\.example at 9\.9\.9\.9 port 443 failed: /,
    );
  });

  it("reports a server without TLS as tls, without revealing its output", async () => {
    const server = createPlain((socket) => void socket.end("HTTP/1.1 400 secret words\r\n\r\n"));
    const port = await listening(server);
    closing.push(() => server.close());
    const reach = network({ "A a.example": ["9.9.9.9"] }, { "9.9.9.9": () => dial(port) });
    const text = await verdict(validateTlsAlpn01("a.example", proof, reach, never));
    expect(text).toMatch(/^tls: the TLS handshake with a\.example at 9\.9\.9\.9 port 443 failed: /);
    expect(text).not.toContain("secret");
  });

  it("reports a server that stalls in the handshake as connection", async () => {
    const limits: AbortController[] = [];
    const timeout = () => {
      limits.push(new AbortController());
      return limits.at(-1)?.signal ?? never;
    };
    const reach = network(
      { "A a.example": ["9.9.9.9"] },
      { "9.9.9.9": () => peer([], "stalls") },
      { timeout },
    );
    const late = verdict(validateTlsAlpn01("a.example", proof, reach, never));
    while (limits.length < 2) await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => setTimeout(resolve, 20));
    limits[0]?.abort();
    expect(await late).toBe(
      "connection: the TLS handshake with a.example at 9.9.9.9 port 443 timed out",
    );
  });

  it("dials the configured port instead of 443", async () => {
    const reach = network({ "A a.example": ["9.9.9.9"] }, {}, { tlsPort: 5001 });
    expect(await verdict(validateTlsAlpn01("a.example", proof, reach, never))).toBe(
      "connection: cannot connect to a.example at 9.9.9.9 port 5001",
    );
    expect(reach.dialled).toEqual(["9.9.9.9 5001"]);
  });
});

describe("http-01 with a redirect to https (security row 39)", () => {
  const redirect = () =>
    peer(["HTTP/1.1 301 X\r\nLocation: https://a.example/x\r\nContent-Length: 0\r\n\r\n"]);

  it("accepts any server certificate, over TLS 1.3 and 1.2", async () => {
    const own = await certificate({ key, names: { dns: ["elsewhere.example"] } });
    for (const maxVersion of ["TLSv1.3", "TLSv1.2"] as const) {
      const asked: (string | false | null)[] = [];
      const server = createServer({ key: own.key.pem, cert: own.pem, maxVersion }, (socket) => {
        asked.push(socket.servername);
        socket.end(`HTTP/1.1 200 X\r\n\r\n${proof.keyAuthorization}\n`);
      });
      const port = await listening(server);
      closing.push(() => server.close());
      const reach = network(
        { "A a.example": ["9.9.9.9"] },
        { "9.9.9.9 80": redirect, "9.9.9.9 443": () => dial(port) },
      );
      expect(await verdict(validateHttp01("a.example", proof, reach, never))).toBe("proven");
      expect([reach.dialled, asked]).toEqual([["9.9.9.9 80", "9.9.9.9 443"], ["a.example"]]);
    }
  });

  it("reports a failed handshake as tls", async () => {
    const reach = network(
      { "A a.example": ["9.9.9.9"] },
      { "9.9.9.9 80": redirect, "9.9.9.9 443": () => peer(["HTTP/1.1 400 secret\r\n\r\n"]) },
    );
    const text = await verdict(validateHttp01("a.example", proof, reach, never));
    expect(text).toMatch(/^tls: the TLS handshake with the target of redirect 1 failed: /);
    expect(text).not.toContain("secret");
  });
});
