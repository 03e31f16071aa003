import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certificatesInFields } from "../../server/http/client-certificate.ts";
import { parseRanges } from "../../src/net/ranges.ts";
import { certificate } from "../net/tls-fixture.ts";
import { exchange, fixture, type Fixture } from "./http-fixture.ts";

const [own, other] = [await certificate({ name: "own" }), await certificate({ name: "other" })];
const bytes = ({ der }: { readonly der: Uint8Array }): string =>
  `:${Buffer.from(der).toString("base64")}:`;
/** Encodes a certificate like nginx's `$ssl_client_escaped_cert`. */
const escaped = ({ pem }: { readonly pem: string }): string =>
  encodeURIComponent(pem.endsWith("\n") ? pem : `${pem}\n`);
const passed = (cert?: string, chain?: string): readonly Uint8Array[] =>
  certificatesInFields(
    new Map([
      ...(cert === undefined ? [] : [["client-cert", cert] as const]),
      ...(chain === undefined ? [] : [["client-cert-chain", chain] as const]),
    ]),
  );

describe("certificatesInFields (RFC 9440)", () => {
  it.each<[string, string | undefined, string | undefined, readonly Uint8Array[]]>([
    ["none, without a field", undefined, undefined, []],
    ["none, of empty fields", "", "", []],
    ["none, of empty byte sequences", "::", "::", []],
    ["one", bytes(own), undefined, [own.der]],
    [
      "one with its chain",
      bytes(own),
      `${bytes(other)}, ${bytes(own)}`,
      [own, other, own].map((c) => c.der),
    ],
    ["one as nginx escapes it", escaped(own), "", [own.der]],
    [
      "as many as ten",
      bytes(own),
      Array(9).fill(bytes(other)).join(","),
      [own.der, ...Array<Uint8Array>(9).fill(other.der)],
    ],
  ])("returns %s", (_, cert, chain, expected) => {
    expect(passed(cert, chain)).toEqual(expected);
  });

  const base64 = bytes(own).slice(1, -1);
  it.each<[string, string, string?]>([
    ["without colons", base64],
    ["with one colon", `:${base64}`],
    ["in quotes", `"${base64}"`],
    ["that is no base64", ":%%%%:"],
    ["of the URL alphabet", ":_-_-:"],
    ["without its padding", ":QUI:"],
    ["with a parameter", `${bytes(own)};a=1`],
    ["with something behind", `${bytes(own)} x`],
    ["twice", `${bytes(own)}, ${bytes(own)}`],
    ["twice, one of them empty", `${bytes(own)}, `],
    ["that is not DER", ":QUJD:"],
    ["with bytes behind", `:${Buffer.concat([own.der, Buffer.of(0)]).toString("base64")}:`],
    ["that is cut", `:${Buffer.from(own.der.subarray(0, -1)).toString("base64")}:`],
    [
      "of another escaped block",
      escaped({ pem: own.pem.replaceAll("CERTIFICATE", "PRIVATE KEY") }),
    ],
    ["of two escaped blocks", escaped(own) + escaped(other)],
    ["that is PEM, not escaped", own.pem.replaceAll("\n", " ")],
    ["with a broken escape", "-----BEGIN%20CERTIFICATE-----%0A%2%0A-----END%20CERTIFICATE-----"],
    ["whose chain is none", bytes(own), "x"],
    ["whose chain has a gap", bytes(own), `${bytes(other)},,${bytes(other)}`],
    ["whose chain is escaped", bytes(own), escaped(other)],
    ["whose chain is too long", bytes(own), Array(10).fill(bytes(other)).join(",")],
    ["which only its chain is there of", "", bytes(other)],
    ["which only its chain is there of, beside an empty one", "::", bytes(other)],
  ])("throws for a field %s", (_, cert, chain) => {
    expect(() => passed(cert, chain)).toThrow(/Client-Cert/);
  });
});

describe("a server behind a proxy that forwards client certificates", () => {
  let [at, deaf]: (Fixture | undefined)[] = [];
  beforeAll(async () => {
    const trusted = parseRanges("127.0.0.2") ?? [];
    const limits = { lingerMs: 20 };
    [at, deaf] = [
      await fixture({ trusted, limits, clientCertHeader: true }),
      await fixture({ trusted, limits }),
    ];
  });
  afterAll(async () => {
    await at?.close();
    await deaf?.close();
  });

  const requestOf = (...lines: readonly string[]): string =>
    ["GET /who HTTP/1.1", "Host: a", ...lines, "", ""].join("\r\n");
  const last = "Connection: close";
  async function peers(to: Fixture | undefined, from: string, text: string): Promise<unknown[]> {
    if (!to) throw new TypeError("begun before each test");
    const before = to.seen.length;
    const answer = await exchange(to.listener.port, text, false, from);
    return [...to.seen.slice(before).map(({ peer }) => peer), answer.slice(9, 12)];
  }
  const behind = { address: "192.0.2.7" };
  const forwarded = "X-Forwarded-For: 192.0.2.7";
  const line = `Client-Cert: ${bytes(own)}`;

  it("assigns to each request its own certificate, even on one connection", async () => {
    const text =
      requestOf(forwarded, line) +
      requestOf(forwarded) +
      requestOf(forwarded, `client-cert: ${bytes(other)}`, `Client-Cert-Chain: ${bytes(own)}`) +
      requestOf(forwarded, "Client-Cert: ::", last);
    expect(await peers(at, "127.0.0.2", text)).toEqual([
      { ...behind, tlsChain: [own.der] },
      { ...behind, tlsChain: [] },
      { ...behind, tlsChain: [other.der, own.der] },
      { ...behind, tlsChain: [] },
      "200",
    ]);
  });

  it("ignores the fields of an untrusted client, well-formed or not", async () => {
    for (const lines of [[line], [line, line], ["Client-Cert: nonsense"], [forwarded, line]])
      expect(await peers(at, "127.0.0.1", requestOf(...lines, last))).toEqual([
        { address: "127.0.0.1", tlsChain: [] },
        "200",
      ]);
  });

  it("rejects invalid fields of a trusted proxy without handling the request", async () => {
    for (const lines of [
      [line, line],
      [line, "Client-Cert:"],
      ["Client-Cert: nonsense"],
      [`Client-Cert-Chain: ${bytes(own)}`],
      [line, ...Array<string>(10).fill(`Client-Cert-Chain: ${bytes(own)}`)],
    ])
      expect(await peers(at, "127.0.0.2", requestOf(forwarded, ...lines))).toEqual(["400"]);
  });

  it("ignores other header names", async () => {
    const names = ["Client_Cert", "X-Client-Cert", "SSL-Client-Cert", "X-SSL-Client-Cert"];
    const lines = names.map((name) => `${name}: ${bytes(own)}`);
    expect(await peers(at, "127.0.0.2", requestOf(...lines, last))).toEqual([
      { tlsChain: [] },
      "200",
    ]);
  });

  it("ignores the fields unless configured", async () => {
    for (const from of ["127.0.0.1", "127.0.0.2"])
      for (const lines of [[line], [line, line], ["Client-Cert: nonsense"]]) {
        const peer = from === "127.0.0.1" ? { address: from } : {};
        expect(await peers(deaf, from, requestOf(...lines, last))).toEqual([peer, "200"]);
      }
  });
});
