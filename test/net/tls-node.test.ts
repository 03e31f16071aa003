import { createServer, type TlsOptions as ServerOptions, type TLSSocket } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { asBytes, equalBytes, utf8 } from "../../src/base/bytes.ts";
import {
  certificate,
  listening,
  newKey,
  readAll,
  secured,
  writeAll,
  type Certified,
} from "./tls-fixture.ts";

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** Starts a Node server; `serve` handles its connections, by default as an echo. */
async function serve(
  own: Certified,
  options: ServerOptions = {},
  serve: (socket: TLSSocket) => void = (socket) => void socket.pipe(socket),
): Promise<number> {
  const server = createServer(
    { key: own.key.pem, cert: own.pem, allowHalfOpen: true, ...options },
    (socket) => {
      socket.on("error", () => undefined);
      serve(socket);
    },
  );
  server.on("tlsClientError", () => undefined);
  const port = await listening(server);
  closing.push(() => server.close());
  return port;
}

const kinds = [
  ["ec", 256],
  ["ec", 384],
  ["ec", 521],
  ["rsa", 2048],
  ["ed25519", 0],
] as const;
const versions = ["TLSv1.3", "TLSv1.2"] as const;
const own = await certificate({ names: { dns: ["peer.example"] } });

describe("connectTls with a Node server", () => {
  it.each([
    ...versions.flatMap((version) => kinds.map((kind) => [version, ...kind] as const)),
    ["TLSv1.3", "ml-dsa-65", 0] as const,
  ])("transfers data both ways in %s with a %s %i certificate", async (version, type, bits) => {
    const peer = await certificate({ key: await newKey(type, bits) });
    const port = await serve(peer, { minVersion: version, maxVersion: version });
    const tls = await secured(port);
    expect(tls.version).toBe(version.slice(4));
    expect(equalBytes(tls.chain[0] ?? new Uint8Array(), peer.der)).toBe(true);
    await writeAll(tls.writable, utf8("hello"));
    expect((await readAll(tls.readable)).toString()).toBe("hello");
  });

  it.each(
    versions.flatMap((version) =>
      ["X25519", "P-256", "P-384", "P-521"].map((curve) => [version, curve] as const),
    ),
  )("negotiates %s with the group %s", async (version, ecdhCurve) => {
    const port = await serve(own, { minVersion: version, maxVersion: version, ecdhCurve });
    const tls = await secured(port, { serverName: "peer.example" });
    await writeAll(tls.writable, utf8("hello"));
    expect((await readAll(tls.readable)).toString()).toBe("hello");
  });

  it.each([
    ["TLS_AES_128_GCM_SHA256", "1.3"],
    ["TLS_AES_256_GCM_SHA384", "1.3"],
    ["ECDHE-ECDSA-AES128-GCM-SHA256", "1.2"],
    ["ECDHE-ECDSA-AES256-GCM-SHA384", "1.2"],
  ])("negotiates the cipher suite %s", async (ciphers, version) => {
    const maxVersion = version === "1.3" ? "TLSv1.3" : "TLSv1.2";
    const tls = await secured(await serve(own, { ciphers, maxVersion }));
    expect(tls.version).toBe(version);
    const words = ciphers.replace(/^ECDHE-ECDSA-AES/, "TLS_ECDHE_ECDSA_WITH_AES_");
    expect(tls.cipher).toBe(words.replaceAll("-", "_"));
    tls.close();
  });

  it.each(versions)("negotiates a protocol in %s, or none", async (maxVersion) => {
    const port = await serve(own, { maxVersion, ALPNProtocols: ["acme-tls/1"] });
    const tls = await secured(port, { alpn: ["acme-tls/1"] });
    expect(tls.alpn).toBe("acme-tls/1");
    tls.close();
    const none = await secured(port);
    expect(none.alpn).toBeUndefined();
    none.close();
    await expect(secured(port, { alpn: ["h2"] })).rejects.toMatchObject({
      name: "TlsError",
      kind: "alert",
      alert: "no_application_protocol",
    });
  });

  it.each(versions)("transfers a mebibyte in both directions in %s", async (maxVersion) => {
    const port = await serve(own, { maxVersion });
    const tls = await secured(port);
    const sent = crypto.getRandomValues(new Uint8Array(65_536));
    const all = Buffer.concat(Array.from({ length: 16 }, () => sent));
    const [read] = await Promise.all([readAll(tls.readable), writeAll(tls.writable, all)]);
    expect(equalBytes(read, all)).toBe(true);
  });
});

