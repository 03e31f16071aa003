import { generateKeyPairSync } from "node:crypto";
import { request as httpRequest } from "node:http";
import { createServer, request as httpsRequest, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { policyService } from "../examples/policy-service/service.ts";
import { templateCertificate } from "../examples/policy-service/template.ts";
import { atLeast, atMost, figure, peakMiB, median, round } from "./figures.ts";
import { drive, post } from "./load.ts";
import { signingRequest, startSubject, type Subject } from "./server.ts";

/** A policy service that holds slow requests until `release` lets it respond to all of them. */
interface Service {
  readonly url: string;
  readonly pem: string;
  waiting: number;
  release(): void;
  close(): void;
}

/** Starts the policy service of the examples. Requests to the path `/slow` wait. */
async function startService(): Promise<Service> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = Date.now();
  const template = {
    commonName: "policy-service",
    dnsNames: ["policy-service"],
    notBefore: now - 60_000,
    notAfter: now + 86_400_000,
    publicKey: publicKey.export({ type: "spki", format: "der" }),
  };
  const pem = templateCertificate(template, privateKey);
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  const answer = policyService({ domains: ["example.com"], hours: 24 });
  let waiting: (() => void)[] = [];
  const server: Server = createServer({ key, cert: pem }, (request, response) => {
    const begin = () => void answer(request, response).catch(() => response.destroy());
    if (request.url !== "/slow") return begin();
    state.waiting++;
    waiting.push(begin);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const state: Service = {
    url: `https://127.0.0.1:${port}/`,
    pem,
    waiting: 0,
    release() {
      for (const begin of waiting) begin();
      [waiting, state.waiting] = [[], 0];
    },
    close: () => server.close().closeAllConnections(),
  };
  return state;
}

const configure = (server: Subject, service: Service, path: string): Promise<unknown> =>
  server.call("config/external-policy", {
    enabled: true,
    external_service_url: `${service.url}${path}`,
    trusted_leaf_certificate_bundle: service.pem,
    allow_private_network: true,
    timeout: "60s",
  });

/** Returns the duration of a request to the service over a new connection (ms). */
async function serviceAlone(service: Service, csr: string): Promise<number> {
  const body = JSON.stringify({
    request_uuid: "1",
    user_request_key_values: { csr, common_name: "host.example.com" },
    vault_request_values: { issuance_mode: "sign", requested_issuer_id: "" },
  });
  const begun = performance.now();
  await new Promise<void>((resolve, reject) => {
    httpsRequest(
      service.url,
      {
        method: "POST",
        // this process started the server, so its certificate does not have to be verified
        rejectUnauthorized: false,
        agent: false,
      },
      (answer) => {
        answer.resume().on("end", resolve);
      },
    )
      .on("error", reject)
      .end(body);
  });
  return performance.now() - begun;
}

/**
 * Sends a request that the service delays. The request has its own source address, because the
 * number of connections from one address is limited.
 */
function slowCall(server: Subject, body: string, from: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const headers = { "x-vault-token": server.token, "content-type": "application/json" };
    const path = "/v1/pki/external-policy/sign";
    httpRequest(
      { hostname, port, path, headers, method: "POST", agent: false, localAddress: from },
      (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode));
      },
    )
      .on("error", reject)
      .end(body);
  });
}
async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Returns the median and 95th percentile durations for consecutive signing requests (ms). */
async function timeSigns(server: Subject, body: string, count: number) {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    await server.call("sign/web", JSON.parse(body));
    times.push(performance.now() - begun);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { p95: sorted[Math.floor(count * 0.95)] ?? Number.NaN, middle: median(times) };
}

/**
 * Measures the cost of a single call to a policy service, and the effect of slow calls on other
 * requests.
 */
export async function benchExternal(seconds: number): Promise<void> {
  const [server, service] = await Promise.all([startSubject(), startService()]);
  try {
    const csr = await signingRequest();
    const body = JSON.stringify({ csr, common_name: "host.example.com" });
    await rates(server, service, { csr, body, seconds });
    await slow(server, service, body);
  } finally {
    service.close();
    await server.stop();
  }
}

async function rates(
  server: Subject,
  service: Service,
  { csr, body, seconds }: { readonly csr: string; readonly body: string; readonly seconds: number },
): Promise<void> {
  await configure(server, service, "");
  const alone: number[] = [];
  const of = (path: string) => {
    const request = () => post(path, server.token, body);
    return drive({ url: server.url, connections: 1, seconds, request });
  };
  const seen: { sign: number[]; policy: number[] } = { sign: [], policy: [] };
  for (let turn = 0; turn < 3; turn++) {
    const [sign, policy] = [await of("/v1/pki/sign/web"), await of("/v1/pki/external-policy/sign")];
    for (const { firstError } of [sign, policy]) if (firstError !== "") throw new Error(firstError);
    seen.sign.push(1000 / sign.rps);
    seen.policy.push(1000 / policy.rps);
    for (let n = 0; n < 100; n++) alone.push(await serviceAlone(service, csr));
  }
  const [sign, policy, own] = [median(seen.sign), median(seen.policy), median(alone)];
  figure("external policy: signs through it, one after another", `${round(policy)} ms`);
  figure(
    "external policy: signing by role; the service alone",
    `${round(sign)} ms; ${round(own)} ms`,
  );
  atLeast(
    "external policy: sign and service, relative to a sign through it",
    (sign + own) / policy,
    0.5,
  );
}

async function slow(server: Subject, service: Service, body: string): Promise<void> {
  const quiet = await timeSigns(server, body, 200);
  await configure(server, service, "slow");
  const begin = (count: number) =>
    Array.from({ length: count }, (_, n) => slowCall(server, body, `127.0.0.${2 + (n % 4)}`));
  const hundred = begin(100);
  const arriving = await timeSigns(server, body, 40);
  await until(() => service.waiting === 100);
  const whileHeld = await timeSigns(server, body, 200);
  service.release();
  await waitForReplies(hundred);
  const format = ({ middle, p95 }: typeof quiet) => `${round(middle)} ms, p95 ${round(p95)} ms`;
  figure("external policy: other signs, nothing else", format(quiet));
  figure("external policy: other signs while 100 calls arrive", format(arriving));
  figure("external policy: other signs while 100 calls wait", format(whileHeld));
  atMost("external policy: 100 slow calls delay others by", whileHeld.p95 - quiet.p95, 50, "ms");
  for (const time of ["first", "second"]) {
    const before = peakMiB(server.pid);
    const thousand = begin(1000);
    await until(() => service.waiting === 1000);
    const grown = peakMiB(server.pid) - before;
    atMost(`external policy: 1,000 slow calls hold, the ${time} time`, grown, 64, "MiB");
    service.release();
    await waitForReplies(thousand);
  }
}
async function waitForReplies(calls: readonly Promise<number | undefined>[]): Promise<void> {
  const wrong = (await Promise.all(calls)).filter((status) => status !== 200);
  if (wrong.length > 0) throw new Error(`${wrong.length} slow calls failed: ${wrong[0]}`);
}
