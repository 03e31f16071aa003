import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { forkWorker } from "../../server/process/forked.ts";

/** Returns both ends of a connection; nothing is read from the accepted one yet. */
async function connection(): Promise<{ readonly accepted: Socket; readonly client: Socket }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = (await once(server, "connection")) as [Socket];
  return { accepted, client };
}

it("a connection handed to a process that dies before accepting it can still be served", async () => {
  const { accepted, client } = await connection();
  const forked = forkWorker(() => undefined);
  process.kill(forked.pid, "SIGSTOP");
  forked.hand("port", accepted);
  forked.kill();
  expect(await forked.ended).toBe("SIGKILL");
  expect(forked.undelivered()).toEqual([[accepted, "port"]]);
  accepted.end("served");
  const [bytes] = (await once(client, "data")) as [Buffer];
  expect(bytes.toString()).toBe("served");
});

it("a connection that a process has accepted is no longer available to the parent", async () => {
  const { accepted, client } = await connection();
  const forked = forkWorker(() => undefined);
  client.resume();
  forked.hand("port", accepted);
  // this process does not accept HTTP yet, and disconnects it
  await once(client, "close");
  await expect.poll(() => forked.undelivered()).toEqual([]);
  expect(accepted.destroyed).toBe(true);
  forked.kill();
  await forked.ended;
});
