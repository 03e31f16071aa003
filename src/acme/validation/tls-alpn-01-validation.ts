import { tryRead } from "../../base/try-read.ts";
import { equalBytes, toHex } from "../../base/bytes.ts";
import { readDer } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { lowerAscii } from "../../base/names.ts";
import { connectTls } from "../../net/tls.ts";
import { ipToBytes } from "../../x509/address.ts";
import { verifySignature } from "../../x509/public-key.ts";
import { findExtension, parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { isUnknown } from "../../x509/critical.ts";
import { extensionOid } from "../../x509/oid.ts";
import { parseSan } from "../../x509/san.ts";
import { PermanentFailure, type ValidationNetwork } from "./challenge-type.ts";
import { sameBytes, type Proof } from "./proof.ts";
import { connectTo, tlsFault, abortAfter } from "./validation-network.ts";

/** The ALPN protocol of the challenge (RFC 8737 section 6.2). */
const acmeTls = "acme-tls/1";
/** Timeout of the validation in ms (B 5.10). */
const limit = 30_000;

/**
 * Validates tls-alpn-01 (RFC 8737, RFC 8738, B 5.10, security row 40): the server must present
 * exactly one certificate, self-signed, with only this name or address and the digest. Rejects with
 * CaError `connection`, `dns`, `tls` or `incorrect_response`.
 */
export async function validateTlsAlpn01(
  name: string,
  proof: Proof,
  network: ValidationNetwork,
  signal: AbortSignal,
): Promise<void> {
  const soon = abortAfter(network, signal, limit);
  const to = { name, port: network.tlsPort, hop: 0 };
  const { connection, address } = await connectTo(network, to, soon);
  const where = `${name} at ${address} port ${to.port}`;
  try {
    const { alpn, chain, close } = await connectTls(connection, {
      serverName: reverseName(name) ?? name,
      alpn: [acmeTls],
      trust: "any",
      random: network.random,
      now: Math.floor(network.now() / 1000),
      signal: soon,
    });
    close();
    if (alpn !== acmeTls)
      throw new CaError("tls", `${where} did not select the protocol ${acmeTls}`);
    const fault = await faultOf(chain, name, proof);
    if (fault !== undefined)
      throw new PermanentFailure("incorrect_response", `the certificate of ${where} ${fault}`);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof CaError ? error : tlsFault(where, soon, error);
  } finally {
    connection.close();
  }
}

/**
 * Returns the reverse DNS name of an address (RFC 1035 section 3.5, RFC 3596 section 2.5), which
 * tls-alpn-01 sends as SNI (RFC 8738 section 6). Returns undefined if `address` is not an IP
 * address.
 */
function reverseName(address: string): string | undefined {
  const bytes = ipToBytes(address);
  if (!bytes) return undefined;
  const [labels, zone] =
    bytes.length === 4
      ? [Array.from(bytes, String), "in-addr.arpa"]
      : [Array.from(toHex(bytes)), "ip6.arpa"];
  return `${labels.toReversed().join(".")}.${zone}`;
}

/** Returns the defect of the server's certificates, if any. */
async function faultOf(
  chain: readonly Uint8Array[],
  name: string,
  { digest }: Proof,
): Promise<string | undefined> {
  const [der] = chain;
  if (!der || chain.length > 1)
    return `is sent with ${chain.length - 1} others, but must be the only one`;
  const certificate = tryRead(() => parseCertificate(der));
  if (!certificate) return "cannot be parsed";
  return (
    nameFault(certificate, name) ??
    (await selfSignedFault(certificate)) ??
    identifierFault(certificate, digest)
  );
}

function nameFault(certificate: Certificate, name: string): string | undefined {
  const extension = findExtension(certificate, extensionOid.subjectAltName);
  const names = extension && tryRead(() => parseSan(extension.value));
  if (!names) return "has no subject alternative name that can be parsed";
  const count = Object.values(names).reduce((sum, some) => sum + some.length, 0);
  if (ipToBytes(name))
    return count === 1 && names.ip[0] === name
      ? undefined
      : `does not have exactly the address ${name}`;
  const [only] = names.dns;
  return count === 1 && only !== undefined && lowerAscii(only) === lowerAscii(name)
    ? undefined
    : `does not have exactly the name ${name}`;
}

async function selfSignedFault(certificate: Certificate): Promise<string | undefined> {
  const { issuer, subject, spki, algorithm, tbs, signature } = certificate;
  const isOwn =
    equalBytes(issuer, subject) &&
    (await verifySignature(spki, algorithm, tbs, signature).catch(() => false));
  return isOwn ? undefined : "is not self-signed";
}

function identifierFault(certificate: Certificate, digest: Uint8Array): string | undefined {
  const extension = findExtension(certificate, extensionOid.acmeIdentifier);
  if (!extension) return "has no acmeIdentifier extension";
  if (!extension.critical) return "has an acmeIdentifier extension that is not critical";
  if (certificate.extensions.some((one) => one !== extension && isUnknown(one)))
    return "has an unknown critical extension";
  const value = tryRead(() => {
    const reader = readDer(extension.value, "acmeIdentifier");
    const bytes = reader.octets("the digest");
    reader.end();
    return bytes;
  });
  return value && sameBytes(value, digest)
    ? undefined
    : "does not have the expected digest in its acmeIdentifier extension";
}
