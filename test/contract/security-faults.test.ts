import { describe, expect, it } from "vitest";
import { authority, type Authority } from "../support/authority.ts";
import { everyFault, type Faults } from "../support/every-fault.ts";
import { acmeAuthority, acmeClient, clusterPath } from "../acme/client.ts";
import { csrOf as acmeCsr, identifiersOf, orderIn, prove } from "../acme/ordering.ts";
import { caExtensions, deciding, plainCsr } from "../external/deciding.ts";
import { keeperKey, keeping, serviceKey, serviceOf } from "../support/keepers.ts";
import { ask, bodyOf, world } from "../est/world.ts";
import { request } from "../pki/reading.ts";

/** A way to request a certificate. `n`: a number unique to each request. */
interface Way {
  /** Prepares a request without faults, and returns a function that sends it. */
  prepare(n: number): Promise<() => Promise<{ readonly status: number; readonly text: string }>>;
  /** The authority, with warm or cold caches. */
  readonly a: Authority;
  /** Name of the mount's store. */
  readonly mount: string;
  /** Reports whether a later request returns the certificate whose response was lost. */
  isFound?(n: number): Promise<boolean>;
}

/** The clock is read only for the duration in the log, so that its failure denies no certificate. */
const untold: Made = { harmless: ["now"], lost: [] };

/** Returns the certificate rows of the mount's store. */
async function certificates(way: Way): Promise<ReadonlySet<string>> {
  const rows = await way.a.stores(way.mount).list("cert/", { values: false });
  return new Set(rows.map(([key]) => key));
}
/** Returns the name of the mount's store. */
const mountOf = async (a: Authority): Promise<string> =>
  (await a.sys.listMounts())["pki/"]?.uuid ?? "";

