import type { JsonMembers } from "../../jose/jwk.ts";
import { NetError } from "../../net/failure.ts";
import { urlFault } from "../../net/url-fault.ts";
import { documentOf } from "./verify-key.ts";

/**
 * Returns the metadata of an issuer (OpenID Connect Discovery 1.0 section 4). `read` fetches a URL.
 * Throws `NetError`, also if the document is of another issuer.
 */
export async function discoveryDocument(
  issuer: string,
  read: (url: string) => Promise<Uint8Array>,
): Promise<JsonMembers> {
  const below = issuer.replace(/\/$/, "");
  const document = documentOf(await read(`${below}/.well-known/openid-configuration`));
  if (document["issuer"] === issuer) return document;
  throw new NetError(
    "response",
    "the issuer in the document differs from the URL it was fetched from",
  );
}

/** Returns the URL of an endpoint in the metadata. Throws `NetError` unless it is an https URL. */
export function endpointIn(document: JsonMembers, name: string): string {
  const at = document[name];
  const fault = typeof at === "string" ? urlFault(at) : "is missing";
  if (typeof at === "string" && fault === undefined) return at;
  throw new NetError("response", `${name} of the document ${fault}`);
}
