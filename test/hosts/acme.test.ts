import { X509Certificate } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTlsServer } from "node:tls";
import acme from "acme-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWorld, type World } from "../interop/acme/world.ts";
import { hosts } from "./hosts.ts";

let world: World;

type Challenges = Parameters<acme.Client["auto"]>[0];

/** Solves challenges of every type. */
class Proofs {
  readonly #running = new Map<string, () => void>();

  readonly create: Challenges["challengeCreateFn"] = async (authz, challenge, answer) => {
    const name = authz.identifier.value;
    const { type, token } = challenge;
    if (type === "dns-01") world.dns.txt(`_acme-challenge.${name}`, answer);
    else if (type === "http-01") await this.#serve(token, answer);
    else {
      const key = await acme.crypto.createPrivateEcdsaKey();
      await this.#present(token, await acme.crypto.createAlpnCertificate(authz, answer, key));
    }
  };
  readonly remove: Challenges["challengeRemoveFn"] = async (authz, { token }, answer) => {
    world.dns.clear(`_acme-challenge.${authz.identifier.value}`, answer);
    this.#running.get(token)?.();
  };
  async #serve(token: string, answer: string): Promise<void> {
    const server = createHttpServer((request, reply) =>
      reply.end(request.url === `/.well-known/acme-challenge/${token}` ? answer : "other"),
    );
    await new Promise<void>((resolve) => server.listen(world.httpPort, "127.0.0.1", resolve));
    this.#running.set(token, () => server.close().closeAllConnections());
  }
  async #present(token: string, [key, cert]: readonly Buffer[]): Promise<void> {
    const server = createTlsServer({ key, cert, ALPNProtocols: ["acme-tls/1"] }, (socket) =>
      socket.on("error", () => {}).end(),
    );
    await new Promise<void>((resolve) => server.listen(world.tlsPort, "127.0.0.1", resolve));
    this.#running.set(token, () => void server.close());
  }
}

const clientFor = async (
  prefix = "acme",
  options: Partial<ConstructorParameters<typeof acme.Client>[0]> = {},
) =>
  new acme.Client({
    directoryUrl: world.directory(prefix, true),
    accountKey: await acme.crypto.createPrivateEcdsaKey(),
    backoffMin: 100,
    ...options,
  });

/** Obtains a certificate for names that are all validated with one challenge type. */
async function issued(
  client: acme.Client,
  names: readonly string[],
  challenge = "http-01",
): Promise<{ readonly chain: string; readonly key: Buffer }> {
  const [key, csr] = await acme.crypto.createCsr(
    { altNames: [...names] },
    await acme.crypto.createPrivateEcdsaKey(),
  );
  const proofs = new Proofs();
  const chain = await client.auto({
    csr,
    email: "node@acme.test",
    termsOfServiceAgreed: true,
    challengePriority: [challenge],
    challengeCreateFn: proofs.create,
    challengeRemoveFn: proofs.remove,
    // otherwise the client would verify on the standard ports
    skipChallengeVerification: true,
  });
  world.verify(chain, names, true);
  return { chain, key };
}

describe.each(hosts)("acme-client with $host", ({ start }) => {
  beforeAll(async () => {
    world = await startWorld({
      start: (options) => start({ ...options, workers: 2 }),
      withHttps: false,
    });
  });
  afterAll(() => world.stop());

  it("obtains two certificates for the same name by http-01 and revokes both", async () => {
    const client = await clientFor();
    const first = await issued(client, ["node.acme.test"]);
    const second = await issued(client, ["node.acme.test"]);
    expect(new X509Certificate(second.chain).serialNumber).not.toBe(
      new X509Certificate(first.chain).serialNumber,
    );
    await client.revokeCertificate(first.chain, { reason: 4 });
    await world.revoked(first.chain, true);
    await expect(client.revokeCertificate(first.chain)).rejects.toThrow(/was revoked/);
    const byKey = await clientFor("acme", { accountKey: second.key });
    await expect(byKey.revokeCertificate(second.chain)).rejects.toThrow();
    await client.revokeCertificate(second.chain);
  });

  it("obtains a wildcard certificate by dns-01, with two TXT records at one name", async () => {
    await issued(
      await clientFor("roles/web/acme"),
      ["*.node-wild.acme.test", "node-wild.acme.test"],
      "dns-01",
    );
  });

  it("obtains a certificate by tls-alpn-01", async () => {
    await issued(await clientFor(), ["node-alpn.acme.test"], "tls-alpn-01");
  });

  it("rolls over the account key, updates the contact and deactivates the account", async () => {
    const client = await clientFor();
    await client.createAccount({ contact: ["mailto:node@acme.test"] });
    const address = client.getAccountUrl();
    await client.updateAccountKey(await acme.crypto.createPrivateRsaKey(2048));
    expect(client.getAccountUrl()).toBe(address);
    expect(await client.updateAccount({ contact: ["mailto:new@acme.test"] })).toMatchObject({
      contact: ["mailto:new@acme.test"],
    });
    expect(await client.updateAccount({ status: "deactivated" })).toMatchObject({
      status: "deactivated",
    });
    await expect(
      client.createOrder({ identifiers: [{ type: "dns", value: "node.acme.test" }] }),
    ).rejects.toThrow();
  });

  it("registers only with an external account binding when the mount requires one", async () => {
    await world.call("POST", "config/acme", { eab_policy: "new-account-required" }, true);
    const without = await clientFor();
    await expect(without.createAccount({ termsOfServiceAgreed: true })).rejects.toThrow(/bind/i);
    const { id, key } = await world.binding("acme", true);
    const client = await clientFor("acme", {
      externalAccountBinding: { kid: id, hmacKey: key },
    });
    await issued(client, ["node-bound.acme.test"]);
    await world.call("POST", "config/acme", { eab_policy: "not-required" }, true);
  });
});
