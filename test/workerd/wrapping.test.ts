import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { DurableObjectState, DurableObjectStub } from "@cloudflare/workers-types";
import { afterEach, describe, expect, it, vi } from "vitest";
import worker, { type Env } from "../../worker/index.ts";
import { remoteStore, type RemoteStore } from "../../worker/store.ts";
import { bound, newMount, token as root, type Mount } from "./worker-fixture.ts";

/** Returns the object of the system, which stores wrapped replies. */
const object = () => bound.MOUNT.get(bound.MOUNT.idFromName("sys"));
const stub = () => object() as RemoteStore & DurableObjectStub;
const store = remoteStore(object, "sys");
/** Returns new bindings, which simulate another isolate that shares only the objects. */
const isolate = (): Env => ({ ...bound });

afterEach(() => vi.useRealTimers());

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly data: Readonly<Record<string, string>> | null;
  readonly wrap_info: { readonly token: string; readonly creation_path: string } | null;
}
async function send(
  environment: Env,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Seen> {
  const request = new Request(`https://ca.test/v1/${path}`, {
    method: "PUT",
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await worker.fetch(request, environment);
  const text = await answer.text();
  return { ...(JSON.parse(text) as Pick<Seen, "data" | "wrap_info">), status: answer.status, text };
}
async function wrappedIssue({ path }: Mount, ttl = "60"): Promise<string> {
  const answer = await send(
    isolate(),
    `${path}/issue/web`,
    { "X-Vault-Token": root, "X-Vault-Wrap-TTL": ttl },
    { common_name: "a.test" },
  );
  expect([answer.status, answer.data, answer.wrap_info?.creation_path]).toEqual([
    200,
    null,
    `${path}/issue/web`,
  ]);
  expect(answer.text).not.toContain("PRIVATE KEY");
  return answer.wrap_info?.token ?? "";
}

describe("a wrapped reply on Workers", () => {
  it("is unwrapped by exactly one of many isolates, even after its object was evicted", async () => {
    const mount = await newMount();
    const token = await wrappedIssue(mount);
    await evictDurableObject(stub());
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2
          ? send(isolate(), "sys/wrapping/unwrap", { "X-Vault-Token": token })
          : send(isolate(), "sys/wrapping/unwrap", { "X-Service-Token": root }, { token }),
      ),
    );
    const [won, ...rest] = answers.sort((a, b) => a.status - b.status);
    expect([won?.status, won?.data?.["private_key"]]).toEqual([
      200,
      expect.stringContaining("PRIVATE KEY"),
    ]);
    for (const { status, text } of rest)
      expect([status, text]).toEqual([
        400,
        '{"errors":["wrapping token is not valid or does not exist"]}\n',
      ]);
    expect(await store.list("wrapped/")).toEqual([]);
  });

  it("that is never unwrapped is removed by the alarm of the system's object", async () => {
    const mount = await newMount();
    const token = await wrappedIssue(mount, "5m");
    expect(await store.list("wrapped/")).toHaveLength(1);
    const alarm = await runInDurableObject(stub(), (_, { storage }: DurableObjectState) =>
      storage.getAlarm(),
    );
    // other tests of this file may have left an earlier job, never a later one
    expect(alarm ?? Infinity).toBeLessThanOrEqual(Date.now() + 360_000);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 360_000 });
    expect((await send(isolate(), "sys/wrapping/unwrap", { "X-Vault-Token": token })).status).toBe(
      400,
    );
    expect(await store.list("wrapped/")).toHaveLength(1);
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    expect([await store.list("wrapped/"), await store.list("job/")]).toEqual([[], []]);
  });
});
