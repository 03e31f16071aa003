import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, it } from "vitest";
import { ResponseWriter } from "../../server/http/response-writer.ts";

it("a client that reads a long response slowly is not stalled for the whole response", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  // the listener has a TCP address
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1").pause();
  const [socket] = (await once(listener, "connection")) as [Socket];
  const writer = new ResponseWriter(socket);
  socket.on("drain", () => writer.drained());
  const body = new Uint8Array(64 * 1024 * 1024);
  const framing = { now: 0, close: false, bodiless: false, http10: false };
  const written = writer.write({ status: 200, headers: {}, body }, framing, () => true);
  await expect.poll(() => writer.stalledSince).not.toBe(0);
  const before = writer.stalledSince;
  let read = 0;
  client.on("data", (part: Buffer) => {
    read += part.length;
    if (writer.stalledSince !== before) client.pause();
  });
  client.resume();
  await expect.poll(() => client.isPaused()).toBe(true);
  expect(read).toBeLessThan(body.length / 2);
  client.removeAllListeners("data").resume();
  await written;
  await expect.poll(() => writer.stalledSince).toBe(0);
  client.destroy();
  socket.destroy();
  listener.close();
});
