import { X509Certificate } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { csrOf } from "../../acme/ordering.ts";
import { acmeClient, urlAt, type AcmeAccount, type AcmeClient } from "./acme-client.ts";
import { done, type Ask, type Reply } from "./ask.ts";

/** Accounts and orders of ACME. */
export interface AcmeFacts {
  /** An account with orders, one with an external account binding, and a deactivated one. */
  readonly accounts: Readonly<Record<"main" | "bound" | "deactivated", AcmeAccount>>;
  /** URLs of orders of the first account, by state. */
  readonly orders: Readonly<Record<"pending" | "ready" | "valid" | "invalid" | "revoked", string>>;
}
/** Responses to the challenges: key authorizations by token. */
export type Proofs = Map<string, string>;

export const acmeDirectory = "team/ca/acme";

/** Creates accounts and orders; `proofs`: served at 127.0.0.1. */
export async function fillAcme(send: Ask, address: string, proofs: Proofs): Promise<AcmeFacts> {
  await done(send, "POST", "team/ca/config/acme", {
    body: { enabled: true, challenge_permitted_ip_ranges: ["127.0.0.0/8"] },
  });
  const at = { address, directory: acmeDirectory };
  const [main, bound, deactivated] = [
    acmeClient(send, at),
    acmeClient(send, at),
    acmeClient(send, at),
  ];
  await accepted(main.register(["mailto:ops@example.com"]));
  const eab = await newEab(send);
  await newEab(send);
  await accepted(bound.register([], eab));
  await accepted(deactivated.register([]));
  await accepted(deactivated.post(deactivated.account().kid, { status: "deactivated" }));
  const orders = {
    pending: await order(main, "127.0.0.1"),
    ready: await order(main, "127.0.0.2", proofs),
    valid: await order(main, "127.0.0.3", proofs),
    revoked: await order(main, "127.0.0.4", proofs),
    invalid: await order(main, "127.0.0.5", proofs, "invalid"),
  };
  await finalize(main, orders.valid);
  const chain = await finalize(main, orders.revoked);
  const certificate = Buffer.from(new X509Certificate(chain.text).raw).toString("base64url");
  await accepted(
    main.post(`${address}/v1/${acmeDirectory}/revoke-cert`, { certificate, reason: 4 }),
  );
  const accounts = {
    main: main.account(),
    bound: bound.account(),
    deactivated: deactivated.account(),
  };
  return { accounts, orders };
}

async function newEab(send: Ask) {
  const created = await done(send, "POST", `${acmeDirectory}/new-eab`, { body: {} });
  return { id: created.at("data.id"), key: created.at("data.key") };
}

async function accepted(reply: Promise<Reply>): Promise<Reply> {
  const answer = await reply;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** Creates an order for an address, and completes its challenge if there are proofs. */
async function order(
  client: AcmeClient,
  value: string,
  proofs?: Proofs,
  until = "ready",
): Promise<string> {
  const base = client.account().kid.replace(/\/account\/.*/, "");
  const created = await accepted(
    client.post(`${base}/new-order`, { identifiers: [{ type: "ip", value }] }),
  );
  const url = created.headers.get("location") ?? "";
  if (!proofs) return url;
  const authorization = await accepted(client.post(urlAt(created, "authorizations.0")));
  const challenges = authorization.json["challenges"] as readonly Record<string, string>[];
  const challenge = challenges.find(({ type }) => type === "http-01") ?? {};
  const { token = "", url: at = "" } = challenge;
  proofs.set(token, until === "invalid" ? "wrong" : client.keyAuthorization(token));
  await accepted(client.post(at, {}));
  for (let state = ""; state !== until; await pause(50))
    state = (await accepted(client.post(url))).at("status");
  return url;
}

/** Finalizes a ready order of 127.0.0.3 or 127.0.0.4, and returns its certificate chain. */
export async function finalize(client: AcmeClient, url: string): Promise<Reply> {
  const order = await accepted(client.post(url));
  const [{ value } = { value: "" }] = order.json["identifiers"] as readonly {
    readonly value: string;
  }[];
  await accepted(client.post(order.at("finalize"), { csr: await csrOf({ names: [value] }) }));
  for (let state = ""; state !== "valid"; await pause(50))
    state = (await accepted(client.post(url))).at("status");
  return accepted(client.post((await client.post(url)).at("certificate")));
}
