import { createServer, request } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Provider, type Configuration } from "oidc-provider";
import type { CaOptions } from "../../../src/index.ts";
import { certificate, dial, listening } from "../../net/tls-fixture.ts";

/** An OpenID provider on 127.0.0.1 with the name `idp.example`. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** PEM of the CA of its certificate. */
  readonly ca: string;
  readonly port: number;
  readonly client: { readonly oidc_client_id: string; readonly oidc_client_secret: string };
  /** The user that logs in next. */
  user: string;
  /** Requested paths. */
  readonly requests: string[];
  readonly ways: Pick<CaOptions, "dial" | "resolve">;
  /** Follows an authorization request like a browser, until it is redirected to `redirectUri`. */
  authorize(url: string, redirectUri: string): Promise<URL>;
  /** The form that the provider posts in the response mode `form_post`. */
  authorizeByForm(url: string): Promise<URLSearchParams>;
  close(): void;
}

/** Users by subject: their claims. */
const users: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  alice: { groups: ["admins", "ops"], email: "alice@example.com", department: "pki" },
  bob: { groups: [], email: "bob@example.com", department: "sales" },
};

const configuration = (redirectUris: readonly string[]): Configuration => ({
  clients: [
    {
      client_id: "sealwright",
      client_secret: "a secret / of + the client",
      redirect_uris: [...redirectUris],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  claims: { openid: ["sub"], profile: ["groups", "department"], email: ["email"] },
  conformIdTokenClaims: true,
  pkce: { required: () => true },
  cookies: { keys: ["of tests only"] },
  features: { devInteractions: { enabled: false }, userinfo: { enabled: true } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  ttl: {
    AccessToken: 60,
    AuthorizationCode: 60,
    IdToken: 600,
    Grant: 60,
    Session: 60,
    Interaction: 60,
  },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...users[sub] }) }),
  async loadExistingGrant(context) {
    const { client, session } = context.oidc;
    if (!client || session?.accountId === undefined) return undefined;
    const grant = new context.oidc.provider.Grant({
      clientId: client.clientId,
      accountId: session.accountId,
    });
    grant.addOIDCScope("openid profile email");
    await grant.save();
    return grant;
  },
});

export async function openIdProvider(...redirectUris: readonly string[]): Promise<OpenIdProvider> {
  const ca = await certificate({ name: "private CA", ca: true });
  const own = await certificate({ issuer: ca, names: { dns: ["idp.example"] } });
  const issuer = "https://idp.example";
  const provider = new Provider(issuer, configuration(redirectUris));
  const handle = provider.callback();
  const server = createServer({ key: own.key.pem, cert: own.pem }, (sent, reply) => {
    void answer(sent, reply);
  });
  async function answer(sent: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { url = "" } = sent;
    state.requests.push(url.replace(/\?.*/, ""));
    if (url.startsWith("/interaction/"))
      await provider.interactionFinished(sent, reply, { login: { accountId: state.user } });
    else await handle(sent, reply);
  }
  const port = await listening(server);
  /** Sends a GET with the cookies of a browser. */
  const get = (url: URL, cookies: Map<string, string>) =>
    new Promise<{ readonly location: string | undefined; readonly text: string }>(
      (resolve, reject) => {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const options = {
          port,
          path: `${url.pathname}${url.search}`,
          servername: url.hostname,
          ca: ca.pem,
          headers: { host: url.host, cookie },
        };
        request("https://127.0.0.1", options, (reply) => {
          for (const line of reply.headers["set-cookie"] ?? []) {
            const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
            cookies.set(name, value);
          }
          let text = "";
          reply.setEncoding("utf8").on("data", (part: string) => (text += part));
          reply.on("end", () => resolve({ location: reply.headers.location, text }));
        })
          .on("error", reject)
          .end();
      },
    );
  /** Follows redirects within the provider. */
  async function follow(url: string, ends: (to: URL) => boolean) {
    const cookies = new Map<string, string>();
    let at = new URL(url);
    for (let step = 0; step < 6; step++) {
      const { location, text } = await get(at, cookies);
      if (location === undefined) return { at, text };
      at = new URL(location, at);
      if (ends(at)) return { at, text };
    }
    throw new Error(`the provider redirects too often, at last to ${at.href}`);
  }
  const state: OpenIdProvider = {
    issuer,
    ca: ca.pem,
    port,
    client: { oidc_client_id: "sealwright", oidc_client_secret: "a secret / of + the client" },
    user: "alice",
    requests: [],
    ways: {
      dial: () => dial(port),
      resolve: async ({ type }) => (type === "A" ? ["10.1.2.3"] : []),
    },
    async authorize(url, redirectUri) {
      const { at, text } = await follow(url, (to) => to.href.startsWith(redirectUri));
      if (!at.href.startsWith(redirectUri)) throw new Error(text);
      return at;
    },
    async authorizeByForm(url) {
      const { text } = await follow(url, () => false);
      return new URLSearchParams(
        [...text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
          name,
          value,
        ]),
      );
    },
    close: () => server.close().closeAllConnections(),
  };
  return state;
}
