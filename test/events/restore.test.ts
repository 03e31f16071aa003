import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { partsIn } from "../../src/sys/backup/part.ts";
import { authority } from "../support/authority.ts";
import { gathered } from "../sys/backup/kept.ts";
import { receiver, receiving, secret, secretBytes, sink } from "./receiver.ts";

it("a restored authority delivers to its sinks, and no backup contains their secret in clear text", async () => {
  const { a, received } = await receiving();
  const issue = (at: Pick<typeof a, "pki">, common_name: string) =>
    at.pki.issue({ role: "web", common_name });
  const delivered = (at: typeof a, count: number) =>
    expect
      .poll(async () => (await at.call("GET", "sys/events/sinks/ops")).data)
      .toMatchObject({ delivered: count, waiting: 0, lost: 0 });
  const tick = async (at: typeof a) => {
    a.clock.advance(10);
    await at.ca.tick();
  };
  await a.call("POST", "sys/events/sinks/ops", sink);
  await issue(a, "a.example");
  const mount = await gathered(a.ca.backup("pki", { partBytes: 1000 }));
  // the backup of sys is made later and includes more events
  await issue(a, "b.example");
  await tick(a);
  await delivered(a, 2);
  const response = await a.ca.fetch(
    new Request("http://ca.test/v1/sys/storage/stores/sys", {
      headers: { "x-service-token": "root" },
    }),
  );
  const sys = await gathered(partsIn([new Uint8Array(await response.arrayBuffer())]));
  for (const part of [...mount, ...sys])
    for (const clear of [
      secret.slice(6),
      secretBytes.toString("latin1"),
      secretBytes.toString("hex"),
    ])
      expect(Buffer.from(part).includes(Buffer.from(clear, "latin1"))).toBe(false);

  const again = await receiver();
  const b = authority({ seed: 2, clock: a.clock, ...again.ports });
  for (const part of sys) await b.call("POST", "sys/storage/stores/sys", part);
  await b.ca.restore("pki", mount);
  // immediately, before any job has run
  await issue(b, "c.example");
  await tick(b);
  await delivered(b, 3);
  expect(received).toHaveLength(2);
  expect(again.received.map(({ event }) => event.data)).toMatchObject([
    { common_name: "c.example" },
  ]);
  for (const { headers, body } of again.received) {
    const { "webhook-id": id, "webhook-timestamp": time } = headers;
    const mac = createHmac("sha256", secretBytes).update(`${String(id)}.${String(time)}.${body}`);
    expect(headers["webhook-signature"]).toBe(`v1,${mac.digest("base64")}`);
  }
});
