import { toBase64Url } from "../../../src/base/bytes.ts";
import { ipToBytes } from "../../../src/x509/address.ts";
import { newEabKey } from "./calls.ts";
import { prefixOf, type Directory } from "./directories.ts";
import {
  acmeClient,
  type AcmeClient,
  type AuthorizationObject,
  type ChallengeObject,
  type Exchange,
  type OrderObject,
} from "./client.ts";
import { visible } from "../../lib/visible-text.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";

/** An order of the try-out that is waiting for validation. */
export interface Session {
  readonly client: AcmeClient;
  readonly name: string;
  readonly order: OrderObject;
  readonly url: string;
  readonly authorizationUrl: string;
  readonly authorization: AuthorizationObject;
  readonly signal: AbortSignal;
}

/** A certificate that the try-out has obtained. */
export interface ObtainedCertificate {
  /** The private key as PKCS#8 in PEM. */
  readonly privateKey: string;
  /** The certificate and its chain in PEM. */
  readonly chain: string;
}

/** Returns the ACME identifier for an entered DNS name or IP address. */
const identifierOf = (name: string): { type: string; value: string } => ({
  type: ipToBytes(name) ? "ip" : "dns",
  value: name,
});

/**
 * Reads the directory, creates an account and orders a certificate. If external account binding is
 * required, first creates an EAB key with the console's token.
 */
export async function beginAttempt(
  { path, directory, name }: { path: string; directory: Directory; name: string },
  report: (exchange: Exchange) => void,
  signal: AbortSignal,
): Promise<Session> {
  const client = await acmeClient(`${path}/${prefixOf(directory)}/directory`, report, signal);
  const { meta } = await client.directory();
  const eabKey = meta?.externalAccountRequired ? (await newEabKey(directory)).data : undefined;
  await client.register(eabKey);
  const { order, url } = await client.order([identifierOf(name)]);
  const [authorizationUrl = ""] = order.authorizations;
  const { body } = await client.read<AuthorizationObject>(authorizationUrl);
  return { client, name, order, url, authorizationUrl, authorization: body, signal };
}

/** Returns the error of the failed challenge in an authorization. */
const why = ({ challenges }: AuthorizationObject): string => {
  const error = challenges.find((one) => one.error)?.error;
  return error ? visible(error.detail) : "The server gave no reason.";
};

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("Cancelled."));
    });
  });
}

/**
 * Starts the validation of a challenge, and waits for the result. While the server retries, calls
 * `report` with the error of each failed attempt.
 */
export async function prove(
  { client, authorizationUrl, signal }: Session,
  { url }: ChallengeObject,
  report: (reason: string) => void,
): Promise<void> {
  await client.respond(url);
  for (;;) {
    const { body, wait } = await client.read<AuthorizationObject>(authorizationUrl);
    if (body.status === "valid") return;
    if (body.status !== "pending") throw new Error(`Validation failed: ${why(body)}`);
    if (body.challenges.some((one) => one.error)) report(why(body));
    await pause(wait, signal);
  }
}

const pageKey = lazyLoad(() => import("../../lib/x509/page-key.ts"));

/** Generates a key and a CSR, finalizes the order and downloads the certificate. */
export async function finish({
  client,
  name,
  order,
  url,
  signal,
}: Session): Promise<ObtainedCertificate> {
  const { generatePageKey, makeCsr } = await pageKey();
  const key = await generatePageKey("ec 256");
  const { der } = await makeCsr(key, { commonName: "", names: [name] });
  let last = await client.finalize(order.finalize, toBase64Url(der));
  while (last.status === "processing") {
    const { body, wait } = await client.read<OrderObject>(url);
    last = body;
    if (last.status === "processing") await pause(wait, signal);
  }
  if (!last.certificate)
    throw new Error(`The order is ${visible(last.status)} and has no certificate.`);
  return { privateKey: key.pem, chain: await client.text(last.certificate) };
}
