import type { Identity, VaultOptions } from "../index.ts";
import { fromBase64, utf8 } from "../base/bytes.ts";
import { NotConfigured } from "./not-configured.ts";

/** The secrets that contain sealing keys. */
interface SealingSecrets {
  readonly SEALING_KEY?: string | undefined;
  readonly SEALING_KEY_PREVIOUS?: string | undefined;
}

/** Returns the sealing keys, or a message that states which secret is missing or malformed. */
export function keysOf({
  SEALING_KEY,
  SEALING_KEY_PREVIOUS: before,
}: SealingSecrets): VaultOptions | string {
  const unfit = (name: string) =>
    `the server is sealed: the secret ${name} must be the base64 of 32 bytes`;
  const key = keyBytes(SEALING_KEY);
  if (!key) return unfit("SEALING_KEY");
  if (!before) return { key };
  const previous = keyBytes(before);
  return previous ? { key, previous } : unfit("SEALING_KEY_PREVIOUS");
}
function keyBytes(text: string | undefined): Uint8Array | undefined {
  const bytes = text === undefined ? undefined : fromBase64(text.trim());
  return bytes?.length === 32 ? bytes : undefined;
}

type Authenticate = (token: string) => Promise<Identity | undefined>;

const root: Identity = { id: "root", policies: ["root"], can: () => true };
/** The identity of the holder of `METRICS_TOKEN`. */
const metricsReader: Identity = {
  id: "metrics",
  can: (capability, path) => capability === "read" && path === "sys/metrics",
};

/**
 * Returns a function that authenticates the root token and, if it is set, `METRICS_TOKEN`, which
 * may only read `sys/metrics`. Throws NotConfigured if a token is too short or the root token is
 * missing.
 */
export function hostTokens(tokens: {
  readonly SERVICE_ROOT_TOKEN?: string | undefined;
  readonly METRICS_TOKEN?: string | undefined;
}): Authenticate {
  const isRoot = fixedToken("SERVICE_ROOT_TOKEN", tokens.SERVICE_ROOT_TOKEN ?? "", root);
  if (!tokens.METRICS_TOKEN) return isRoot;
  const isMetrics = fixedToken("METRICS_TOKEN", tokens.METRICS_TOKEN, metricsReader);
  return async (token) => (await isRoot(token)) ?? isMetrics(token);
}

/**
 * Returns a function that authenticates a single token. It compares digests, so that timing does
 * not reveal the token.
 */
function fixedToken(name: string, token: string, identity: Identity): Authenticate {
  if (token.length < 16)
    throw new NotConfigured(`the secret ${name} must have at least 16 characters`);
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
  // the set looks up a hash of the whole token, so that timing does not reveal a common prefix
  const proven = new Set<string>();
  return async (presented) => {
    if (proven.has(presented)) return identity;
    const [expected, actual] = await Promise.all([digest(token), digest(presented)]);
    let difference = 0;
    for (const [i, byte] of expected.entries()) difference |= byte ^ (actual[i] ?? 0);
    if (difference !== 0) return undefined;
    proven.add(presented);
    return identity;
  };
}
