import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { client, httpTransport, pki, sys, vars, type ClientCall } from "../../src/client/index.ts";
import { createCa, memoryStore } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";

/** Returns the answers in order, repeating the last one, and records the requests. */
function answering(...answers: readonly (() => Response)[]) {
  const sent: Request[] = [];
  const send = (async (input: RequestInfo | URL, init?: RequestInit) => {
    sent.push(new Request(input, init));
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    return answer?.() ?? new Response(null, { status: 500 });
  }) as typeof fetch;
  return { sent, send };
}
const roles = () => Response.json({ data: { keys: ["web"] } });
const busy = (headers: HeadersInit = {}) =>
  Response.json({ errors: ["try again"] }, { status: 503, headers });
const at = "http://ca.test";

describe("the HTTP transport", () => {
  it("sends the token in the chosen header, and obtains it for each call", async () => {
    for (const [header, name, value] of [
      [undefined, "x-service-token", "secret"],
      ["x-vault-token", "x-vault-token", "secret"],
      ["authorization", "authorization", "Bearer secret"],
    ] as const) {
      const { sent, send } = answering(roles);
      const given = header ? { header, fetch: send } : { fetch: send };
      await client(
        pki,
        "/v1/pki",
        httpTransport(at, async () => "secret", given),
      ).listRoles();
      expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({ [name]: value });
    }
  });
  it("rejects when the signal of the call or of the transport is aborted, and after the timeout", async () => {
    const never = ((_: unknown, { signal }: RequestInit) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason as Error)),
      )) as typeof fetch;
    const own = new AbortController();
    const to = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: never, signal: own.signal }));
    const call = new AbortController();
    const first = to.listRoles({}, { signal: call.signal });
    call.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    await expect(to.listRoles({}, { signal: call.signal })).rejects.toThrow("enough");
    const second = to.listRoles({}, { signal: new AbortController().signal });
    own.abort(new Error("closed"));
    await expect(second).rejects.toThrow("closed");
    const slow = httpTransport(at, "t", { fetch: never, timeout: 1 });
    await expect(client(pki, "/v1/pki", slow).listRoles()).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });

  describe("when the server answers 503", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
    afterEach(() => void vi.useRealTimers());
    it("retries a read, twice by default", async () => {
      const { sent, send } = answering(busy, busy, roles);
      const read = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send })).listRoles();
      await vi.advanceTimersByTimeAsync(500);
      expect(sent.length).toBe(2);
      await vi.advanceTimersByTimeAsync(1000);
      expect(await read).toEqual({ keys: ["web"] });
      const once = answering(busy);
      const not = httpTransport(at, "t", { fetch: once.send, retries: 0 });
      await expect(client(pki, "/v1/pki", not).listRoles()).rejects.toMatchObject({ status: 503 });
      expect(once.sent.length).toBe(1);
    });
    it("retries a change only if Retry-After is valid and short", async () => {
      const named = (seconds: string) => () => busy({ "retry-after": seconds });
      const write = (send: typeof fetch) =>
        client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send })).deleteRole({ name: "web" });
      const told = answering(named("3"), () => new Response(null, { status: 204 }));
      const done = write(told.send);
      await vi.advanceTimersByTimeAsync(2999);
      expect(told.sent.length).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await done).toBeUndefined();
      const odd = [
        "-5",
        "5.5",
        "+3",
        "soon",
        "soon 1",
        "",
        "1, 2",
        "0x1",
        "3 s",
        "1e0",
        "99".repeat(99),
      ];
      const late = "Fri, 31 Dec 2199 23:59:59 GMT";
      for (const answer of [busy, named("3600"), named(late), ...odd.map(named)]) {
        const { sent, send } = answering(answer);
        await expect(write(send)).rejects.toMatchObject({ status: 503 });
        expect(sent.length).toBe(1);
      }
    });
    it("accepts a date in Retry-After, retries at once if it is past, and sends the same body again", async () => {
      const past = "Thu, 01 Jan 1998 00:00:00 GMT";
      const { sent, send } = answering(
        () => busy({ "retry-after": past }),
        () => new Response(null, { status: 204 }),
      );
      const to = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send }));
      const written = to.writeKeysConfig({ default: "one" });
      await vi.advanceTimersByTimeAsync(0);
      await written;
      expect(await Promise.all(sent.map((each) => each.text()))).toEqual([
        '{"default":"one"}',
        '{"default":"one"}',
      ]);
    });
    it("treats an invalid Retry-After as a missing one for a read", async () => {
      const { sent, send } = answering(() => busy({ "retry-after": "-5" }), roles);
      const read = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send })).listRoles();
      await vi.advanceTimersByTimeAsync(499);
      expect(sent.length).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await read).toEqual({ keys: ["web"] });
    });
    it("never retries other error responses or network errors", async () => {
      for (const status of [429, 500, 502, 504]) {
        const refused = () =>
          Response.json({ errors: ["no"] }, { status, headers: { "retry-after": "0" } });
        const { sent, send } = answering(refused);
        const to = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send }));
        await expect(to.deleteRole({ name: "web" })).rejects.toMatchObject({ status });
        expect(sent.length).toBe(1);
      }
      const { sent, send } = answering(() => {
        throw new TypeError("fetch failed");
      });
      const to = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send }));
      await expect(to.listRoles()).rejects.toThrow("fetch failed");
      expect(sent.length).toBe(1);
    });
    it("does not wait for a retry if the signal was aborted during the response", async () => {
      const controller = new AbortController();
      const { sent, send } = answering(() => {
        controller.abort(new Error("enough"));
        return busy({ "retry-after": "20" });
      });
      const to = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send }));
      await expect(to.listRoles({}, { signal: controller.signal })).rejects.toThrow("enough");
      expect(sent.length).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    });
    it("stops waiting for a retry when the signal is aborted", async () => {
      const { send } = answering(busy);
      const controller = new AbortController();
      const read = client(pki, "/v1/pki", httpTransport(at, "t", { fetch: send })).listRoles(
        {},
        { signal: controller.signal },
      );
      await vi.advanceTimersByTimeAsync(1);
      controller.abort(new Error("enough"));
      await expect(read).rejects.toThrow("enough");
    });
  });
});

