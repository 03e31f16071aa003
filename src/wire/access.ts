import { CaError } from "../base/errors.ts";
import type { Capability, Identity, Ports } from "../engine/ports.ts";
import type { AnyEndpoint, Call } from "./endpoint.ts";

/** The capability that a method needs (P 9.5). */
const capabilities: Readonly<Record<string, Capability>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** The joined text of errors, as clients know it (P 9.1.4). */
const denied = (...reasons: readonly string[]) =>
  new CaError(
    "forbidden",
    `${reasons.length} error${reasons.length > 1 ? "s" : ""} occurred:\n${reasons.map((reason) => `\t* ${reason}\n`).join("")}\n`,
  );
const permissionDenied = "permission denied";
const anonymous: Identity = { id: "", can: () => false };

/**
 * Admits a call or refuses it with 403 and the text that clients know. `path` is the full path
 * without the leading slash and version prefix; policies judge it decoded, as the handler gets its
 * parameters, so that no escape gives one thing two spellings. An open endpoint ignores whatever
 * token came.
 */
export async function admit(
  ports: Ports,
  endpoint: AnyEndpoint,
  call: Call,
  path: string,
): Promise<Identity> {
  if (endpoint.access === "open") return call.identity ?? anonymous;
  const identity = call.identity ?? (await known(ports, call.token));
  if (endpoint.access === "known") return identity;
  const asked = decodeURIComponent(path);
  const allowed =
    identity.can(capabilities[call.method] ?? "update", asked) &&
    (endpoint.access !== "sudo" || identity.can("sudo", asked));
  if (!allowed) throw denied(permissionDenied);
  return identity;
}

async function known(ports: Ports, token: string | undefined): Promise<Identity> {
  if (token === undefined || token === "") throw denied(permissionDenied);
  if (token.length > 8192)
    throw new CaError("header_too_large", "the token is longer than 8192 bytes");
  const identity = await ports.authenticate(token);
  if (!identity) throw denied(permissionDenied, "invalid token");
  return identity;
}
