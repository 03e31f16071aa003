import { randomBytes } from "node:crypto";
import { connect, type AddressInfo, type Server } from "node:net";
import { Duplex } from "node:stream";
import { once } from "node:events";
import { asBytes } from "../../src/base/bytes.ts";
import { encodePem } from "../../src/base/pem.ts";
import type { Connection, Signer } from "../../src/engine/ports.ts";
import { connectTls, type TlsConnection, type TlsOptions } from "../../src/net/tls.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { openPkcs8 } from "../../src/keys/signer.ts";
import {
  algorithmIdentifier,
  defaultScheme,
  webCryptoParameters,
  parsePublicKey,
} from "../../src/x509/public-key.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import type { TbsFields } from "../../src/x509/certificate.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { encodeName } from "../../src/x509/name.ts";
import { noNames, subjectAltName, type GeneralNames } from "../../src/x509/san.ts";
import { keyUsage } from "../../src/x509/usage.ts";
import { certify, commonName, defined, type TestKey } from "../x509/fixture.ts";

/** The time of these tests, Unix seconds. */
export const now = Math.floor(Date.now() / 1000);
const day = 86_400;

/** A key in every form that tests need. */
export interface Key extends TestKey {
  readonly signer: Pick<Signer, "sign">;
  readonly pkcs8: Uint8Array;
  readonly pem: string;
}

export async function newKey(type = "ec", bits = 0): Promise<Key> {
  const { pkcs8, spki } = await generateKey(type, bits);
  const key = parsePublicKey(spki);
  const scheme = defaultScheme(key);
  const { signing } = key.algorithm;
  const signer: Key["signer"] = {
    async sign(used, data) {
      if (!signing.platform)
        return signing.sign(openPkcs8(pkcs8).key, { scheme: used, data, random: randomBytes });
      const imported = await crypto.subtle.importKey(
        "pkcs8",
        asBytes(pkcs8),
        signing.importedFor(used),
        false,
        ["sign"],
      );
      const raw = await crypto.subtle.sign(webCryptoParameters(used), imported, asBytes(data));
      return signing.form?.write(new Uint8Array(raw)) ?? new Uint8Array(raw);
    },
  };
  const sign = (data: Uint8Array) => signer.sign(scheme, data);
  return { key, scheme, sign, signer, pkcs8, pem: encodePem("PRIVATE KEY", pkcs8) };
}

/** A certificate with its key. */
export interface Certified {
  readonly key: Key;
  readonly der: Uint8Array;
  readonly pem: string;
  readonly subject: Uint8Array;
}

/** Creates a certificate; without an issuer it is self-signed. */
export async function certificate(
  options: {
    readonly key?: Key;
    readonly issuer?: Certified;
    readonly name?: string;
    readonly names?: Partial<GeneralNames>;
    readonly ca?: boolean;
    readonly extensions?: readonly (Extension | undefined)[];
    readonly fields?: Partial<TbsFields>;
  } = {},
): Promise<Certified> {
  const { key = await newKey(), issuer, name = "peer", names = {}, ca = false } = options;
  const subject = encodeName(commonName(name));
  const signer = issuer?.key ?? key;
  const der = await certify(signer, {
    serial: asBytes(randomBytes(8)).map((byte, i) => (i === 0 ? byte & 0x7f : byte)),
    algorithm: algorithmIdentifier(signer.scheme),
    issuer: issuer?.subject ?? subject,
    notBefore: now - day,
    notAfter: now + day,
    subject,
    spki: key.key.spki,
    extensions: defined([
      ...(ca ? [keyUsage(["CertSign", "CRLSign"]), basicConstraints(true)] : []),
      subjectAltName({ ...noNames, ...names }, false),
      ...(options.extensions ?? []),
    ]),
    ...options.fields,
  });
  return { key, der, pem: encodePem("CERTIFICATE", der), subject };
}

/** Waits until a server listens on its own port. */
export async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Opens a connection in the form of the engine's ports. */
export async function dial(port: number): Promise<Connection> {
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  const { readable, writable } = Duplex.toWeb(socket);
  socket.on("error", () => undefined);
  return {
    readable: readable as ReadableStream<Uint8Array>,
    writable: writable as WritableStream<Uint8Array>,
    close: () => socket.destroy(),
  };
}

/** Returns options that trust every certificate. */
export const trusting = (more: Partial<TlsOptions> = {}): TlsOptions => ({
  trust: "any",
  random: (size) => new Uint8Array(randomBytes(size)),
  now,
  signal: AbortSignal.timeout(20_000),
  ...more,
});

export const secured = async (port: number, more?: Partial<TlsOptions>): Promise<TlsConnection> =>
  await connectTls(await dial(port), trusting(more));

/** Reads a stream to its end. */
export async function readAll(readable: ReadableStream<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of readable) parts.push(part);
  return Buffer.concat(parts);
}
/** Writes bytes and closes the stream. */
export async function writeAll(
  writable: WritableStream<Uint8Array>,
  bytes: Uint8Array,
): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(bytes);
  await writer.close();
}
