import "reflect-metadata";
import { evictDurableObject } from "cloudflare:test";
import { X509Crl } from "@peculiar/x509";
import { describe, expect, it, vi } from "vitest";
import { concat, toHex } from "../../src/base/bytes.ts";
import { encodeRevokedEntry, parseCrl } from "../../src/x509/crl.ts";
import { verifySignature } from "../../src/x509/public-key.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import worker, { type Env } from "../../worker/index.ts";
import clocked from "../../worker/build/clocked.ts";
import { apiOf, bound, memoryKv, newMount, secrets, token, type Mount } from "./worker-fixture.ts";

const get = (environment: Env, path: string): Promise<Response> =>
  worker.fetch(new Request(`https://ca.test${path}`), environment);

describe("the Worker", () => {
  it("without SERVICE_ROOT_TOKEN returns 503 and names it, on every path of the API", async () => {
    const { SERVICE_ROOT_TOKEN: _, ...rest } = { ...bound };
    // a deployment with a missing secret
    const environment = rest as Env;
    for (const path of ["/v1/sys/health", "/v1/pki/ca/pem", "/v1/pki/issue/web", "/v1/nothing"]) {
      const answer = await get(environment, path);
      const text = await answer.text();
      expect(answer.status).toBe(503);
      expect(JSON.parse(text)).toEqual({
        errors: [expect.stringContaining("the secret SERVICE_ROOT_TOKEN must")],
      });
      for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    }
  });

  it.each([
    ["SEALING_KEY", undefined],
    ["SEALING_KEY", "c2hvcnQ="],
    ["SEALING_KEY", "not base64 canary"],
    ["SEALING_KEY_PREVIOUS", "c2hvcnQ="],
  ])(
    "is sealed if %s is %s: it returns 503 with the reason for everything but health and seal status",
    async (name, value) => {
      const { [name]: _, ...rest }: Record<string, unknown> = { ...bound };
      // a deployment with a missing or malformed secret
      const environment = (value === undefined
        ? rest
        : { ...rest, [name]: value }) as unknown as Env;
      const why = `the server is sealed: the secret ${name} must be the base64 of 32 bytes`;
      for (const path of [
        "/v1/pki/ca/pem",
        "/v1/sys/mounts",
        "/v1/nothing",
        "/api/v2/account/details",
      ]) {
        const answer = await get(environment, path);
        const text = await answer.text();
        expect([path, answer.status, text]).toEqual([path, 503, expect.stringContaining(why)]);
        for (const secret of [value, ...Object.values(secrets)])
          if (secret) expect(text).not.toContain(secret);
      }
      const health = await get(environment, "/v1/sys/health");
      expect([health.status, await health.json()]).toEqual([
        503,
        expect.objectContaining({ sealed: true, warnings: [why] }),
      ]);
      expect((await get(environment, "/v1/sys/health?sealedcode=299")).status).toBe(299);
      const status = await get(environment, "/v1/sys/seal-status");
      expect([status.status, await status.json()]).toEqual([
        200,
        expect.objectContaining({ sealed: true, initialized: true }),
      ]);
    },
  );

  it.each([
    ["SERVICE_ROOT_TOKEN", "short-canary"],
    ["VARS_TOKEN", "short-canary"],
    ["VARS_RATE_LIMIT", "many"],
  ])("with an invalid %s returns 503 and names it, but not its value", async (name, value) => {
    for (const path of ["/v1/sys/health", "/v1/pki/ca/pem", "/api/v2/vars"]) {
      const answer = await get({ ...bound, [name]: value }, path);
      const text = await answer.text();
      expect([answer.status, JSON.parse(text)]).toEqual([
        503,
        { errors: [expect.stringContaining(name)] },
      ]);
      expect(text).not.toContain(value);
    }
  });

  it("with a different SEALING_KEY than the stored secrets returns 503 on both APIs, and health reports it as sealed", async () => {
    await newMount();
    const environment = { ...bound, SEALING_KEY: btoa("another key of thirty-two bytes.") };
    for (const path of ["/v1/pki/ca/pem", "/v1/nothing", "/v1/sys/mounts"]) {
      const answer = await get(environment, path);
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        503,
        { errors: [expect.stringContaining("the sealing key is not the key with which")] },
      ]);
    }
    const vars = await get(environment, "/api/v2/account/details");
    expect([vars.status, await vars.text()]).toEqual([
      503,
      expect.stringContaining("the sealing key is not the key with which"),
    ]);
    const health = await get(environment, "/v1/sys/health");
    expect([health.status, await health.json()]).toEqual([
      503,
      expect.objectContaining({ sealed: true }),
    ]);
    expect(
      (await get({ ...environment, SEALING_KEY_PREVIOUS: secrets.SEALING_KEY }, "/v1/sys/health"))
        .status,
    ).toBe(200);
  });

  it("redirects to the console, and returns 404 for unknown paths", async () => {
    const root = await get(bound, "/");
    expect([root.status, root.headers.get("location")]).toEqual([302, "/demo/"]);
    expect((await get(bound, "/demo")).headers.get("location")).toBe("/demo/");
    for (const path of ["/v2/pki/ca", "/nothing", "/v1", "/test/clock"])
      expect((await get(bound, path)).status, path).toBe(404);
    const { ASSETS: _, ...bare } = { ...bound };
    expect((await get(bare, "/demo/")).status).toBe(404);
  });

  it("sends Strict-Transport-Security with every response over HTTPS, and never over HTTP", async () => {
    const { ASSETS: _, ...bare } = { ...bound };
    const unfit = { ...bound, SEALING_KEY: "" };
    const answers = [
      ...(await Promise.all(
        ["/", "/demo", "/demo/", "/demo/none", "/nothing", "/v1/sys/health", "/api/v2/ping"].map(
          (path) => get(bound, path),
        ),
      )),
      await get(bare, "/demo/"),
      await get(unfit, "/v1/sys/health"),
    ];
    expect(answers.map(({ headers }) => headers.get("strict-transport-security"))).toEqual(
      answers.map(() => "max-age=31536000"),
    );
    for (const path of ["/", "/demo/", "/nothing"])
      expect(
        (await worker.fetch(new Request(`http://ca.test${path}`), bound)).headers.get(
          "strict-transport-security",
        ),
        path,
      ).toBeNull();
  });

  it("has a clock that requests can set only in the test build", async () => {
    const set = (by: typeof worker, now: unknown) =>
      by.fetch(
        new Request("https://ca.test/test/clock", { method: "PUT", body: JSON.stringify({ now }) }),
        bound,
      );
    const ahead = async () =>
      ((await (await get(bound, "/v1/sys/health")).json()) as { server_time_utc: number })
        .server_time_utc *
        1000 -
      Date.now();
    expect((await set(worker, Date.now() + 5_000_000_000)).status).toBe(404);
    expect(await ahead()).toBeLessThan(100_000);
    expect((await set(clocked, "soon")).status).toBe(400);
    expect((await set(clocked, Date.now() + 5_000_000_000)).status).toBe(204);
    expect(await ahead()).toBeGreaterThan(4_900_000_000);
    expect((await set(clocked, Date.now())).status).toBe(204);
    expect(await ahead()).toBeLessThan(100_000);
  });

  it("security row 89: the runtime has no method LIST, so that listings use the query parameter or the override header", async () => {
    expect(() => new Request("https://ca.test/v1/pki/issuers", { method: "LIST" })).toThrow(
      TypeError,
    );
    const ask = (path: string, headers: Record<string, string> = {}) =>
      worker.fetch(new Request(`https://ca.test/v1/${path}`, { headers }), bound);
    const named = { "x-service-token": token };
    await apiOf(bound)("POST", "/v1/pki/roles/listed", { key_type: "ec" });
    for (const [path, header] of [
      ["pki/roles?list=true", {}],
      ["pki/roles?list=false", { "x-http-method-override": "LIST" }],
    ] as const) {
      expect((await ask(path, header)).status).toBe(403);
      const { data }: { data: { keys: string[] } } = await (
        await ask(path, { ...named, ...header })
      ).json();
      expect([path, data.keys.includes("listed")]).toEqual([path, true]);
    }
    expect((await ask("pki/roles?list=false", named)).status).toBe(405);
  });

  it("prints one line per request if LOG is json, without token and body", async () => {
    const lines: string[] = [];
    const spy = vi
      .spyOn(console, "log")
      .mockImplementation((line: string) => void lines.push(line));
    try {
      await apiOf({ ...bound, LOG: "json" })("POST", "/v1/pki/issue/none", {
        common_name: "canary.test",
      });
      await apiOf(bound)("POST", "/v1/pki/issue/none", {});
    } finally {
      spy.mockRestore();
    }
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        endpoint: "issue",
        status: 400,
        refusal: "unknown_role",
        caller: "root",
      }),
    ]);
    expect(lines.join()).not.toMatch(new RegExp(`canary|${token}`));
  });
});

