import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/index.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { authority, clockAt, type Authority } from "../../support/authority.ts";
import { certificate, now } from "../../net/tls-fixture.ts";
import { tokenSigner } from "../jwt/signer.ts";
import { authOf, type Auth } from "../token/world.ts";

const signer = await tokenSigner("ES256", "one");
const ca = await certificate({ name: "client CA", ca: true });
const client = await certificate({ issuer: ca, name: "alice" });
const account = { namespace: "web", serviceaccount: { name: "app", uid: "uid" } };
const sub = "system:serviceaccount:web:app";
const jwt = await signer.token({ sub, iat: now, exp: now + 600, "kubernetes.io": account });

interface Way {
  /** Path of the role or user, below the method, with its required fields. */
  readonly of: string;
  readonly needs: object;
  readonly config?: object;
  login(a: Authority): Promise<Auth>;
}
const posted =
  (path: string, body: object) =>
  async (a: Authority): Promise<Auth> =>
    authOf(await a.call("POST", `auth/${path}`, body, { token: "" }));
const ways: Readonly<Record<string, Way>> = {
  userpass: {
    of: "users/bob",
    needs: { password: "long enough" },
    login: posted("userpass/login/bob", { password: "long enough" }),
  },
  approle: {
    of: "role/web",
    needs: { role_id: "web", bind_secret_id: false, secret_id_bound_cidrs: "0.0.0.0/0" },
    login: async (a) => {
      const request = new Request("http://ca.example/v1/auth/approle/login", {
        method: "POST",
        body: JSON.stringify({ role_id: "web" }),
      });
      const answer = await a.ca.fetch(request, { peer: { address: "192.0.2.1" } });
      return ((await answer.json()) as { auth: Auth }).auth;
    },
  },
  jwt: {
    of: "role/web",
    needs: { user_claim: "sub", bound_subject: sub },
    config: { jwt_validation_pubkeys: [signer.pem] },
    login: posted("jwt/login", { role: "web", jwt }),
  },
  kubernetes: {
    of: "role/web",
    needs: { bound_service_account_names: "app", bound_service_account_namespaces: "web" },
    config: { pem_keys: [signer.pem] },
    login: posted("kubernetes/login", { role: "web", jwt }),
  },
  cert: {
    of: "certs/web",
    needs: { certificate: ca.pem },
    login: async (a) => {
      const request = new Request("http://ca.example/v1/auth/cert/login", { method: "POST" });
      const answer = await a.ca.fetch(request, { peer: { tlsChain: [client.der] } });
      return ((await answer.json()) as { auth: Auth }).auth;
    },
  },
};

async function loggedIn(type: string, way: Way, settings: object = {}, stores = memoryStore()) {
  const a = authority({ clock: clockAt(now * 1000), stores });
  await a.call("POST", `sys/auth/${type}`, { type });
  if (way.config) await a.call("POST", `auth/${type}/config`, way.config);
  const path = `auth/${type}/${way.of}`;
  const write = async (given: object) => {
    const written = await a.call("POST", path, { ...way.needs, ...given });
    expect(written.errors).toEqual([]);
  };
  await write({ token_policies: "machines", token_ttl: "10m", ...settings });
  const auth = await way.login(a);
  const renew = async (increment?: string) => {
    const body = { token: auth.client_token, ...(increment ? { increment } : {}) };
    const answer = await a.call("POST", "auth/token/renew", body);
    return answer.status === 200 ? authOf(answer).lease_duration : answer.errors[0];
  };
  const remove = () => a.call("DELETE", path);
  return { ...a, type, auth, write, renew, remove };
}

describe.each(Object.entries(ways))("a token of a login by %s", (type, way) => {
  it("is renewed with the current settings of its role or user and of the method", async () => {
    const { renew, write, clock, call } = await loggedIn(type, way, { token_max_ttl: "3h" });
    expect(await renew()).toBe(600);
    await write({ token_ttl: "20m" });
    expect(await renew()).toBe(1200);
    expect(await renew("9h")).toBe(3 * 3600);
    await write({ token_max_ttl: "1h" });
    expect(await renew("9h")).toBe(3600);
    clock.advance(3000);
    expect(await renew()).toBe(600);
    await write({ token_ttl: 0, token_max_ttl: 0 });
    const tuned = { default_lease_ttl: "30m", max_lease_ttl: "2h" };
    expect((await call("POST", `sys/auth/${type}/tune`, tuned)).errors).toEqual([]);
    clock.advance(2);
    expect(await renew()).toBe(1800);
    expect(await renew("9h")).toBe(7200 - 3002);
    await write({ token_period: "5m" });
    expect(await renew("9h")).toBe(300);
  });

  it("is not renewed while its role or user has other policies", async () => {
    const { renew, write } = await loggedIn(type, way);
    for (const changed of [
      { token_policies: "machines,more" },
      { token_policies: "" },
      { token_policies: "machines", token_no_default_policy: true },
    ]) {
      await write(changed);
      expect(await renew()).toBe("policies have changed, not renewing");
    }
    await write({ token_policies: "machines", token_no_default_policy: false });
    expect(await renew()).toBe(600);
  });

  it("is not renewed after its role or user is deleted, but stays valid until it expires", async () => {
    const { renew, remove, call, clock, auth } = await loggedIn(type, way);
    await remove();
    expect(await renew()).toBe(
      "the role or user that this token was created for no longer exists, not renewing",
    );
    const self = () =>
      call("GET", "auth/token/lookup-self", undefined, { token: auth.client_token });
    expect((await self()).status).toBe(200);
    clock.advance(601);
    expect((await self()).status).toBe(403);
  });
});

describe("a token of a login", () => {
  it("whose row does not name its user, as in earlier versions, is renewed even if the user is deleted", async () => {
    const [, way] = Object.entries(ways)[0] ?? [];
    if (!way) throw new TypeError("no way to log in");
    const { renew, remove, stores } = await loggedIn("userpass", way);
    const [[key, row] = []] = await stores("sys").list("token/");
    if (key === undefined || !row) throw new TypeError("no token");
    const { source: _, ...before } = row.value as { readonly source: string };
    await stores("sys").commit({ put: [[key, before]] });
    await remove();
    expect(await renew()).toBe(600);
  });

  it("is not renewed if its user is deleted during the renewal", async () => {
    const [, way] = Object.entries(ways)[0] ?? [];
    if (!way) throw new TypeError("no way to log in");
    const plain = memoryStore();
    let before: (() => Promise<unknown>) | undefined;
    const stores = (name: string): Store => {
      const store = plain(name);
      return {
        ...store,
        commit: async (batch) => {
          const [meanwhile] = [before, (before = undefined)];
          await meanwhile?.();
          return store.commit(batch);
        },
      };
    };
    const { renew, remove } = await loggedIn("userpass", way, {}, stores);
    before = remove;
    expect(await renew()).toBe(
      "the role or user that this token was created for no longer exists, not renewing",
    );
  });
});
