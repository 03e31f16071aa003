import { concat, utf8 } from "../base/bytes.ts";
import { violation } from "./tls-error.ts";
import { messageType, type Handshake, type Message } from "./tls-handshake.ts";
import { expandLabel, hmac, isHmac } from "./tls-hash.ts";
import {
  chosenProtocol,
  extensionType,
  requireKnownExtensions,
  readExtensions,
  sharedSecret,
  type ServerHello,
} from "./tls-hello.ts";
import { signingFor, type Signing } from "./tls-identity.ts";
import { keysOf, opener13, sealer13 } from "./tls-protection.ts";
import type { NegotiatedSession, ClientHandshake } from "./tls-session.ts";
import { requireSignature, keyOfLeaf } from "./tls-signature.ts";
import { hashLength, type Suite } from "./tls-suites.ts";
import { requireTrust } from "./tls-trust.ts";
import { uint, vector, WireReader } from "./tls-wire.ts";

/** The secrets for both directions. */
interface Secrets {
  readonly client: Uint8Array;
  readonly server: Uint8Array;
}

/** Completes a TLS 1.3 handshake after the ServerHello (RFC 8446 section 2). */
export async function handshake13(
  client: ClientHandshake,
  hello: ServerHello,
): Promise<NegotiatedSession> {
  const { shake, options } = client;
  const { suite } = hello;
  const secret = await handshakeSecret(client, hello);
  const secrets = await secretsOf(client, suite, [secret, "c hs traffic", "s hs traffic"]);
  shake.boundary();
  client.sendChangeOnce();
  shake.records.writeWith(sealer13(await keysOf(suite, secrets.client)));
  shake.records.readWith(opener13(await keysOf(suite, secrets.server)));

  const { body } = await shake.next(messageType.encryptedExtensions);
  const alpn = readEncrypted(body, client);
  const first = await shake.next(messageType.certificateRequest, messageType.certificate);
  const requestsCertificate = first.type === messageType.certificateRequest;
  const certificates = requestsCertificate ? await shake.next(messageType.certificate) : first;
  const chain = readChain(certificates);
  await requireTrust(chain, options);
  await proveServer(client, suite, chain);
  await serverFinished(client, suite, secrets.server);

  const master = await masterSecret(suite, secret);
  const traffic = await secretsOf(client, suite, [master, "c ap traffic", "s ap traffic"]);
  if (requestsCertificate) await identify(client, suite, first);
  const finished = await finishedKey(suite, secrets.client);
  shake.send(messageType.finished, await hmac(suite.hash, finished, await shake.hash(suite.hash)));
  shake.flush();
  return {
    version: "1.3",
    cipher: suite.name,
    alpn,
    chain,
    update: await trafficUpdates(client, suite, traffic),
  };
}

async function handshakeSecret(client: ClientHandshake, hello: ServerHello): Promise<Uint8Array> {
  const { hash } = hello.suite;
  const value = hello.extensions.get(extensionType.keyShare);
  if (!value) throw violation("missing_extension", "the server sent no key share");
  const reader = new WireReader(value, "the key share");
  const group = reader.number(2);
  const point = reader.vector(2);
  reader.end();
  const own = client.offer.shares.find((share) => share.group.id === group);
  if (!own)
    throw violation("illegal_parameter", "the server selected a group that was not offered");
  const zeros = new Uint8Array(hashLength(hash));
  const early = await hmac(hash, zeros, zeros);
  return await hmac(hash, await derived(hello.suite, early), await sharedSecret(own, point));
}

/** Derives the salt for the next stage of the key schedule (RFC 8446 section 7.1). */
async function derived({ hash }: Suite, secret: Uint8Array): Promise<Uint8Array> {
  const nothing = new Uint8Array(await crypto.subtle.digest(hash, new Uint8Array()));
  return await expandLabel(hash, secret, "derived", { context: nothing });
}
async function masterSecret(suite: Suite, secret: Uint8Array): Promise<Uint8Array> {
  const zeros = new Uint8Array(hashLength(suite.hash));
  return await hmac(suite.hash, await derived(suite, secret), zeros);
}
async function secretsOf(
  { shake }: ClientHandshake,
  { hash }: Suite,
  [secret, ownLabel, peerLabel]: readonly [secret: Uint8Array, ours: string, theirs: string],
): Promise<Secrets> {
  const context = await shake.hash(hash);
  const [client, server] = await Promise.all([
    expandLabel(hash, secret, ownLabel, { context }),
    expandLabel(hash, secret, peerLabel, { context }),
  ]);
  return { client, server };
}
const finishedKey = ({ hash }: Suite, secret: Uint8Array): Promise<Uint8Array> =>
  expandLabel(hash, secret, "finished");

/** Reads EncryptedExtensions and returns the selected application protocol, if any. */
function readEncrypted(body: Uint8Array, { offer }: ClientHandshake): string | undefined {
  const reader = new WireReader(body, "the EncryptedExtensions");
  const extensions = readExtensions(reader);
  reader.end();
  requireKnownExtensions(extensions, [
    extensionType.serverName,
    extensionType.supportedGroups,
    extensionType.alpn,
  ]);
  return chosenProtocol(extensions, offer.alpn);
}

