import { describe, expect, it } from "vitest";
import { preparedIssuer, signAsCertManager, ways, type Send } from "../auth/cert-manager.ts";
import { startServer } from "../support/server.ts";

const server = await startServer();
const send: Send = async (method, path, { body, headers = {} } = {}) => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${server.url}/v1/${path}`, { method, headers, ...sent });
  const text = await answer.text();
  // replies are JSON objects
  const json = (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
  return { status: answer.status, json };
};
const credentials = await preparedIssuer(send, server.token);

describe("cert-manager's requests over HTTP", () => {
  it.each(ways)("sign a certificate after a login by %s", async (way) => {
    await signAsCertManager(send, way, credentials);
  });

  it("get an error for a cert login where the server receives no client certificates", async () => {
    const root = { "X-Vault-Token": server.token };
    await send("POST", "sys/auth/cert", { body: { type: "cert" }, headers: root });
    const headers = { "client-cert": ":MIIB:", "x-forwarded-client-cert": "Cert=x" };
    const { status, json } = await send("POST", "auth/cert/login", {
      body: { name: "web" },
      headers,
    });
    expect([status, json["errors"]]).toEqual([
      400,
      [
        "invalid certificate or no client certificate supplied: this server does not receive client certificates from its platform",
      ],
    ]);
  });
});
