import { concat, type Bytes } from "../base/bytes.ts";
import { violation } from "./tls-error.ts";
import { messageType, type Message } from "./tls-handshake.ts";
import { isEqualSecret, prf } from "./tls-hash.ts";
import {
  chosenProtocol,
  extensionType,
  newShare,
  sharedSecret,
  type ServerHello,
} from "./tls-hello.ts";
import { signingFor } from "./tls-identity.ts";
import { opener12, sealer12, trafficKeys } from "./tls-protection.ts";
import { readSchemes, sendProof } from "./tls-13.ts";
import type { NegotiatedSession, ClientHandshake } from "./tls-session.ts";
import { requireSignature, keyOfLeaf } from "./tls-signature.ts";
import { groups, type Suite } from "./tls-suites.ts";
import { requireTrust } from "./tls-trust.ts";
import { vector, WireReader } from "./tls-wire.ts";

const finishedLength = 12;

/** Completes a TLS 1.2 handshake after the ServerHello (RFC 5246 section 7.3). */
export async function handshake12(
  client: ClientHandshake,
  hello: ServerHello,
): Promise<NegotiatedSession> {
  const { shake, options, offer } = client;
  const { suite } = hello;
  if (shake.records.ignoredChanges > 0)
    throw violation(
      "unexpected_message",
      "the server sent change_cipher_spec before the key exchange",
    );
  shake.records.changes = "returned";
  requireRenegotiationInfo(hello);
  const alpn = chosenProtocol(hello.extensions, offer.alpn);
  const chain = readChain(await shake.next(messageType.certificate));
  await requireTrust(chain, options);
  const exchange = await shake.next(messageType.serverKeyExchange);
  const { group, point } = await readExchange(client, hello, [exchange, chain]);
  const next = await shake.next(messageType.certificateRequest, messageType.serverHelloDone);
  const requestsCertificate = next.type === messageType.certificateRequest;
  const { body } = requestsCertificate ? await shake.next(messageType.serverHelloDone) : next;
  new WireReader(body, "the ServerHelloDone").end();
  shake.boundary();

  const signing =
    requestsCertificate &&
    options.identity &&
    signingFor(options.identity, readRequestedSchemes(next), "1.2");
  if (requestsCertificate)
    shake.send(messageType.certificate, chainBytes(signing ? options.identity : undefined));
  const share = await newShare(group);
  const secret = await sharedSecret(share, point);
  shake.send(messageType.clientKeyExchange, vector(1, share.point));
  const master = await masterSecret(client, hello, secret);
  if (signing) await sendProof(shake, signing, shake.transcript());
  await finish(client, hello, master);
  return { version: "1.2", cipher: suite.name, alpn, chain, update: undefined };
}

/**
 * Requires the renegotiation_info extension, without which an attacker could prepend data to that
 * of this client (RFC 5746 section 3.4).
 */
function requireRenegotiationInfo({ extensions }: ServerHello): void {
  const value = extensions.get(extensionType.renegotiationInfo);
  if (value?.length !== 1 || value[0] !== 0)
    throw violation(
      "handshake_failure",
      "the server does not support secure renegotiation (RFC 5746)",
    );
}

function readChain({ body }: Message): readonly Uint8Array[] {
  const reader = new WireReader(body, "the Certificate");
  const list = reader.enter(3);
  reader.end();
  const chain: Uint8Array[] = [];
  while (!list.done) chain.push(list.vector(3));
  if (chain.length === 0) throw violation("decode_error", "the server sent no certificate");
  return chain;
}
const chainBytes = (identity?: { readonly chain: readonly Uint8Array[] }): Bytes =>
  vector(3, ...(identity?.chain ?? []).map((der) => vector(3, der)));

/**
 * Reads and verifies ServerKeyExchange, which is signed with the key of the certificate (RFC 8422
 * section 5.4).
 */
