import type { ApiCall } from "../../api/openapi-calls.ts";
import { membersOf, type NamedSchemas } from "./schemas.ts";

/** Kinds of secrets in responses, by the member that contains the secret. */
const secrets: Readonly<Record<string, string>> = {
  private_key: "a private key",
  client_token: "a token",
  secret_id: "a secret ID",
  token: "a wrapping token",
  key: "a binding key",
  secret: "a secret",
};

/** Matches the paths of calls that create, change or delete a signing or sealing key. */
const keyPaths =
  /\/(?:keys\/(?:generate|import)|key\/:key_ref|root(?:$|\/(?:generate|rotate|replace))|issuers\/generate|intermediate\/generate|config\/keys)|^\/v1\/sys\/(?:rotate|seal|unseal|managed-keys)\b/;

/**
 * Returns the kind of secret in the response to a call, or undefined if the response contains none.
 */
function secretOf({ verb, path, operation }: ApiCall, named: NamedSchemas): string | undefined {
  if (verb !== "POST" || /\/(?:internal|existing|kms)$/.test(path)) return undefined;
  const [content] = Object.values(operation.responses?.["200"]?.content ?? {});
  const names = membersOf(content?.schema ?? {}, named).map(({ name }) => name);
  return Object.entries(secrets).find(([name]) =>
    names.some((one) => /^(?:data|auth|wrap_info)\./.test(one) && one.endsWith(`.${name}`)),
  )?.[1];
}

/** Returns the warnings to show before a call that returns a secret or changes a key. */
export function keyWarnings(call: ApiCall, named: NamedSchemas): readonly string[] {
  const secret = secretOf(call, named);
  const isKeyChange =
    call.verb !== "GET" &&
    call.verb !== "LIST" &&
    keyPaths.test(call.path) &&
    !call.path.endsWith("/test/sign");
  return [
    ...(secret === undefined
      ? []
      : [`The response contains ${secret}. This page shows it in plain text, and only once.`]),
    ...(isKeyChange ? ["This call creates, changes or deletes a key."] : []),
  ];
}
