import type { Ports } from "../../engine/ports.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import { NetError } from "../../net/failure.ts";
import { readDocument } from "../../net/guarded-fetch.ts";
import { urlFault } from "../../net/url-fault.ts";
import { fetchTimeout } from "./fetch-cache.ts";
import { documentOf } from "./verify-key.ts";

/** The URL of a document on another server, and the CAs that authenticate that server. */
export interface DocumentSource {
  readonly url: string;
  /**
   * CA certificates (DER) that are trusted for the server. If empty, the platform's CAs are
   * trusted.
   */
  readonly roots: readonly Uint8Array[];
  readonly privateNetworks: boolean;
}
/** Maximum size of the metadata in bytes. */
const maxBytes = 256 * 1024;

/**
 * Fetches the metadata of the issuer with this URL (OpenID Connect Discovery 1.0 section 4). Throws
 * `NetError` if it cannot be fetched, or if the issuer in the document is a different one.
 */
export async function discoveryDocument(
  ports: Ports,
  { url: issuer, ...source }: DocumentSource,
): Promise<JsonMembers> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document = documentOf(
    await readDocument(ports, { ...source, url, maxBytes, limit: fetchTimeout }),
  );
  if (document["issuer"] === issuer) return document;
  throw new NetError(
    "response",
    "the issuer in the document differs from the URL from which it was fetched",
  );
}

/**
 * Returns the URL of an endpoint from the metadata. Throws `NetError` unless it is an https URL.
 */
export function endpointIn(document: JsonMembers, name: string): string {
  const at = document[name];
  const fault = typeof at === "string" ? urlFault(at) : "is missing";
  if (typeof at === "string" && fault === undefined) return at;
  throw new NetError("response", `${name} in the document ${fault}`);
}

/** Endpoints of an OpenID provider, and the client authentication of its token endpoint. */
export interface Provider {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  /** Whether the token endpoint accepts the client secret only in the body. */
  readonly secretInBody: boolean;
}
/** Fetches the endpoints of a provider. Rejects with `NetError` if that fails. */
export async function readProvider(ports: Ports, source: DocumentSource): Promise<Provider> {
  const document = await discoveryDocument(ports, source);
  const methods = document["token_endpoint_auth_methods_supported"];
  const hasUserinfo = document["userinfo_endpoint"] !== undefined;
  return {
    authorizationEndpoint: endpointIn(document, "authorization_endpoint"),
    tokenEndpoint: endpointIn(document, "token_endpoint"),
    userinfoEndpoint: hasUserinfo ? endpointIn(document, "userinfo_endpoint") : undefined,
    // client_secret_basic is the default (OpenID Connect Discovery 1.0 section 3)
    secretInBody:
      Array.isArray(methods) &&
      !methods.includes("client_secret_basic") &&
      methods.includes("client_secret_post"),
  };
}
