import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { connectTls, type TlsConnection, type TlsOptions } from "../../src/net/tls.ts";
import { certificate, readAll, trusting } from "./tls-fixture.ts";
import { FaultyServer, pipe, type Faults } from "./tls-server.ts";

const own = await certificate();
const versions = ["1.3", "1.2"] as const;
const right = "data of the server";
const data = (text: string) => ({ type: 23, body: utf8(text) });

/**
 * Returns a connection to a faulty server, what the server received, and when the connection was
 * closed.
 */
async function connected(
  faults: Faults,
  options: Partial<TlsOptions> = {},
): Promise<{ tls: TlsConnection; heard: Promise<readonly string[]>; closed: Promise<void> }> {
  const { client, server } = pipe();
  const heard = new FaultyServer(server, own, faults).run();
  const tls = await connectTls(client, trusting(options));
  return { tls, heard, closed: client.closed };
}

describe.each(versions)("the streams of a TLS %s connection", (version) => {
  it("transfer data in records of at most the maximum size", async () => {
    const { tls, heard, closed } = await connected({ version });
    const writer = tls.writable.getWriter();
    await writer.write(utf8("a"));
    await writer.write(new Uint8Array());
    await writer.write(utf8("b".repeat(2 ** 14 + 1)));
    await writer.close();
    expect((await readAll(tls.readable)).toString()).toBe(right);
    tls.close();
    await closed;
    expect(await heard).toEqual(["Finished", "a", "b".repeat(2 ** 14), "b", "close_notify"]);
  });

  it("both end when the connection is closed, even repeatedly", async () => {
    const { tls, heard, closed } = await connected({ version });
    tls.close();
    tls.close();
    await closed;
    expect((await heard).at(-1)).toBe("close_notify");
    await expect(readAll(tls.readable)).rejects.toMatchObject({ kind: "closed" });
    await expect(tls.writable.getWriter().write(utf8("late"))).rejects.toMatchObject({
      kind: "closed",
    });
  });

  it("end when the reader cancels", async () => {
    const { tls, heard, closed } = await connected({ version });
    await tls.readable.cancel();
    await closed;
    expect((await heard).at(-1)).toBe("close_notify");
  });

  it("are aborted with the reason of the signal", async () => {
    const giving = new AbortController();
    const why = new Error("enough");
    // the rest never arrives
    const sent = { Data: () => [data("first")] };
    const { tls, closed } = await connected({ version, sent }, { signal: giving.signal });
    const reader = tls.readable.getReader();
    expect((await reader.read()).value).toEqual(utf8("first"));
    giving.abort(why);
    const gone = { kind: "aborted", cause: why };
    await expect(tls.writable.getWriter().write(utf8("late"))).rejects.toMatchObject(gone);
    await closed;
  });

  it("read no more from the peer than is consumed", async () => {
    let taken = 0;
    const { client, server } = pipe();
    const counting = client.readable.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>(
        {
          transform(bytes, controller) {
            taken++;
            controller.enqueue(bytes);
          },
        },
        { highWaterMark: 1 },
        { highWaterMark: 0 },
      ),
    );
    const sent = { Data: () => Array.from({ length: 40 }, () => data("x".repeat(1000))) };
    void new FaultyServer(server, own, { version, sent }).run();
    const tls = await connectTls({ ...client, readable: counting }, trusting());
    const before = taken;
    const reader = tls.readable.getReader();
    for (let i = 0; i < 5; i++) await reader.read();
    expect(taken - before).toBeLessThanOrEqual(6);
    tls.close();
  });
});

it("a write after the end of the data in TLS 1.3 waits until the other side accepts it", async () => {
  const { client, server } = pipe();
  let release: () => void = () => undefined;
  let held = false;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const below = client.writable.getWriter();
  const writable = new WritableStream<Uint8Array>({
    async write(bytes) {
      if (held) await gate;
      await below.write(bytes);
    },
    close: () => below.close(),
  });
  const heard = new FaultyServer(server, own, { version: "1.3" }).run();
  const tls = await connectTls({ ...client, writable }, trusting());
  expect((await readAll(tls.readable)).toString()).toBe(right);
  held = true;
  let written = false;
  const writing = tls.writable
    .getWriter()
    .write(utf8("slow"))
    .then(() => (written = true));
  await new Promise((resolve) => setTimeout(resolve));
  expect(written).toBe(false);
  release();
  await writing;
  tls.close();
  expect(await heard).toEqual(["Finished", "slow", "close_notify"]);
});
