import { CaError } from "../base/errors.ts";
import type { AskedOfPolicy, Capability, Identity, JudgedPath } from "../engine/ports.ts";
import type { Call } from "./call.ts";
import type { Asked, Found, Place } from "./endpoint.ts";
import { judgedPath } from "./judged-path.ts";

/**
 * The capability that a method needs. There is no other one for what does not exist yet: POST needs
 * `update` then too, and nothing asks for `create` (P 9.5).
 */
const capabilities: Readonly<Record<string, Capability>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** The joined text of errors, as clients know it (P 9.1.4). */
const denied = (...reasons: readonly string[]): CaError =>
  new CaError(
    "forbidden",
    `${reasons.length} error${reasons.length > 1 ? "s" : ""} occurred:\n${reasons.map((reason) => `\t* ${reason}\n`).join("")}\n`,
  );
const permissionDenied = "permission denied";
/** The refusal of a token that nobody holds, or of none, with the text that clients know. */
export const deniedStranger = (token: string | undefined): CaError =>
  token === undefined || token === ""
    ? denied(permissionDenied)
    : denied(permissionDenied, "invalid token");

/** The refusal of a caller whose policies do not grant what is asked. */
export const deniedCaller = (): CaError => denied(permissionDenied);

/** Who holds a token, as a program says that need not have types. */
export function identityIn(said: Identity | undefined | null): Identity | undefined {
  if (!said) return undefined;
  const { id, can } = said as Partial<Identity>;
  if (typeof id !== "string" || typeof can !== "function")
    throw new TypeError("`authenticate` resolves with `id` and `can`, or undefined for nobody");
  return said;
}

/**
 * What a program of somebody else's decides. A promise, which counts as true, would let everybody
 * do everything: that is a TypeError.
 */
export function decided(allowed: boolean): boolean {
  if (typeof allowed === "boolean") return allowed;
  throw new TypeError("`can` and `permits` of an identity answer true or false, and at once");
}

/** Who calls an open endpoint, which ignores whatever token came. */
export const anonymous: Identity = { id: "", can: () => false };

/** Judges a known caller by its policies, or refuses it with 403. */
export function judge(
  identity: Identity,
  found: Pick<Found, "endpoint" | "shape" | "forms">,
  { method }: Pick<Call, "method">,
  place: Pick<Place, "mount" | "path">,
): void {
  const { access } = found.endpoint;
  if (access === "known") return;
  const judged = judgedPath(found, place);
  // whatever rule counts for a listing counts here too
  const asked = method === "LIST" ? `${judged.path}/` : judged.path;
  const allowed =
    isGranted(identity, method, judged) &&
    (access !== "sudo" || decided(identity.can("sudo", asked, judged.forms)));
  if (!allowed) throw deniedCaller();
}
/** Reports whether the policies of a caller grant the capability of a method on a path. */
export const isGranted = (
  identity: Identity,
  method: string,
  { path, forms }: JudgedPath,
): boolean => decided(identity.can(capabilities[method] ?? "update", path, forms));

/**
 * Judges what an admitted caller has sent beside the path, and for how long it wants the reply
 * wrapped, or refuses it with 403 (P 9.5.1).
 */
export function judgeSent(
  identity: Identity,
  found: Pick<Found, "endpoint" | "shape" | "forms">,
  { call, place }: Pick<Asked, "call" | "place">,
  sent: Pick<AskedOfPolicy, "parameters" | "wrapTtl">,
): void {
  const { access, body: declared } = found.endpoint;
  if (!identity.permits || access === "known" || access === "open") return;
  const capability = capabilities[call.method] ?? "update";
  const asked = { ...sent, declared, capability, ...judgedPath(found, place) };
  if (!decided(identity.permits(asked))) throw deniedCaller();
}