describe("a published CRL", () => {
  const bytes = async (environment: Env, mount: Mount): Promise<Uint8Array> => {
    const answer = await apiOf(environment)("GET", `/v1/${mount.path}/crl`);
    expect(answer.status, answer.text.slice(0, 200)).toBe(200);
    return answer.bytes;
  };
  /** Returns a deployment with cold caches. */
  const publishingIn = (PUBLISHED: Env["PUBLISHED"]): Env => ({ ...bound, PUBLISHED });

  it("is read from the object if KV has lost it, has only part of it, or fails", async () => {
    const mount = await newMount();
    const list = await bytes(bound, mount);
    expect(await bytes(publishingIn(memoryKv()), mount)).toEqual(list);
    expect(await bytes(publishingIn(Object.assign(memoryKv(), { failing: true })), mount)).toEqual(
      list,
    );
    expect(
      await bytes(
        publishingIn({
          put: async () => {},
          get: async () => list.slice(0, -1).buffer,
          delete: async () => {},
        }),
        mount,
      ),
    ).toEqual(list);
  });

  it("is built, stored and served while KV accepts no writes", async () => {
    const before = bound.PUBLISHED;
    const mount = await newMount();
    Object.assign(bound, { PUBLISHED: Object.assign(memoryKv(), { failing: true }) });
    try {
      await evictDurableObject(mount.stub());
      const leaf = await mount.api("POST", `/v1/${mount.path}/issue/web`, {
        common_name: "a.test",
      });
      const revoked = await mount.api("POST", `/v1/${mount.path}/revoke`, {
        serial_number: leaf.data["serial_number"],
      });
      expect([revoked.status, revoked.warnings]).toEqual([200, ""]);
      expect((await mount.store.list("job/")).filter(([key]) => key.includes("/crl/"))).toEqual([]);
      expect(
        new X509Crl((await bytes(publishingIn(memoryKv()), mount)).slice()).entries,
      ).toHaveLength(1);
    } finally {
      Object.assign(bound, { PUBLISHED: before });
    }
  });

  it("of more than a MiB is stored in parts, and is the same from KV and from the object", async () => {
    const kv = memoryKv();
    const before = bound.PUBLISHED;
    Object.assign(bound, { PUBLISHED: kv });
    try {
      const mount = await newMount();
      const [state = ""] = (await mount.store.list("crlstate/")).map(([key]) => key);
      const set = state.slice("crlstate/".length);
      const count = 45_000;
      const revokedAt = (at: number): number => 1_790_000_000 + at;
      const serials = Array.from({ length: count }, (_, at) =>
        Uint8Array.of(
          1,
          2,
          3,
          4,
          5,
          6,
          7,
          8,
          9,
          10,
          11,
          12,
          13,
          14,
          15,
          16,
          17,
          18,
          at >> 8,
          at & 255,
        ),
      );
      const entries = serials.map((serial, at) =>
        encodeRevokedEntry({ serial, revokedAt: revokedAt(at) }),
      );
      for (let at = 0; at < count; at += 1000) {
        const batch = concat(entries.slice(at, at + 1000));
        expect(batch.length).toBeLessThan(65_536);
        const rows = serials
          .slice(at, at + 1000)
          .map(
            (serial, i) =>
              [
                `revoked/${toHex(serial)}`,
                { at: revokedAt(at + i) * 1000, issuer: "", crl_set: set },
              ] as const,
          );
        await mount.store.commit({ put: rows, append: [[`crlpage/${set}/`, batch]] });
      }
      expect((await mount.api("GET", `/v1/${mount.path}/crl/rotate`)).status).toBe(200);
      const [fromKv, fromObject] = [
        await bytes(publishingIn(kv), mount),
        await bytes(publishingIn(memoryKv()), mount),
      ];
      const [[, { value }] = ["", { value: {} }]] = await mount.store.list("crlstate/");
      const number = String((value as { readonly number?: number }).number).padStart(10, "0");
      const parts = [...kv.held.entries()]
        .filter(([key]) => key.includes(`/${set}/${number}/`))
        .map(([, part]) => part.length);
      expect(parts).toHaveLength(Math.ceil(fromKv.length / 2 ** 20));
      expect(parts.length).toBeGreaterThan(1);
      expect(Math.max(...parts)).toBe(2 ** 20);
      expect(fromKv.length).toBeGreaterThan(1.5 * 2 ** 20);
      // Returns a digest: `toEqual` would compare megabytes element by element
      const digest = async (whole: Uint8Array) =>
        [...new Uint8Array(await crypto.subtle.digest("SHA-256", whole.slice()))].join();
      expect(await digest(fromObject)).toBe(await digest(fromKv));
      const crl = parseCrl(fromKv);
      const ca = parseCertificate((await mount.api("GET", `/v1/${mount.path}/ca`)).bytes);
      expect(await verifySignature(ca.spki, crl.algorithm, crl.tbs, crl.signature)).toBe(true);
      expect(crl.entries.length).toBe(entries.reduce((sum, entry) => sum + entry.length, 0));
    } finally {
      Object.assign(bound, { PUBLISHED: before });
    }
  });
});
