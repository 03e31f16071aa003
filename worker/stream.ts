/** Bytes that are handed over at once: what the platform holds of an answer until it is sent. */
const piece = 256 * 1024;

/**
 * Bytes as a stream of known length. Measured: a `Response` made of an array copies it, and the
 * copy lives until a garbage collection that nothing asks for; eight readers of a CRL of 4 MB made
 * gigabytes of them within seconds. The stream hands over views of the one array.
 */
export function streamed(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  // the reader has gone: nobody is left to be told
  void write(writable, bytes).catch(() => undefined);
  return readable;
}

async function write(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  for (let at = 0; at < bytes.length; at += piece)
    await writer.write(bytes.subarray(at, at + piece));
  await writer.close();
}