async function readExchange(
  { offer }: ClientHandshake,
  { random, suite }: ServerHello,
  [{ body }, [leaf = new Uint8Array()]]: readonly [Message, readonly Uint8Array[]],
): Promise<{ readonly group: (typeof groups)[number]; readonly point: Uint8Array }> {
  const reader = new WireReader(body, "the ServerKeyExchange");
  const named = reader.number(1) === 3;
  const id = reader.number(2);
  const point = reader.vector(1);
  const parameters = body.subarray(0, reader.position);
  const scheme = reader.number(2);
  const signature = reader.vector(2);
  reader.end();
  const group = groups.find((one) => one.id === id);
  if (!named || !group)
    throw violation("illegal_parameter", "the server selected a group that was not offered");
  const key = keyOfLeaf(leaf);
  if ((key.type === "rsa") !== (suite.signer === "rsa"))
    throw violation(
      "illegal_parameter",
      "the server's certificate does not match the cipher suite",
    );
  const signed = concat([offer.random, random, parameters]);
  await requireSignature(key, "1.2", [scheme, signed, signature]);
  return { group, point };
}

/** Reads the schemes of a CertificateRequest (RFC 5246 section 7.4.4). */
function readRequestedSchemes({ body }: Message): readonly number[] {
  const reader = new WireReader(body, "the CertificateRequest");
  reader.vector(1);
  const schemes = readSchemes(reader);
  reader.vector(2);
  reader.end();
  return schemes;
}

/**
 * Derives the master secret. It is bound to the whole handshake if the server supports that (RFC
 * 7627).
 */
async function masterSecret(
  { shake, offer }: ClientHandshake,
  { suite, random, extensions }: ServerHello,
  secret: Uint8Array,
): Promise<Bytes> {
  const extended = extensions.get(extensionType.extendedMasterSecret);
  if (extended && extended.length > 0)
    throw violation("decode_error", "the extended_master_secret extension is not empty");
  return extended
    ? await prf(suite.hash, secret, ["extended master secret", await shake.hash(suite.hash)], 48)
    : await prf(suite.hash, secret, ["master secret", concat([offer.random, random])], 48);
}

/** Derives the keys for both directions (RFC 5246 section 6.3). */
async function keyBlock(
  { offer }: ClientHandshake,
  { suite, random }: ServerHello,
  master: Uint8Array,
): Promise<readonly Bytes[]> {
  const lengths = [suite.keyLength, suite.keyLength, 4, 4];
  const seed = concat([random, offer.random]);
  const block = await prf(suite.hash, master, ["key expansion", seed], 2 * suite.keyLength + 8);
  let at = 0;
  return lengths.map((length) => block.slice(at, (at += length)));
}

/**
 * Exchanges the Finished messages, each encrypted with the new keys. The client's message is first.
 */
async function finish(
  client: ClientHandshake,
  hello: ServerHello,
  master: Uint8Array,
): Promise<void> {
  const { shake } = client;
  const { suite } = hello;
  const nothing = new Uint8Array();
  const [ourKey = nothing, theirKey = nothing, ourIv = nothing, theirIv = nothing] = await keyBlock(
    client,
    hello,
    master,
  );
  const sealer = sealer12(await trafficKeys(ourKey, ourIv));
  const opener = opener12(await trafficKeys(theirKey, theirIv));
  const own = await finishedData(client, suite, [master, "client finished"]);
  shake.sendChange();
  shake.records.writeWith(sealer);
  shake.send(messageType.finished, own);
  shake.flush();
  const expected = await finishedData(client, suite, [master, "server finished"]);
  await shake.change();
  shake.records.changes = "refused";
  shake.records.readWith(opener);
  const { body } = await shake.next(messageType.finished);
  shake.boundary();
  if (!isEqualSecret(expected, body))
    throw violation("decrypt_error", "the server's Finished message cannot be verified");
}

async function finishedData(
  { shake }: ClientHandshake,
  { hash }: Suite,
  [master, label]: readonly [master: Uint8Array, label: string],
): Promise<Bytes> {
  return await prf(hash, master, [label, await shake.hash(hash)], finishedLength);
}
