import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { fromUtf8 } from "../../src/base/bytes.ts";
import { readDocument } from "../../src/net/guarded-fetch.ts";
import type { DocumentRequest, NetworkPorts } from "../../src/net/guarded-fetch-target.ts";
import { urlFault } from "../../src/net/url-fault.ts";
import { certificate, dial, listening, now } from "./tls-fixture.ts";

const ca = await certificate({ name: "private CA", ca: true });
const own = await certificate({ issuer: ca, names: { dns: ["keys.example"] } });
const stranger = await certificate({ name: "another CA", ca: true });

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  const server = createServer({ key: own.key.pem, cert: own.pem }, answer);
  servers.push(server);
  return await listening(server);
}

/** Returns ports that connect to one server, for any dialled address. */
function ways(
  port: number,
  more: Partial<NetworkPorts> = {},
): NetworkPorts & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    dial: async (to) => {
      asked.push(`${to.address} ${to.port}`);
      return await dial(port);
    },
    resolve: async ({ type }) => (type === "A" ? ["10.1.2.3"] : []),
    random: (size) => crypto.getRandomValues(new Uint8Array(size)),
    now: () => now * 1000,
    ...more,
  };
}
const wanted = (more: Partial<DocumentRequest> = {}): DocumentRequest => ({
  url: "https://keys.example/keys?of=all",
  roots: [ca.der],
  privateNetworks: false,
  maxBytes: 1000,
  limit: 5000,
  ...more,
});
const outcome = (asking: Promise<Uint8Array>): Promise<string> =>
  asking.then(fromUtf8, (error: Error) => `${error.name}: ${error.message}`);

describe("a document from a server with a private CA", () => {
  it("is fetched with Sealwright's TLS client, also from a private address", async () => {
    const port = await serve((request, response) => {
      response.end(`${request.method} ${request.url} ${request.headers.host}`);
    });
    const out = ways(port);
    expect(await outcome(readDocument(out, wanted()))).toBe("GET /keys?of=all keys.example");
    expect(out.asked).toEqual(["10.1.2.3 443"]);
  });

  it("is requested only after the server has presented a certificate of that CA for its name", async () => {
    let requests = 0;
    const port = await serve((_, response) => {
      requests++;
      response.end("secret");
    });
    expect(await outcome(readDocument(ways(port), wanted({ roots: [stranger.der] })))).toMatch(
      /^NetError: the TLS handshake failed: .*no chain to a trusted root/,
    );
    expect(
      await outcome(readDocument(ways(port), wanted({ url: "https://other.example/" }))),
    ).toMatch(/^NetError: the TLS handshake failed: .*not valid for the name of the server/);
    expect(requests).toBe(0);
  });

  it.each([
    ["127.0.0.1", "a loopback address"],
    ["::1", "a loopback address"],
    ["169.254.169.254", "a cloud metadata address"],
    ["169.254.1.1", "a link-local address"],
    ["::ffff:127.0.0.1", "a loopback address"],
  ])("is never requested at %s", async (address, kind) => {
    const resolve: NetworkPorts["resolve"] = async ({ type }) =>
      (type === "AAAA") === address.includes(":") ? [address] : [];
    const out = ways(0, { resolve });
    const text = await outcome(readDocument(out, wanted()));
    expect(text).toContain("and is not contacted");
    expect(text).toMatch(address.startsWith("::f") ? /mapped|loopback/ : kind);
    expect(out.asked).toEqual([]);
    const literal = `https://${address.includes(":") ? `[${address}]` : address}/`;
    expect(await outcome(readDocument(out, wanted({ url: literal })))).toContain(
      "is not contacted",
    );
    expect(out.asked).toEqual([]);
  });

  it.each([
    [302, "the server redirects, but redirects are not followed"],
    [404, "the server returned status 404"],
    [500, "the server returned status 500"],
    [204, "the server returned status 204"],
  ])("is rejected with status %i", async (status, text) => {
    const port = await serve((_, response) => {
      response.writeHead(status, { Location: "https://169.254.169.254/" }).end();
    });
    expect(await outcome(readDocument(ways(port), wanted()))).toBe(`NetError: ${text}`);
  });

  it("is aborted if it is too long or takes too long", async () => {
    const long = await serve((_, response) => void response.end("x".repeat(1001)));
    expect(await outcome(readDocument(ways(long), wanted()))).toMatch(/^NetError: .*1000 bytes/);
    const silent = await serve(() => undefined);
    expect(await outcome(readDocument(ways(silent), wanted({ limit: 200 })))).toBe(
      "NetError: the server did not respond in time",
    );
    const never = ways(0, { dial: () => new Promise(() => undefined) });
    expect(await outcome(readDocument(never, wanted({ limit: 200 })))).toBe(
      "NetError: the server did not respond in time",
    );
  });

  it("that is unreachable is reported without the error text of the system", async () => {
    const down = ways(0, { dial: () => Promise.reject(new Error("ECONNREFUSED secret")) });
    expect(await outcome(readDocument(down, wanted()))).toBe(
      "NetError: cannot connect to the server",
    );
    const nameless = ways(0, { resolve: () => Promise.reject(new Error("SERVFAIL secret")) });
    expect(await outcome(readDocument(nameless, wanted()))).toBe(
      "NetError: cannot resolve the name of the server",
    );
  });
});

