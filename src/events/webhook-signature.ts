import { asBytes, fromBase64, toBase64, utf8, type Bytes } from "../base/bytes.ts";

/** Prefix of an encoded secret (Standard Webhooks). */
const prefix = "whsec_";
/** Minimum and maximum length of a secret in octets (Standard Webhooks). */
const [minSecretBytes, maxSecretBytes] = [24, 64];

/**
 * Decodes a secret that is encoded as `whsec_` followed by base64. Returns undefined for any other
 * string.
 */
export function parseWebhookSecret(text: string): Bytes | undefined {
  const bytes = text.startsWith(prefix) ? fromBase64(text.slice(prefix.length)) : undefined;
  return bytes && bytes.length >= minSecretBytes && bytes.length <= maxSecretBytes
    ? bytes
    : undefined;
}
/** Encodes a secret as `whsec_` followed by base64. */
export const encodeWebhookSecret = (secret: Uint8Array): string => `${prefix}${toBase64(secret)}`;

/** A message to sign. `seconds` is the time of sending, in Unix seconds. */
interface WebhookMessage {
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}
/** Returns the headers that authenticate a message according to Standard Webhooks 1.0. */
export async function webhookHeaders(
  secret: Uint8Array,
  { id, seconds, body }: WebhookMessage,
): Promise<Readonly<Record<string, string>>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", asBytes(secret), algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, utf8(`${id}.${seconds}.${body}`));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${toBase64(new Uint8Array(mac))}`,
  };
}