const isCertificate = (text: string): boolean =>
  /BEGIN CERTIFICATE|"certificate"|^MII/m.test(text.replace(/"certificate":\s*"https?:/g, ""));

/** Port calls whose failure did not deny the certificate. */
interface Made {
  /** Calls after whose failure the certificate was returned. */
  readonly harmless: readonly string[];
  /** Calls after whose failure the certificate was stored, but the response lost. */
  readonly lost: readonly string[];
}
/**
 * Repeats a request, each time with a different port call failing. `denying`: calls whose failure
 * must deny the certificate.
 */
async function failEach(
  faults: Faults,
  way: Way,
  denying: readonly string[] = ["mount commit", "random"],
): Promise<Made> {
  const [harmless, lost, denied] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const names = new Set(denying);
  let tried = 0;
  for (const name of names)
    for (let number = 1; ; number++) {
      const { answer, calls, upTo, made, told } = await failing(faults, way, ++tried, {
        name,
        number,
      });
      for (const called of calls) names.add(called);
      if (answer.status < 300) expect(made.length, told).toBe(1);
      else expect(upTo, told).toBeDefined();
      if (upTo === undefined) break;
      // a failure during the commit cannot undo it
      if (made.length > 0) expect(upTo, told).toContain("mount commit");
      if (answer.status < 300) harmless.add(name);
      else denied.add(name);
      if (answer.status >= 300 && made.length > 0) {
        lost.add(name);
        expect(await way.isFound?.(tried), told).toBe(true);
      }
      // the failure must not affect the next request
      const next = await (await way.prepare(++tried))();
      expect(next.status, `after ${told}: ${next.text}`).toBeLessThan(300);
    }
  expect([...denied]).toEqual(expect.arrayContaining([...denying]));
  return { harmless: [...harmless].sort(), lost: [...lost].sort() };
}
/** Sends a request while one call fails, and asserts that the error reveals nothing. */
async function failing(
  faults: Faults,
  way: Way,
  n: number,
  { name, number }: { readonly name: string; readonly number: number },
) {
  const send = await way.prepare(n);
  const before = await certificates(way);
  faults.arm(name, number);
  const answer = await send().catch((error: unknown) => ({
    status: 500,
    text: `${error instanceof Error}`,
  }));
  const { calls, upTo } = faults.disarm();
  const made = [...(await certificates(way))].filter((key) => !before.has(key));
  const told = `${name} ${number} failed: ${answer.status} ${answer.text}`;
  if (answer.status >= 300) {
    expect(answer.status, told).toBeGreaterThanOrEqual(500);
    expect(isCertificate(answer.text), told).toBe(false);
    expect(answer.text, told).not.toContain("fault of");
  }
  return { answer, calls, upTo, made, told };
}

/** Returns a function that prepares request number `n` below the mount `pki`. */
const asking =
  (a: Authority, path: string, body: (n: number) => object | Promise<object>) =>
  async (n: number) => {
    const sent = await body(n);
    return () => a.call("POST", `pki/${path}`, sent);
  };
async function issuing() {
  const faults = everyFault();
  const a = authority(faults.options);
  await a.root();
  await a.role("web");
  return { faults, a, mount: await mountOf(a) };
}
/** Prepares each request in a new engine over the same store, with cold caches. */
const cold = (faults: Faults, of: (a: Authority) => Way["prepare"]): Way["prepare"] => {
  return async (n) => of(authority(faults.options))(n);
};

const ways = {
  issue: (a: Authority) =>
    asking(a, "issue/web", (n) => ({ common_name: `n${n}.example`, ttl: "1h" })),
  sign: (a: Authority) =>
    asking(a, "sign/web", async (n) => ({
      csr: await request({ cn: `n${n}.example` }),
      common_name: `n${n}.example`,
    })),
  "sign-verbatim": (a: Authority) =>
    asking(a, "sign-verbatim", async (n) => ({ csr: await request({ cn: `n${n}.example` }) })),
  "root/sign-intermediate": (a: Authority) =>
    asking(a, "root/sign-intermediate", async (n) => ({
      csr: await request({}),
      common_name: `CA ${n}`,
    })),
};

describe("security row 51: if any port call fails, no certificate is returned or stored, and the next request succeeds", () => {
  it.each(Object.entries(ways))("%s", async (_, way) => {
    const { faults, a, mount } = await issuing();
    expect(await failEach(faults, { prepare: way(a), a, mount })).toEqual(untold);
    expect(await failEach(faults, { prepare: cold(faults, way), a, mount })).toEqual(untold);
  });

  it("ACME finalize", async () => {
    const faults = everyFault();
    const a = await acmeAuthority(faults.options);
    let held: Request | undefined;
    let holds = false;
    const client = acmeClient({
      fetch: (request) => {
        if (!holds) return a.ca.fetch(request);
        held = request;
        return Promise.reject(new Error("held"));
      },
      directory: `${clusterPath}/acme/directory`,
    });
    await client.register();
    const orders = new Map<number, string>();
    const prepare = async (n: number) => {
      const names = [`n${n}.example`];
      const made = await client.post(await client.url("newOrder"), {
        identifiers: identifiersOf(...names),
      });
      const { authorizations, finalize } = orderIn(made);
      orders.set(n, made.location);
      await prove(a, authorizations);
      const csr = await acmeCsr({ names });
      const nonce = await client.nonce();
      holds = true;
      await client.post(finalize, { csr }, { nonce }).catch(() => undefined);
      holds = false;
      const sent = held;
      if (!sent) throw new Error("nothing was sent");
      return async () => {
        const response = await a.ca.fetch(sent);
        return { status: response.status, text: await response.text() };
      };
    };
    const isFound = async (n: number) =>
      orderIn(await client.post(orders.get(n) ?? "")).status === "valid";
    // the response to finalize has a nonce and the order in its current state
    expect(await failEach(faults, { prepare, a, mount: await a.uuid(), isFound })).toEqual({
      harmless: ["now"],
      lost: ["now", "random"],
    });
  });

  it("EST enrollment", async () => {
    const faults = everyFault();
    const { a, roleId, secretId } = await world({}, faults.options);
    const basic = `${roleId}:${await secretId()}`;
    const prepare = (asked: Authority) => async (n: number) => {
      const body = await bodyOf({ name: `n${n}.example` });
      return () => ask(asked, "/.well-known/est/simpleenroll", { basic, body });
    };
    const mount = await mountOf(a);
    expect(await failEach(faults, { prepare: prepare(a), a, mount })).toEqual(untold);
    expect(await failEach(faults, { prepare: cold(faults, prepare), a, mount })).toEqual(untold);
  });

  it.each(["sign", "issue", "sign-intermediate"])("external-policy/%s", async (operation) => {
    const faults = everyFault();
    const it = await deciding(faults.options);
    const options = {
      ...faults.options,
      externalPolicy: faults.through("policy", it.externalPolicy),
    };
    const kind = operation === "sign-intermediate" ? { extensions: caExtensions() } : {};
    it.answer = (asked) => it.yes(asked, kind);
    const a = authority(options);
    const way = (asked: Authority) =>
      asking(asked, `external-policy/${operation}`, async () =>
        operation === "issue" ? { key_type: "ec" } : { csr: await plainCsr() },
      );
    const mount = await mountOf(a);
    expect(await failEach(faults, { prepare: way(a), a, mount })).toEqual(untold);
    const prepare = async (n: number) => way(authority(options))(n);
    expect(await failEach(faults, { prepare, a, mount })).toEqual(untold);
  });

  it("issue with a key in an external key service", async () => {
    const key = keeperKey("P-256");
    const { reaching, close } = await keeping(serviceOf(key));
    const { dial, resolve, clock } = reaching;
    if (!dial || !resolve) throw new Error("the keeper is not reached");
    const faults = everyFault({ at: clock?.now ?? 0 });
    const options = {
      ...faults.options,
      dial: faults.through("dial", dial),
      resolve: faults.through("resolve", resolve),
    };
    const a = authority(options);
    await a.call("POST", "sys/managed-keys/https/one", serviceKey);
    await a.call("POST", "pki/root/generate/kms", { managed_key_name: "one", common_name: "R" });
    await a.role("web");
    const mount = await mountOf(a);
    const prepare = async (n: number) => ways.issue(authority(options))(n);
    const each = ["mount commit", "random", "unseal", "dial", "resolve"];
    for (const asked of [ways.issue(a), prepare])
      expect(await failEach(faults, { prepare: asked, a, mount }, each)).toEqual(untold);
    close();
  });
});
