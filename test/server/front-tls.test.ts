import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { connect, type ConnectionOptions } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listen } from "../../server/http/front.ts";
import { temporaryDirectory } from "../support/server.ts";
import { exchange, fixture, type Fixture } from "./front-fixture.ts";

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
beforeAll(async () => {
  at = await fixture({ tls: server });
});
afterAll(() => at.close());

async function ask(
  options: ConnectionOptions,
): Promise<{ answer: string; about: unknown; scheme: unknown; protocol: string | null }> {
  const before = at.seen.length;
  const socket = connect({
    host: "127.0.0.1",
    port: at.front.port,
    ca: server.cert,
    ALPNProtocols: ["h2", "http/1.1"],
    ...options,
  });
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString()));
  socket.write("LIST /v1/tls HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  const headers = at.seen[before]?.headers;
  return {
    answer,
    about: JSON.parse(String(headers?.["about-0123456789abcdef"])),
    scheme: headers?.["scheme-0123456789abcdef"],
    protocol: socket.alpnProtocol || null,
  };
}

it("a caller without a certificate is served over TLS", async () => {
  const { answer, about, scheme, protocol } = await ask({});
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*GET \/v1\/tls\?list=true 0$/);
  expect(about).toEqual({ clientAddress: "127.0.0.1" });
  expect(scheme).toBe("https");
  expect(protocol).toBe("http/1.1");
});

it("a caller's certificate is passed on, whoever signed it", async () => {
  const { about } = await ask(caller);
  expect(about).toEqual({
    clientAddress: "127.0.0.1",
    clientCertificate: new X509Certificate(caller.cert).raw.toString("base64"),
  });
});

it("a certificate without its key gets nowhere", async () => {
  const before = at.seen.length;
  const other = selfSigned("other");
  expect(() =>
    connect({
      host: "127.0.0.1",
      port: at.front.port,
      ca: server.cert,
      cert: caller.cert,
      key: other.key,
    }),
  ).toThrow(/mismatch/);
  expect(at.seen).toHaveLength(before);
});

it("TLS 1.1 and plain HTTP are not spoken on the TLS port", async () => {
  const before = at.seen.length;
  await expect(ask({ minVersion: "TLSv1.1", maxVersion: "TLSv1.1" })).rejects.toThrow();
  expect(await exchange(at.front.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).not.toMatch(/^HTTP/);
  expect(at.seen).toHaveLength(before);
});

it("a caller that never ends its handshake is let go", async () => {
  const impatient = await fixture({ tls: server, limits: { headMs: 20 } });
  expect(await exchange(impatient.front.port, "")).toBe("");
  expect(await exchange(impatient.front.port, "\x16\x03\x01\x02")).toBe("");
  await impatient.close();
});

it("a front that closes does not wait for callers within their handshake", async () => {
  const closing = await fixture({ tls: server });
  const silent = connectPlain(closing.front.port, "127.0.0.1");
  await once(silent, "connect");
  // callers are accepted in their order: when a later one is through, the silent one waits inside
  const later = connect({ host: "127.0.0.1", port: closing.front.port, ca: server.cert });
  await once(later, "secureConnect");
  later.destroy();
  await closing.close();
  silent.destroy();
});

it("a key that does not belong to the certificate is an error at the start", async () => {
  const tls = { cert: server.cert, key: caller.key };
  await expect(
    listen({
      host: "127.0.0.1",
      port: 0,
      upstream: "/nowhere",
      aboutHeader: "a",
      schemeHeader: "b",
      tls,
    }),
  ).rejects.toThrow(/mismatch/);
});