describe("the client of the variables API", () => {
  it("creates a workspace and a variable, and sends the members to remove from a team", async () => {
    const ca = createCa({
      stores: memoryStore(),
      apis: [varsApi],
      vars: { token: "first-token-of-the-tests" },
    });
    const send = ((input: RequestInfo | URL, init?: RequestInit) =>
      ca.fetch(new Request(input, init))) as typeof fetch;
    const transport = httpTransport(at, "first-token-of-the-tests", { fetch: send });
    const to = client(vars, "/api/v2", transport);
    const organization = "team-one";
    await to.createOrganization({
      data: { type: "organizations", attributes: { name: organization, email: "a@example.com" } },
    });
    await to.createWorkspace({
      organization,
      data: { type: "workspaces", attributes: { name: "web" } },
    });
    const { data } = await to.readWorkspace({ organization, workspace: "web" });
    expect(data.attributes["execution-mode"]).toBe("remote");
    const workspace_id = data.id;
    await to.createWorkspaceVar({
      workspace_id,
      data: { type: "vars", attributes: { key: "REGION", value: "north", category: "env" } },
    });
    const listed = await to.listWorkspaceVars({ workspace_id });
    expect(listed.data.map(({ attributes }) => attributes.value)).toEqual(["north"]);
    const exported = await to.exportVars({ workspace_id });
    expect(exported).toContain("REGION='north'");
    const made = await to.createTeam({
      organization,
      data: { type: "teams", attributes: { name: "ops" } },
    });
    const team_id = made.data.id;
    // the server refuses this DELETE without a body
    const nobody = { team_id, data: [{ type: "users", id: "nobody" }] } as const;
    expect(await to.removeMembers(nobody)).toBeUndefined();
  });
});

describe("the client of sys", () => {
  it("sends the other parameters of a request with a binary body in the query", async () => {
    const calls: ClientCall[] = [];
    const to = client(sys, "/v1/sys", async (call) => {
      calls.push(call);
      return { status: 200, headers: {}, body: '{"data":{"part":2}}' };
    });
    const part = new Uint8Array([1]);
    await to.checkBackup({ part, receipt: "r" });
    expect(calls).toEqual([
      expect.objectContaining({
        path: "/v1/sys/storage/snapshot-check",
        query: [["receipt", "r"]],
        type: "application/x-ndjson",
        body: part,
      }),
    ]);
  });
});
