import { readDer } from "../base/der.ts";

/** A list of TLS: its bytes behind a length of two bytes; undefined when there are too few. */
function tlsVector(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  return at + 2 <= bytes.length && end <= bytes.length ? bytes.subarray(at + 2, end) : undefined;
}

/**
 * A timestamp of certificate transparency: version, log, time, extensions, algorithms, signature
 * (RFC 6962 section 3.2).
 */
function isTimestamp(bytes: Uint8Array): boolean {
  const extensions = tlsVector(bytes, 41);
  const signature = extensions && tlsVector(bytes, 41 + 2 + extensions.length + 2);
  const [hash = 0, algorithm = 0] = bytes.subarray(43 + (extensions?.length ?? 0));
  // the algorithms of TLS 1.2 (RFC 5246 section 7.4.1.4.1)
  if (hash > 6 || algorithm > 3) return false;
  return (
    bytes[0] === 0 &&
    signature !== undefined &&
    bytes.length === 41 + 2 + (extensions?.length ?? 0) + 2 + 2 + signature.length
  );
}

/** Refuses a list of timestamps that cannot be read. Throws `CaError` `malformed`. */
export const checkTimestamps = (value: Uint8Array): void => {
  const reader = readDer(value, "certificate timestamps");
  const octets = reader.octets("the list");
  const list = tlsVector(octets, 0);
  let sound = list !== undefined && list.length > 0 && list.length + 2 === octets.length;
  for (let at = 0; list && sound && at < list.length;) {
    const one = tlsVector(list, at);
    sound = one !== undefined && isTimestamp(one);
    at += 2 + (one?.length ?? 0);
  }
  if (!sound) throw reader.refuse("is not a list of timestamps");
};
