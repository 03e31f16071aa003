import { createServer as createPlain } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toBase64 } from "../../src/base/bytes.ts";
import { certificate, listening, newKey, type Certified } from "../net/tls-fixture.ts";
import { startDeployed, type Deployment } from "../support/deployed.ts";

let server: Deployment;
const closing: (() => void)[] = [];
beforeAll(async () => {
  const entry = new URL("tls-worker.ts", import.meta.url).pathname;
  server = await startDeployed({ entry });
});
afterAll(async () => {
  closing.forEach((close) => close());
  await server.stop();
});

/** Starts a TLS server that echoes. */
async function echo(own: Certified, options: TlsOptions): Promise<number> {
  const peer = createServer(
    {
      key: own.key.pem,
      cert: own.pem,
      allowHalfOpen: true,
      ALPNProtocols: ["acme-tls/1"],
      ...options,
    },
    (socket) => {
      socket.on("error", () => undefined);
      socket.pipe(socket);
    },
  );
  peer.on("tlsClientError", () => undefined);
  closing.push(() => peer.close());
  return await listening(peer);
}
const talk = async (query: Readonly<Record<string, string | number>>): Promise<unknown> => {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  );
  return (await fetch(`${server.url}/?${search}`)).json();
};

const mebibyte = 2 ** 20;
const names = { dns: ["peer.example"] };
describe("connectTls in a Worker", () => {
  it.each([
    ["ec", 256],
    ["ec", 521],
    ["rsa", 2048],
    ["ed25519", 0],
  ] as const)(
    "exchanges a mebibyte over TLS 1.3 and 1.2 with a server whose key is %s %i",
    async (type, bits) => {
      const own = await certificate({ key: await newKey(type, bits), names });
      for (const version of ["1.3", "1.2"]) {
        const maxVersion = version === "1.3" ? "TLSv1.3" : "TLSv1.2";
        const port = await echo(own, { maxVersion });
        expect(await talk({ port, size: mebibyte, root: toBase64(own.der) })).toEqual({
          version,
          alpn: "acme-tls/1",
          leaf: toBase64(own.der),
          read: mebibyte,
        });
      }
    },
  );

  it("negotiates every group, after a HelloRetryRequest if needed", async () => {
    const own = await certificate({ names });
    for (const ecdhCurve of ["X25519", "P-256", "P-384", "P-521"])
      expect(await talk({ port: await echo(own, { ecdhCurve }), size: 9 })).toMatchObject({
        version: "1.3",
        read: 9,
      });
  });

  it("presents its client certificate if the server requests one", async () => {
    const own = await certificate({ names });
    const client = await certificate({ key: await newKey("ec", 521), name: "client" });
    const asking = { requestCert: true, ca: client.pem };
    for (const maxVersion of ["TLSv1.3", "TLSv1.2"] as const) {
      const port = await echo(own, { ...asking, maxVersion });
      const identity = { chain: toBase64(client.der), key: toBase64(client.key.pkcs8) };
      expect(await talk({ port, size: 9, ...identity })).toMatchObject({ read: 9 });
      // the alert, unless the system drops it with the connection
      expect(await talk({ port, size: 9 })).toMatchObject({ name: "TlsError" });
    }
  });

  it("reports a server without TLS and an untrusted certificate", async () => {
    const plain = createPlain((socket) => {
      socket.on("error", () => undefined);
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    closing.push(() => plain.close());
    expect(await talk({ port: await listening(plain), size: 1 })).toMatchObject({
      name: "TlsError",
      kind: "protocol",
    });
    const [own, other] = [await certificate({ names }), await certificate({ names })];
    const port = await echo(own, {});
    expect(await talk({ port, size: 1, root: toBase64(other.der) })).toMatchObject({
      kind: "trust",
      alert: "unknown_ca",
    });
  });
});