describe("TLS client certificates", () => {
  const accept = async (type: string, bits: number) => {
    const key = await newKey(type, bits);
    return await certificate({ key, name: "client" });
  };
  const asking = { requestCert: true, rejectUnauthorized: false } as const;

  it.each(versions.flatMap((version) => kinds.map((kind) => [version, ...kind] as const)))(
    "are sent in %s with a %s %i key",
    async (version, type, bits) => {
      const own = await accept(type, bits);
      const seen: unknown[] = [];
      const port = await serve(
        await certificate(),
        { ...asking, minVersion: version, maxVersion: version, ca: own.pem },
        (socket) => {
          seen.push(socket.getPeerCertificate().subject.CN, socket.authorized);
          socket.end("seen");
        },
      );
      const tls = await secured(port, { identity: { chain: [own.der], key: own.key.signer } });
      expect((await readAll(tls.readable)).toString()).toBe("seen");
      expect(seen).toEqual(["client", true]);
      tls.close();
    },
  );

  it.each([
    ["TLSv1.3", "RSA-PSS"],
    ["TLSv1.2", "RSASSA-PKCS1-v1_5"],
    ["TLSv1.3", "ECDSA"],
  ] as const)("are proven in %s with a WebCrypto key for %s", async (version, name) => {
    const own = await accept(name === "ECDSA" ? "ec" : "rsa", 0);
    const parameters = name === "ECDSA" ? { name, namedCurve: "P-256" } : { name, hash: "SHA-384" };
    const key = await crypto.subtle.importKey("pkcs8", asBytes(own.key.pkcs8), parameters, false, [
      "sign",
    ]);
    const port = await serve(
      await certificate(),
      { ...asking, maxVersion: version, ca: own.pem },
      (socket) => socket.end(String(socket.authorized)),
    );
    const tls = await secured(port, { identity: { chain: [own.der], key } });
    expect((await readAll(tls.readable)).toString()).toBe("true");
    tls.close();
  });

  it.each(versions)("are omitted in %s if the client has none", async (version) => {
    const own = await certificate();
    const server = (required: boolean) =>
      serve(
        own,
        { requestCert: true, rejectUnauthorized: required, maxVersion: version },
        (socket) => socket.end(`${Object.keys(socket.getPeerCertificate()).length} members`),
      );
    const tls = await secured(await server(false));
    expect((await readAll(tls.readable)).toString()).toBe("0 members");
    tls.close();
    const refused = secured(await server(true)).then(({ readable }) => readAll(readable));
    await expect(refused).rejects.toMatchObject({
      kind: "alert",
      alert: version === "TLSv1.3" ? "certificate_required" : "handshake_failure",
    });
  });

  it("are omitted in TLS 1.3 if the key is bound to a signature scheme of TLS 1.2", async () => {
    const own = await accept("rsa", 0);
    const parameters = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("pkcs8", asBytes(own.key.pkcs8), parameters, false, [
      "sign",
    ]);
    const port = await serve(await certificate(), asking, (socket) =>
      socket.end(`${Object.keys(socket.getPeerCertificate()).length} members`),
    );
    const tls = await secured(port, { identity: { chain: [own.der], key } });
    expect((await readAll(tls.readable)).toString()).toBe("0 members");
    tls.close();
  });
});
