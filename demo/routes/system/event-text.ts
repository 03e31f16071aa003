import { bareHex } from "../../lib/hex-text.ts";
import { toText } from "../../lib/to-text.ts";
import { visible } from "../../lib/visible-text.ts";
import type { AuditEvent } from "./audit-log.ts";

/** A part of a sentence: text, or an object to which the sentence can link. */
export type EventText =
  | string
  | { readonly kind: "certificate" | "role" | "issuer" | "other"; readonly id: string };

/**
 * Infinitive and past tense of verbs that are irregular or differ from the word in the ID, by the
 * first word of an endpoint's ID.
 */
const verbs = new Map<string, readonly [infinitive: string, past: string]>([
  ["write", ["save", "saved"]],
  ["patch", ["change", "changed"]],
  ["make", ["create", "created"]],
  ["new", ["create", "created"]],
  ["read", ["read", "read"]],
  ["set", ["set", "set"]],
  ["login", ["sign in", "signed in"]],
  ["begin", ["begin", "began"]],
  ["back", ["back up", "backed up"]],
  ["unwrap", ["unwrap", "unwrapped"]],
  ["wrap", ["wrap", "wrapped"]],
  ["rewrap", ["rewrap", "rewrapped"]],
  ["resign", ["re-sign", "re-signed"]],
  ["tidy", ["tidy", "tidied"]],
  ["search", ["search", "searched"]],
  ["explain", ["try", "tried"]],
]);
const pastOf = (verb: string): string =>
  verb.endsWith("e") ? `${verb}d` : verb.endsWith("y") ? `${verb.slice(0, -1)}ied` : `${verb}ed`;

const acronyms = new Set(["acme", "ca", "cors", "crl", "csr", "eab", "est", "jwt", "ocsp", "oidc"]);

/** Splits the ID of an endpoint into words: `writeCrlConfig` into `write`, `CRL` and `config`. */
const wordsOfId = (id: string): readonly string[] =>
  (id.match(/^[a-z]+|[A-Z][a-z]*/g) ?? [id]).map((word) => {
    const small = word.toLowerCase();
    return acronyms.has(small.replace(/s$/, "")) && small !== "cas"
      ? small.replace(/^[a-z]+?(?=s?$)/, (text) => text.toUpperCase())
      : small;
  });

/** Verbs for endpoints that are about a single certificate, by endpoint ID. */
const certificateVerbs = new Map<string, readonly [infinitive: string, past: string]>([
  ["issue", ["issue", "issued"]],
  ["sign", ["sign", "signed"]],
  ["signVerbatim", ["sign", "signed"]],
  ["issueByPolicy", ["issue", "issued"]],
  ["signByPolicy", ["sign", "signed"]],
  ["acmeFinalize", ["obtain", "obtained"]],
  ["estEnroll", ["enroll", "enrolled"]],
  ["estReenroll", ["renew", "renewed"]],
  ["revoke", ["revoke", "revoked"]],
  ["revokeWithKey", ["revoke", "revoked"]],
  ["acmeRevoke", ["revoke", "revoked"]],
]);
const protocols: Readonly<Record<string, string>> = {
  acmeFinalize: " with ACME",
  acmeRevoke: " with ACME",
  estEnroll: " with EST",
  estReenroll: " with EST",
};

/**
 * Verb phrases for other endpoints, by endpoint ID. In the sentence, the names in the request path
 * follow the phrase.
 */
const phrases = new Map<string, readonly [infinitive: string, past: string]>([
  ["acmeNewAccount", ["create an ACME account", "created an ACME account"]],
  ["acmeAccount", ["change its ACME account", "changed its ACME account"]],
  ["acmeKeyChange", ["change the key of its ACME account", "changed the key of its ACME account"]],
  ["acmeNewOrder", ["order a certificate with ACME", "ordered a certificate with ACME"]],
  ["acmeAuthorization", ["deactivate an ACME authorization", "deactivated an ACME authorization"]],
  ["acmeChallenge", ["respond to an ACME challenge", "responded to an ACME challenge"]],
  ["fillUrls", ["fill in the URLs in certificates", "filled in the URLs in certificates"]],
  ["renewSelf", ["renew its token", "renewed its token"]],
  ["revokeSelf", ["revoke its token", "revoked its token"]],
  ["generateRoot", ["create a root", "created a root"]],
  [
    "generateIntermediate",
    ["request an intermediate CA", "created the CSR for an intermediate CA"],
  ],
  ["signIntermediate", ["sign an intermediate CA with", "signed an intermediate CA with"]],
  ["setSigned", ["import a signed CA certificate", "imported a signed CA certificate"]],
  ["importBundle", ["import CA certificates or keys", "imported CA certificates or keys"]],
  ["makeResponder", ["create the OCSP responder of", "created the OCSP responder of"]],
  ["deleteResponder", ["remove the OCSP responder of", "removed the OCSP responder of"]],
  ["loginUser", ["sign in as", "signed in as"]],
  ["loginAppRole", ["sign in with AppRole", "signed in with AppRole"]],
  ["loginJwt", ["sign in with a JWT", "signed in with a JWT"]],
  [
    "loginCert",
    ["sign in with a TLS client certificate", "signed in with a TLS client certificate"],
  ],
  ["beginOidcLogin", ["start single sign-on", "started single sign-on"]],
  ["finishOidcLogin", ["sign in with single sign-on", "signed in with single sign-on"]],
]);

