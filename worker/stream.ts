/** Chunk size: the amount that the platform buffers of a response until it is sent. */
const piece = 256 * 1024;

/**
 * Streams bytes with a known length. Measured: a `Response` made from an array copies it, and the
 * copy lives until a rare garbage collection; eight readers of a 4 MB CRL used gigabytes within
 * seconds. The stream passes views of the one array.
 */
export function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  // the reader has disconnected
  void write(writable, bytes).catch(() => undefined);
  return readable;
}

async function write(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  for (let at = 0; at < bytes.length; at += piece)
    await writer.write(bytes.subarray(at, at + piece));
  await writer.close();
}
