import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../support/server.ts";
import { exchange, fixture, type Fixture } from "./http-fixture.ts";

const directory = temporaryDirectory();

function selfSigned(name: string): { cert: string; key: string } {
  const [key, cert] = [join(directory, `${name}.key`), join(directory, `${name}.crt`)];
  const options = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
    "-addext",
    "subjectAltName=IP:127.0.0.1",
  ];
  execFileSync("openssl", ["req", "-x509", ...options, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

const server = selfSigned("server");
const caller = selfSigned("caller");
let at: Fixture;
let plain: Fixture;
beforeAll(async () => {
  at = await fixture({ tls: { ...server, requestCert: true } });
  plain = await fixture({ tls: server });
});
afterAll(() => Promise.all([at.close(), plain.close()]));

async function ask(options: ConnectionOptions, to = at) {
  const before = to.seen.length;
  const socket = connect({
    host: "127.0.0.1",
    port: to.listener.port,
    ca: server.cert,
    ALPNProtocols: ["h2", "http/1.1"],
    ...options,
  });
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  socket.write("LIST /v1/tls HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  const { peer, origin } = to.seen[before] ?? {};
  return { answer, peer, origin, protocol: socket.alpnProtocol || null };
}

it("a client is served over TLS with HTTP/1.1, and has no certificate chain unless certificates are requested", async () => {
  const { answer, peer, origin, protocol } = await ask(caller, plain);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*LIST \/v1\/tls 0$/);
  expect(peer).toEqual({ address: "127.0.0.1" });
  expect(origin).toBe("https://a");
  expect(protocol).toBe("http/1.1");
});

it("a client without a certificate is served even if certificates are requested", async () => {
  const { peer } = await ask({});
  expect(peer).toEqual({ address: "127.0.0.1", tlsChain: [] });
});

it("a client's certificate is passed on, regardless of its issuer", async () => {
  const { peer } = await ask(caller);
  const certificate = new Uint8Array(new X509Certificate(caller.cert).raw);
  expect(peer).toEqual({ address: "127.0.0.1", tlsChain: [certificate] });
});

it("the TLS port accepts neither TLS 1.1 nor plain HTTP", async () => {
  const before = at.seen.length;
  await expect(ask({ minVersion: "TLSv1.1", maxVersion: "TLSv1.1" })).rejects.toThrow();
  expect(await exchange(at.listener.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).not.toMatch(
    /^HTTP/,
  );
  expect(at.seen).toHaveLength(before);
});

it("a client that does not complete its handshake is disconnected", async () => {
  const impatient = await fixture({ tls: server, limits: { headMs: 20 } });
  expect(await exchange(impatient.listener.port, "")).toBe("");
  expect(await exchange(impatient.listener.port, "\x16\x03\x01\x02")).toBe("");
  await impatient.close();
});

it("a closing server does not wait for clients in their handshake", async () => {
  const closing = await fixture({ tls: server });
  const silent = connectPlain(closing.listener.port, "127.0.0.1");
  await once(silent, "connect");
  // connections are accepted in order: when a later one is open, the silent one is in its handshake
  const later = connect({ host: "127.0.0.1", port: closing.listener.port, ca: server.cert });
  await once(later, "secureConnect");
  later.destroy();
  await closing.close();
  silent.destroy();
});

it("a key that does not match the certificate stops the start", async () => {
  const tls = { cert: server.cert, key: caller.key };
  await expect(fixture({ tls })).rejects.toThrow(/mismatch/);
});

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;
interface Connected {
  readonly socket: TLSSocket;
  /** Fingerprint of the server's certificate. */
  readonly fingerprint: string;
  /** Returns the session ticket of the server. */
  ticket(): Buffer | undefined;
}
async function connected(to: Fixture, options: ConnectionOptions = {}): Promise<Connected> {
  const { port } = to.listener;
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options });
  let ticket: Buffer | undefined;
  socket.on("session", (session: Buffer) => (ticket = session));
  await once(socket, "secureConnect");
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256 ?? "none";
  return { socket, fingerprint, ticket: () => ticket ?? socket.getSession() };
}
async function answered({ socket }: Connected): Promise<string> {
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [chunk] = await once(socket, "data");
  return String(chunk).slice(0, 15);
}

it("a replaced certificate is presented to new clients, and existing connections stay open", async () => {
  const [first, second] = [selfSigned("first"), selfSigned("second")];
  const changing = await fixture({ tls: first });
  const early = await connected(changing);
  changing.secure(second);
  const late = await connected(changing);
  expect([early.fingerprint, late.fingerprint]).toEqual(
    [first, second].map(({ cert }) => fingerprintOf(cert)),
  );
  expect(await Promise.all([early, late].map(answered))).toEqual(Array(2).fill("HTTP/1.1 200 OK"));
  expect(() => changing.secure({ cert: first.cert, key: second.key })).toThrow(/mismatch/);
  expect((await connected(changing)).fingerprint).toBe(late.fingerprint);
  await changing.close();
});

it("clients wait until the server has a certificate, and those that disconnect meanwhile are removed", async () => {
  const waiting = await fixture({ tls: {} });
  const early = connected(waiting);
  const gone = connectPlain(waiting.listener.port, "127.0.0.1");
  await once(gone, "connect");
  gone.destroy();
  await expect.poll(() => waiting.listener.connections).toBe(1);
  waiting.secure(server);
  expect(await answered(await early)).toBe("HTTP/1.1 200 OK");
  await waiting.close();
});

it.each(["TLSv1.2", "TLSv1.3"] as const)(
  "no session of %s is resumed if client certificates are requested",
  async (version) => {
    const asking = await fixture({ tls: { requestCert: true } });
    asking.secure(server);
    for (const [to, isReused] of [
      [asking, false],
      [at, false],
      [plain, true],
    ] as const) {
      const options = { ...caller, minVersion: version, maxVersion: version };
      const first = await connected(to, options);
      await answered(first);
      const session = first.ticket();
      first.socket.destroy();
      const again = await connected(to, { ...options, session });
      expect(again.socket.isSessionReused()).toBe(isReused);
      again.socket.destroy();
    }
    await asking.close();
  },
);

it("a client cannot renegotiate, and thus not change its certificate within a connection", async () => {
  at.secure(server);
  const { socket } = await connected(at, { ...caller, maxVersion: "TLSv1.2" });
  const refused = await new Promise((resolve) => {
    socket.once("error", (error) => resolve(error));
    socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error));
  });
  expect(String(refused)).toMatch(/renegotiation/i);
  socket.destroy();
});

it("a certificate chain above the limit of TLS is rejected", async () => {
  const before = at.seen.length;
  const chain = caller.cert + server.cert.repeat(400);
  await expect(ask({ ...caller, cert: chain })).rejects.toThrow();
  expect(at.seen).toHaveLength(before);
});

it("the server passes on the first ten certificates of a long chain", async () => {
  const chain = caller.cert + server.cert.repeat(40);
  const { peer } = await ask({ ...caller, cert: chain });
  expect(peer?.tlsChain).toHaveLength(10);
});

it("the certificate of a trusted proxy is not attributed to its clients", async () => {
  const trusted = ["127.0.0.1/32"];
  const behind = await fixture({ tls: { ...server, requestCert: true }, trusted });
  expect((await ask(caller, behind)).peer).toEqual({ tlsChain: [] });
  await behind.close();
});
