import { runDurableObjectAlarm } from "cloudflare:test";
import type { DurableObjectStub } from "@cloudflare/workers-types";
import { afterEach, expect, it, vi } from "vitest";
import { apiOf, bound, newMount } from "./worker-fixture.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const secretBytes = new Uint8Array(32).fill(3);
const sink = {
  // an address needs no resolver
  url: "https://1.1.1.1/events",
  secret: `whsec_${btoa(String.fromCharCode(...secretBytes))}`,
  types: ["*.issued"],
};

/** Returns the signature of a request as Standard Webhooks computes it. */
async function signatureOf(headers: Headers, body: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secretBytes, algorithm, false, ["sign"]);
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
}

it("the alarm of an object delivers each event once, signed, with the platform's fetch", async () => {
  const received: (readonly [url: string, headers: Headers, body: string])[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    received.push([request.url, request.headers, await request.text()]);
    return new Response(null, { status: 204 });
  });
  const api = apiOf(bound);
  const mount = await newMount();
  const made = await api("POST", "/v1/sys/events/sinks/ops", { ...sink, mounts: [mount.path] });
  expect(made.status, made.text).toBe(200);
  const names = ["a.test", "b.test"];
  for (const common_name of names)
    await api("POST", `/v1/${mount.path}/issue/web`, { common_name });
  for (let run = 1; run <= 3; run++) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11_000 });
    // the binding of a test has no types
    const stub = bound.MOUNT.get(bound.MOUNT.idFromName("sys")) as unknown as DurableObjectStub;
    await runDurableObjectAlarm(stub);
  }
  const status = async () => (await api("GET", "/v1/sys/events/sinks/ops")).data;
  await expect.poll(status).toMatchObject({ delivered: 2, waiting: 0, lost: 0 });
  const events = received.map(([, , body]) => JSON.parse(body).data.common_name);
  expect(events.toSorted()).toEqual(names);
  for (const [url, headers, body] of received)
    expect([url, headers.get("webhook-signature")]).toEqual([
      sink.url,
      await signatureOf(headers, body),
    ]);
  await api("DELETE", "/v1/sys/events/sinks/ops");
});
