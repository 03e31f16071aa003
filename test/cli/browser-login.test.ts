import { afterAll, describe, expect, it } from "vitest";
import { logInByBrowser } from "../../server/cli/browser-login.ts";
import { documentOf } from "../../server/cli/raw-call.ts";
import { openIdProvider } from "../auth/jwt/openid-provider.ts";
import { authority, clockAt } from "../support/authority.ts";
import { freePort } from "../support/ports.ts";
import { connectedTo } from "./connected.ts";

const port = await freePort();
const redirect = `http://127.0.0.1:${port}/oidc/callback`;
const provider = await openIdProvider(redirect);
afterAll(() => provider.close());

async function prepared() {
  const a = authority({ clock: clockAt(Date.now()), ...provider.ways });
  const config = {
    oidc_discovery_url: provider.issuer,
    oidc_discovery_ca_pem: provider.ca,
    ...provider.client,
    default_role: "people",
  };
  const role = { user_claim: "sub", allowed_redirect_uris: "http://127.0.0.1:8250/oidc/callback" };
  await a.call("POST", "sys/auth/oidc", { type: "oidc" });
  await a.call("POST", "auth/oidc/config", config);
  expect((await a.call("POST", "auth/oidc/role/people", role)).errors).toEqual([]);
  return connectedTo(a.ca, "");
}
const login = { at: "auth/oidc", role: undefined, host: "127.0.0.1", port, timeout: 20_000 };
/** A port that no login before has used: a process that is being started may still hold that. */
const anyPort = { ...login, port: 0 };

describe("sealwright login oidc", () => {
  it("ignores responses to other logins and shows no token in the browser", async () => {
    const connection = await prepared();
    const pages: string[] = [];
    const visit = async (url: string, init?: RequestInit) => {
      const page = await fetch(url, init);
      pages.push(await page.text());
      return page.status;
    };
    const reply = await logInByBrowser(connection, {
      ...login,
      show(url) {
        void (async () => {
          expect(await visit(`${redirect}?state=forged&code=forged`)).toBe(400);
          expect(await visit(`http://127.0.0.1:${port}/?state=x`)).toBe(400);
          const form = { method: "POST", body: "x".repeat(40_000) };
          expect(await visit(redirect, form)).toBe(400);
          await visit((await provider.authorize(url, redirect)).href);
        })();
      },
    });
    const { client_token, metadata } = {
      ...(documentOf(reply)?.["auth"] as Record<string, unknown> | undefined),
    };
    expect(metadata).toEqual({ role: "people" });
    expect(pages).toHaveLength(4);
    expect(pages.join()).not.toContain(client_token);
  });

  it("reports an error of the provider, a role that does not allow the redirect URI, and a timeout", async () => {
    const connection = await prepared();
    const refused = logInByBrowser(connection, {
      ...anyPort,
      show(url) {
        const { searchParams } = new URL(url);
        const response = new URL(searchParams.get("redirect_uri") ?? "");
        response.searchParams.set("error", "access_denied");
        response.searchParams.set("error_description", "no \x1b[2J");
        response.searchParams.set("state", searchParams.get("state") ?? "");
        void fetch(response);
      },
    });
    await expect(refused).rejects.toThrow(
      /^The identity provider rejected the login: access_denied: no \P{Cc}*$/u,
    );
    await expect(
      logInByBrowser(connection, { ...anyPort, host: "localhost", show: () => {} }),
    ).rejects.toThrow('unauthorized redirect_uri: "http://localhost:');
    await expect(
      logInByBrowser(connection, { ...anyPort, timeout: 1, show: () => {} }),
    ).rejects.toThrow("Nobody logged in within 0.001 seconds.");
  });
});
