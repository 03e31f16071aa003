import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { publicKeyOf, templateCertificate } from "./template.ts";

/** Settings of the service. */
export interface Rules {
  /** Domains for which certificates are issued, including all names below them. */
  readonly domains: readonly string[];
  /** Lifetime of a certificate in hours. */
  readonly hours: number;
  /** Returns the time in Unix milliseconds. */
  now?(): number;
  /** Logs a decision. */
  log?(line: string): void;
}
/** The parts of a request that this service reads. */
interface PolicyRequest {
  readonly request_uuid: string;
  readonly user_request_key_values: Readonly<Record<string, unknown>>;
  readonly identity_request_key_values?: { readonly entity_id: string };
  readonly acme_request_key_values?: {
    readonly authorizations?: readonly { readonly identifier?: { readonly value?: string } }[];
  };
  readonly vault_request_values: {
    readonly issuance_mode: string;
    readonly policy_name?: string;
    readonly requested_issuer_id: string;
  };
}

/** Maximum size of a request in bytes. */
const maxBytes = 1024 * 1024;

/** Returns an HTTPS request handler that responds to policy requests of a CA. */
export function policyService(rules: Rules) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = request.method === "POST" ? parseRequest(await bodyOf(request)) : undefined;
    if (!sent) return void response.writeHead(400).end();
    const decision = decide(sent, rules);
    rules.log?.(`${sent.request_uuid} ${"error" in decision ? decision.error : "issued"}`);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ request_uuid: sent.request_uuid, ...decision }));
  };
}

/** Returns a rejection with its reason, or the certificate as it should be issued. */
export function decide(request: PolicyRequest, { domains, hours, now = Date.now }: Rules) {
  const { user_request_key_values: user, vault_request_values: about } = request;
  if (about.issuance_mode === "ica") return { error: "this service certifies no CAs" };
  const publicKey = publicKeyOf(textOf(user["csr"]));
  if (!publicKey) return { error: "the CSR cannot be read" };
  const names = namesOf(request);
  const [first] = names;
  if (first === undefined) return { error: "a common_name or alt_names is needed" };
  const foreign = names.find(
    (name) => !domains.some((domain) => name === domain || name.endsWith(`.${domain}`)),
  );
  if (foreign !== undefined) return { error: `${foreign} is in no domain of ours` };
  const certificate = templateCertificate({
    commonName: first,
    dnsNames: names,
    notBefore: now() - 30_000,
    notAfter: now() + hours * 3_600_000,
    publicKey,
  });
  return {
    certificate,
    issuer_ref: about.requested_issuer_id || "default",
    store_certificate: true,
    generate_lease: false,
  };
}

/** Returns the requested names: those in the request, or those that were validated with ACME. */
function namesOf(request: PolicyRequest): readonly string[] {
  const { common_name, alt_names } = request.user_request_key_values;
  const listed = Array.isArray(alt_names) ? alt_names.map(textOf) : textOf(alt_names).split(",");
  const given =
    request.vault_request_values.issuance_mode === "acme"
      ? (request.acme_request_key_values?.authorizations ?? []).map(
          ({ identifier }) => identifier?.value ?? "",
        )
      : [textOf(common_name), ...listed];
  const names = given.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  return [...new Set(names)];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function parseRequest(body: string): PolicyRequest | undefined {
  try {
    const sent = JSON.parse(body) as Partial<PolicyRequest> | null;
    return sent?.request_uuid && sent.user_request_key_values && sent.vault_request_values
      ? (sent as PolicyRequest)
      : undefined;
  } catch {
    return undefined;
  }
}
async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request) {
    body += String(part);
    if (body.length > maxBytes) return "";
  }
  return body;
}

if (import.meta.main) {
  const { DOMAINS = "example.com", HOURS = "24", PORT = "9444", TLS_KEY, TLS_CERT } = process.env;
  const { CLIENT_CA } = process.env;
  if (TLS_KEY === undefined || TLS_CERT === undefined)
    throw new TypeError("set TLS_KEY and TLS_CERT: names of PEM files");
  const answer = policyService({
    domains: DOMAINS.split(","),
    hours: Number(HOURS),
    log: (line) => void process.stdout.write(`${line}\n`),
  });
  const server = createServer(
    {
      key: readFileSync(TLS_KEY),
      cert: readFileSync(TLS_CERT),
      ...(CLIENT_CA === undefined
        ? {}
        : { ca: readFileSync(CLIENT_CA), requestCert: true, rejectUnauthorized: true }),
    },
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  server.listen(Number(PORT), "127.0.0.1", () =>
    process.stdout.write(`policy service on https://127.0.0.1:${PORT}\n`),
  );
}