/** Reports whether an event is a successful sign-in, which is recorded without a caller. */
const isSignIn = ({ caller, endpoint, refusal }: Partial<AuditEvent>): boolean =>
  caller === undefined &&
  refusal === undefined &&
  /^(?:login|finishOidcLogin)/.test(endpoint ?? "");

/** Returns the name of an event's caller, without the token accessor at its end. */
export function callerOf(event: Partial<AuditEvent>): string {
  const { caller, accessor } = event;
  if (isSignIn(event)) return visible(fieldOf(event, "username")) || "A client";
  if (caller === undefined) return "An anonymous caller";
  const [, account] = /^acme account ([\w-]{8})/.exec(caller) ?? [];
  if (account !== undefined) return `ACME account ${account}…`;
  return accessor && caller.endsWith(` ${accessor}`)
    ? caller.slice(0, -accessor.length - 1)
    : caller;
}

const fieldOf = ({ fields }: Partial<AuditEvent>, name: string): string => toText(fields?.[name]);

/** Returns the serial number in an event in hexadecimal without colons, or an empty string. */
export const serialOf = (event: AuditEvent): string =>
  bareHex(fieldOf(event, "serial") || fieldOf(event, "serial_number"));

/**
 * Returns the ID or name of the issuer in an event's path, or an empty string if the path has none.
 */
export const issuerOf = (event: AuditEvent): string =>
  event.path.includes(":issuer_ref") ? fieldOf(event, "issuer_ref") : "";

/** Returns the part of the sentence after the caller's name: what the caller did or tried to do. */
export function describeEvent(event: AuditEvent): readonly EventText[] {
  const refused = event.refusal !== undefined;
  const verbs = certificateVerbs.get(event.endpoint);
  const conjugate = ([infinitive, past]: readonly [string, string]): string =>
    refused ? `tried to ${infinitive}` : past;
  if (!verbs) return generalText(event, conjugate);
  const serial = serialOf(event);
  const role = fieldOf(event, "role");
  return [
    `${conjugate(verbs)} `,
    serial === "" ? "a certificate" : { kind: "certificate", id: serial },
    ...(role === "" ? [] : [" with role ", { kind: "role", id: role } as const]),
    ...(event.endpoint === "signVerbatim" ? [" without changes"] : []),
    protocols[event.endpoint] ?? "",
  ];
}

/** Derives a sentence from the ID of the endpoint and the parameters in the path. */
function generalText(
  event: AuditEvent,
  conjugate: (verb: readonly [string, string]) => string,
): readonly EventText[] {
  const [first = "", ...rest] = wordsOfId(event.endpoint);
  if (event.endpoint === "loginUser" && isSignIn(event)) return ["signed in"];
  const phrase = phrases.get(event.endpoint);
  const verb = conjugate(verbs.get(first) ?? [first, pastOf(first)]);
  const names = [...event.path.matchAll(/:(\w+)/g)].flatMap(
    ([, name = ""]): readonly EventText[] => {
      const id = visible(fieldOf(event, name));
      if (id === "") return [];
      const kind = name === "role" ? "role" : name === "issuer_ref" ? "issuer" : "other";
      const isRole = name === "name" && rest.at(-1) === "role" && event.path.startsWith("/roles/");
      return [" ", { kind: isRole ? "role" : kind, id }];
    },
  );
  if (phrase) {
    const isByRole = event.endpoint.startsWith("acme") && fieldOf(event, "role") !== "";
    return [conjugate(phrase), ...(isByRole ? [" with role"] : []), ...names];
  }
  const object = rest.filter((word) => word !== "up").join(" ");
  const about = first === "login" && object !== "" ? `with ${object}` : object;
  return [about === "" ? verb : `${verb} ${about}`, ...names];
}

/** An event, or consecutive equal rejections, newest first. */
export interface EventGroup {
  readonly newest: AuditEvent & { readonly id: string };
  readonly oldest: AuditEvent;
  /** Number of events, including rejections that were counted but not stored. */
  readonly count: number;
}

const sameRefusal = (one: AuditEvent, other: AuditEvent): boolean =>
  one.refusal !== undefined &&
  one.refusal === other.refusal &&
  one.endpoint === other.endpoint &&
  one.caller === other.caller &&
  one.mount === other.mount;

/** Groups consecutive equal rejections, so that they do not hide other events. */
export function groupEvents(
  events: readonly (AuditEvent & { readonly id: string })[],
): readonly EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const count = 1 + (event.more ?? 0);
    if (last && sameRefusal(last.newest, event))
      groups[groups.length - 1] = { ...last, oldest: event, count: last.count + count };
    else groups.push({ newest: event, oldest: event, count });
  }
  return groups;
}