describe("a document from a server with a publicly trusted certificate", () => {
  const publicly = (answer: () => Response, more: Partial<NetworkPorts> = {}) => {
    const asked: string[] = [];
    const fetch: NonNullable<NetworkPorts["fetch"]> = async (url, { redirect }) => {
      asked.push(`${url} ${redirect}`);
      return answer();
    };
    const resolve: NetworkPorts["resolve"] = async ({ type }) =>
      type === "A" ? ["93.184.216.34"] : [];
    return Object.assign(ways(0, { fetch, resolve, ...more }), { asked });
  };
  const open = wanted({ roots: [] });

  it("is fetched by the platform without following redirects", async () => {
    const out = publicly(() => new Response("keys"));
    expect(await outcome(readDocument(out, open))).toBe("keys");
    expect(out.asked).toEqual(["https://keys.example/keys?of=all manual"]);
    const moved = publicly(() => new Response(null, { status: 301 }));
    expect(await outcome(readDocument(moved, open))).toContain("redirects");
    const long = publicly(() => new Response("x".repeat(1001)));
    expect(await outcome(readDocument(long, open))).toBe(
      "NetError: the response is longer than 1000 bytes",
    );
  });

  it("is rejected with the reason if Node does not trust the certificate after all", async () => {
    const port = await serve((_, response) => void response.end("keys"));
    const toServer: NonNullable<NetworkPorts["fetch"]> = (_, init) =>
      fetch(`https://127.0.0.1:${port}/`, init);
    const out = publicly(() => new Response(), { fetch: toServer });
    expect(await outcome(readDocument(out, open))).toMatch(
      /^NetError: the certificate of the server is not trusted \([A-Z_]+\): configure its CA$/,
    );
    const down = publicly(() => {
      throw new TypeError("fetch failed", { cause: new Error("ECONNREFUSED secret") });
    });
    expect(await outcome(readDocument(down, open))).toBe(
      "NetError: the connection failed or was lost",
    );
  });

  it("is not requested if any address of its name is internal", async () => {
    const resolve: NetworkPorts["resolve"] = async ({ type }) =>
      type === "A" ? ["93.184.216.34", "10.0.0.1"] : [];
    const out = publicly(() => new Response("keys"), { resolve });
    expect(await outcome(readDocument(out, open))).toBe(
      "NetError: 10.0.0.1 is a private address and is not contacted",
    );
    expect(out.asked).toEqual([]);
    expect(await outcome(readDocument(out, { ...open, privateNetworks: true }))).toBe("keys");
  });

  it("is not fetched on a platform without fetch", async () => {
    expect(await outcome(readDocument(ways(0), open))).toBe(
      "NetError: this runtime has no list of publicly trusted roots",
    );
  });
});

describe("the URL of a document", () => {
  it.each([
    ["https://keys.example/a?b=c", undefined],
    ["http://keys.example/", "must be an https URL"],
    ["file:///etc/passwd", "must be an https URL"],
    ["keys.example", "must be an https URL"],
    ["https://keys.example/\n", "must be an https URL"],
    ["https://user@keys.example/", "must not have a user name or password"],
    ["https://keys.example/#", "must not have a fragment"],
    [`https://keys.example/${"x".repeat(2000)}`, "is longer than 2000 characters"],
  ])("is checked before it is requested: case %#", (url, fault) =>
    expect(urlFault(url)).toBe(fault),
  );
});
