import { acmeConfig } from "../rows/config.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { type Caller, endpoint } from "../../wire/endpoint.ts";
import { map, type Parsed, text } from "../../wire/field.ts";
import { newNonce } from "./nonce.ts";
import { aimOf, requireAcmeEnabled, type Directory } from "./directory.ts";
import { acmeEndpoint } from "./endpoint.ts";
import { acmePaths } from "./paths.ts";
import { persistentRecordsMeta } from "./persistent-records.ts";
import { profilesOf } from "./profiles.ts";
import { selectionOf } from "./selection.ts";
import { acmeHeaders, acmeStyle } from "./style.ts";

/** Declarations that all ACME endpoints without a JWS share. */
export const unsignedAcme = {
  access: "open",
  style: acmeStyle,
  body: {},
  refuses: ["acme_disabled", "acme_forbidden", "server_internal"],
} as const;

/** The directory of a request without a JWS. */
interface OpenDirectory {
  readonly config: Snapshot;
  readonly directory: Directory;
}
/**
 * Returns the directory of a request without a JWS. Throws CaError if ACME is not available there.
 */
export async function openDirectory(mount: Mount, caller: Caller): Promise<OpenDirectory> {
  const config = await mount.config();
  requireAcmeEnabled(mount, config);
  const { directory } = aimOf(config, caller.path);
  await selectionOf(config, directory);
  return { config, directory };
}

const directoryReply = {
  newNonce: text.required("URL for new nonces."),
  newAccount: text.required("URL for account registration."),
  newOrder: text.required("URL for new orders."),
  revokeCert: text.required("URL for revocation."),
  keyChange: text.required("URL for account key rollover."),
  renewalInfo: text.required("URL for renewal information (RFC 9773)."),
  meta: map.required(
    "`externalAccountRequired`, `profiles` by name, and for dns-persist-01 `issuerDomainNames` and `accountHashPrefix`.",
  ),
} as const;
async function directoryDocument(
  mount: Mount,
  { config, directory }: OpenDirectory,
): Promise<Parsed<typeof directoryReply>> {
  const profiles = await profilesOf(mount, config, directory);
  return {
    newNonce: directory.url("/new-nonce"),
    newAccount: directory.url("/new-account"),
    newOrder: directory.url("/new-order"),
    revokeCert: directory.url("/revoke-cert"),
    keyChange: directory.url("/key-change"),
    renewalInfo: directory.url("/renewal-info"),
    meta: {
      externalAccountRequired: config.get(acmeConfig).eab_policy !== "not-required",
      ...(Object.keys(profiles).length > 0 ? { profiles } : {}),
      ...persistentRecordsMeta(config, directory),
    },
  };
}

export const acmeDirectory = endpoint({
  ...unsignedAcme,
  id: "acmeDirectory",
  at: acmePaths("GET /directory"),
  doc: "Returns the ACME directory: the URLs of all other resources.",
  reply: directoryReply,
  run: async (mount, _, caller) => {
    const opened = await openDirectory(mount, caller);
    caller.reply.respond({ headers: acmeHeaders(undefined, opened.directory) });
    return directoryDocument(mount, opened);
  },
});

export const acmeSignedDirectory = acmeEndpoint({
  id: "acmeSignedDirectory",
  at: acmePaths("POST /directory"),
  doc: "Returns the ACME directory to a signed request with an empty payload (RFC 8555 section 6.3).",
  key: "kid",
  payload: "post-as-get",
  reply: directoryReply,
  run: async (it) => ({ reply: await directoryDocument(it.mount, it) }),
});

export const acmeNewNonce = endpoint({
  ...unsignedAcme,
  id: "acmeNewNonce",
  at: acmePaths("GET /new-nonce"),
  doc: "Returns a new nonce in the Replay-Nonce header; the response to a HEAD request has status 200.",
  reply: {},
  run: async (mount, _, caller) => {
    const { config, directory } = await openDirectory(mount, caller);
    const nonce = await newNonce(mount, config, { directory: directory.prefix });
    caller.reply.respond({
      status: caller.head ? 200 : 204,
      headers: acmeHeaders(nonce, directory),
    });
    return undefined;
  },
});

export const acmeSignedNewNonce = acmeEndpoint({
  id: "acmeSignedNewNonce",
  at: acmePaths("POST /new-nonce"),
  doc: "Returns a new nonce to a signed request with an empty payload (RFC 8555 section 6.3).",
  key: "kid",
  payload: "post-as-get",
  status: 204,
  reply: {},
  run: () => Promise.resolve({ status: 204 }),
});