function readChain({ body }: Message): readonly Uint8Array[] {
  const reader = new WireReader(body, "the Certificate");
  if (reader.vector(1).length > 0)
    throw violation("illegal_parameter", "the server's Certificate message has a context");
  const list = reader.enter(3);
  reader.end();
  const chain: Uint8Array[] = [];
  while (!list.done) {
    chain.push(list.vector(3));
    requireKnownExtensions(readExtensions(list), []);
  }
  if (chain.length === 0) throw violation("decode_error", "the server sent no certificate");
  return chain;
}

/** Returns the content that CertificateVerify signs (RFC 8446 section 4.4.3). */
const toBeSigned = (who: "server" | "client", transcript: Uint8Array): Uint8Array =>
  concat([
    new Uint8Array(64).fill(0x20),
    utf8(`TLS 1.3, ${who} CertificateVerify`),
    Uint8Array.of(0),
    transcript,
  ]);

async function proveServer(
  { shake }: ClientHandshake,
  suite: Suite,
  [leaf = new Uint8Array()]: readonly Uint8Array[],
): Promise<void> {
  const signed = toBeSigned("server", await shake.hash(suite.hash));
  const { body } = await shake.next(messageType.certificateVerify);
  const reader = new WireReader(body, "the CertificateVerify");
  const scheme = reader.number(2);
  const signature = reader.vector(2);
  reader.end();
  await requireSignature(keyOfLeaf(leaf), "1.3", [scheme, signed, signature]);
}

async function serverFinished(
  { shake }: ClientHandshake,
  suite: Suite,
  secret: Uint8Array,
): Promise<void> {
  const transcript = await shake.hash(suite.hash);
  const { body } = await shake.next(messageType.finished);
  shake.boundary();
  if (!(await isHmac(suite.hash, await finishedKey(suite, secret), transcript, body)))
    throw violation("decrypt_error", "the server's Finished message cannot be verified");
  shake.records.changes = "refused";
}

/**
 * Responds to a CertificateRequest: sends Certificate and CertificateVerify, or an empty
 * Certificate message if there is no client certificate.
 */
async function identify(
  { shake, options }: ClientHandshake,
  suite: Suite,
  request: Message,
): Promise<void> {
  const { context, schemes } = readRequest(request);
  const { identity } = options;
  const signing = identity && signingFor(identity, schemes, "1.3");
  const chain = signing ? identity.chain : [];
  const list = chain.map((der) => concat([vector(3, der), vector(2)]));
  shake.send(messageType.certificate, concat([vector(1, context), vector(3, ...list)]));
  if (signing) await sendProof(shake, signing, toBeSigned("client", await shake.hash(suite.hash)));
}

/** Sends CertificateVerify, whose encoding is the same in both TLS versions. */
export async function sendProof(
  shake: Handshake,
  signing: Signing,
  signed: Uint8Array,
): Promise<void> {
  const signature = await signing.prove(signed);
  shake.send(messageType.certificateVerify, concat([uint(signing.id, 2), vector(2, signature)]));
}

function readRequest({ body }: Message): {
  readonly context: Uint8Array;
  readonly schemes: readonly number[];
} {
  const reader = new WireReader(body, "the CertificateRequest");
  const context = reader.vector(1);
  if (context.length > 0)
    throw violation("illegal_parameter", "the server's CertificateRequest has a context");
  const value = readExtensions(reader).get(extensionType.signatureAlgorithms);
  reader.end();
  if (!value)
    throw violation(
      "missing_extension",
      "the server's CertificateRequest has no signature schemes",
    );
  return { context, schemes: readSchemes(new WireReader(value, "the CertificateRequest")) };
}

/** Reads a vector of signature schemes. */
export function readSchemes(reader: WireReader): readonly number[] {
  const list = reader.enter(2);
  const schemes: number[] = [];
  while (!list.done) schemes.push(list.number(2));
  return schemes;
}

/**
 * Sets the keys for application data, and returns functions with which each direction derives its
 * next keys (RFC 8446 section 7.2).
 */
async function trafficUpdates(
  { shake: { records } }: ClientHandshake,
  suite: Suite,
  { client, server }: Secrets,
): Promise<NegotiatedSession["update"]> {
  let [ownSecret, peerSecret] = [client, server];
  records.readWith(opener13(await keysOf(suite, peerSecret)));
  records.writeWith(sealer13(await keysOf(suite, ownSecret)));
  const after = (secret: Uint8Array) => expandLabel(suite.hash, secret, "traffic upd");
  return {
    async reading() {
      peerSecret = await after(peerSecret);
      records.readWith(opener13(await keysOf(suite, peerSecret)));
    },
    async writing(before) {
      const next = await after(ownSecret);
      const sealer = sealer13(await keysOf(suite, next));
      ownSecret = next;
      before();
      records.writeWith(sealer);
    },
  };
}
