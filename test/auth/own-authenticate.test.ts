import { expect, it } from "vitest";
import { createCa, memoryStore, type CaOptions, type LogEvent } from "../../src/index.ts";

type Authenticate = NonNullable<CaOptions["authenticate"]>;
/** Creates an authority with an untyped `authenticate`, as a JavaScript program may have. */
function over(authenticate: (token: string) => unknown) {
  const log: LogEvent[] = [];
  const ca = createCa({
    stores: memoryStore(),
    authenticate: authenticate as Authenticate,
    log: (event) => log.push(event),
  });
  const ask = async (path: string, token = "t", body?: object) => {
    const answer = await ca.fetch(
      new Request(`http://ca/v1/${path}`, {
        method: body ? "POST" : "GET",
        headers: { "x-service-token": token },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
    return [answer.status, await answer.text()] as const;
  };
  return { ca, log, ask };
}

it("authenticate: a caller for whom it returns nothing is anonymous; tokens of the server are still accepted", async () => {
  for (const nothing of [undefined, null, false, ""]) {
    const { ca, ask } = over(async () => nothing);
    expect((await ask("sys/mounts"))[0]).toBe(403);
    await ca.sys.writePolicy({
      name: "reader",
      policy: 'path "sys/mounts" { capabilities = ["read"] }',
    });
  }
});

it("authenticate: a result without `id` or `can` is logged, and grants nothing", async () => {
  for (const odd of [{}, { id: "x" }, { can: () => true }, { id: 7, can: () => true }, "x", 1]) {
    const { log, ask } = over(async () => odd);
    for (const [path, body] of [
      ["sys/mounts", undefined],
      ["pki/root/generate/internal", { common_name: "R" }],
      ["auth/token/lookup-self", undefined],
    ] as const)
      expect([odd, ...(await ask(path, "t", body))]).toEqual([
        odd,
        500,
        '{"errors":["internal error"]}\n',
      ]);
    expect(String(log[0]?.cause)).toContain("`authenticate` must resolve with `id` and `can`");
    // unauthenticated endpoints do not call it
    expect((await ask("sys/health"))[0]).not.toBe(500);
  }
});

it("authenticate: a promise instead of true or false is an error, not a permission", async () => {
  const oddly = (more: object) => over(async () => ({ id: "x", can: () => true, ...more }));
  const role = { allow_any_name: true };
  for (const more of [
    { can: async () => false },
    { can: async () => true },
    { can: () => 1 },
    { permits: async () => false },
  ]) {
    const { ca, log, ask } = oddly(more);
    expect((await ask("pki/roles/web", "t", role))[0]).toBe(500);
    expect(String(log[0]?.cause)).toContain("true or false synchronously");
    await expect(ca.pki.readRole({ name: "web" })).rejects.toMatchObject({ status: 404 });
  }
  expect((await oddly({}).ask("pki/roles/web", "t", role))[0]).toBe(200);
});

it("authenticate: a call for which it throws fails without details, and the next call runs it again", async () => {
  let failing = true;
  const { log, ask } = over(async () => {
    if (failing) throw new Error("the directory at ldap://inside is away");
    return { id: "x", policies: ["root"], can: () => true };
  });
  expect(await ask("sys/mounts")).toEqual([500, '{"errors":["internal error"]}\n']);
  expect(String(log[0]?.cause)).toContain("ldap://inside");
  failing = false;
  expect((await ask("sys/mounts"))[0]).toBe(200);
  // throwing synchronously makes no difference
  const { ask: other } = over(() => {
    throw new Error("at once");
  });
  expect((await other("sys/mounts"))[0]).toBe(500);
});

it("authenticate: a slow or pending check delays no other call, even with the same token", async () => {
  const waiting: ((identity: unknown) => void)[] = [];
  let arrived = (): void => undefined;
  const isJudged = new Promise<void>((resolve) => (arrived = resolve));
  const { ask } = over((token) =>
    token === "slow" && waiting.length < 2
      ? new Promise((resolve) => {
          if (waiting.push(resolve) === 2) arrived();
        })
      : Promise.resolve({ id: token, can: () => true }),
  );
  // the first call of an authority creates its initial rows
  await ask("sys/mounts", "quick");
  const [slow, other] = [ask("sys/mounts", "slow"), ask("sys/mounts", "slow")];
  const early = Promise.race([slow, other]).then((answer) => {
    throw new Error(`answered ${answer.join(" ")} before its token was judged`);
  });
  await Promise.race([isJudged, early]);
  expect((await ask("sys/mounts", "quick"))[0]).toBe(200);
  expect((await ask("sys/mounts", "slow"))[0]).toBe(200);
  waiting[0]?.({ id: "slow", can: () => false });
  expect((await slow)[0]).toBe(403);
});

it("authenticate: an identity may be an instance of a class", async () => {
  class Operator {
    readonly id = "operator";
    readonly #allowed = ["sys/mounts"];
    can(_capability: string, path: string): boolean {
      return this.#allowed.includes(path);
    }
  }
  const { ask } = over(async () => new Operator());
  expect((await ask("sys/mounts"))[0]).toBe(200);
  expect((await ask("sys/auth"))[0]).toBe(403);
});
