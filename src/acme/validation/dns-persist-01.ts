import { concat, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { digestSha256 } from "../../base/hmac.ts";
import { lowerAscii } from "../../base/names.ts";
import { issuerDomainNames } from "../protocol/persistent-records.ts";
import type { NetworkChallenge, ValidationNetwork } from "./challenge-type.ts";
import type { Proof } from "./proof.ts";
import { txtRecords } from "./txt-records.ts";

/** Returns the DNS name of the TXT records that authorize ACME accounts for a domain. */
const recordName = (name: string): string => `_validation-persist.${name}`;

/**
 * Returns the hashed URI of an account's key for a domain (section 4.1 of the draft). The domain
 * `*` represents any domain.
 */
function hashedUri(
  { accountUrl, accountHashPrefix }: Proof,
  { domain, thumbprint }: { readonly domain: string; readonly thumbprint: string },
): string {
  const name = utf8(domain);
  const parts = [Uint8Array.of(name.length), name, utf8(thumbprint), utf8(accountUrl)];
  return `${accountHashPrefix}sha-256/${toBase64Url(digestSha256(concat(parts)))}`;
}

/** A record in the syntax of `issue-value` (RFC 8659 section 4.2). */
interface IssueValue {
  readonly issuer: string;
  /** Values by lower-case tag; undefined if the syntax is invalid or a tag occurs twice. */
  readonly parameters: ReadonlyMap<string, string> | undefined;
}
const parameter = /^([A-Za-z\d]+(?:-+[A-Za-z\d]+)*)[ \t]*=[ \t]*([!-:<-~]*)$/;
function parseRecord(text: string): IssueValue {
  const [issuer = "", ...sent] = text
    .split(";")
    .map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ""));
  // a final semicolon is allowed
  if (sent.at(-1) === "") sent.pop();
  const parsed = sent.map((part) => parameter.exec(part));
  const parameters = new Map(
    parsed.flatMap((match) =>
      match ? [[lowerAscii(match[1] ?? ""), match[2] ?? ""] as const] : [],
    ),
  );
  return {
    issuer: lowerAscii(issuer).replace(/\.$/, ""),
    parameters: parameters.size === sent.length ? parameters : undefined,
  };
}

/** The requirements for a record, other than the issuer in it. */
interface Expected {
  readonly queried: string;
  readonly proof: Proof;
  /** The reason why the record must have `policy=wildcard`, or undefined if it need not. */
  readonly wildcardFor: string | undefined;
  /** The accepted values of `accounturi`. */
  readonly uris: ReadonlySet<string>;
  /** Time of validation, Unix seconds. */
  readonly now: number;
}
/**
 * Returns the time until which a record authorizes the account (Unix seconds). Throws CaError if it
 * does not authorize the account.
 */
function authorizedUntil(
  { parameters }: IssueValue,
  { queried, proof, wildcardFor, uris, now }: Expected,
): number {
  const malformed = (why: string) =>
    new CaError("malformed", `the TXT record of ${queried} ${why}`);
  const refused = (why: string) =>
    new CaError("acme_unauthorized", `the TXT record of ${queried} ${why}`);
  if (!parameters) throw malformed("has invalid or repeated parameters");
  const uri = parameters.get("accounturi");
  if (uri === undefined) throw malformed("has no accounturi");
  if (!uri.startsWith(`${proof.accountHashPrefix}sha-256/`) || !/\/[\w-]{43}$/.test(uri))
    throw malformed(`has an accounturi that is not ${proof.accountHashPrefix}sha-256/ and a hash`);
  if (!uris.has(uri)) throw refused("has the accounturi of another account, key or domain");
  const end = parameters.get("persistuntil");
  if (end !== undefined && !/^\d{1,15}$/.test(end))
    throw malformed("has a persistUntil that is not a number of seconds since 1970");
  const until = end === undefined ? Infinity : Number(end);
  if (until <= now) throw refused("is past its persistUntil");
  if (wildcardFor !== undefined && lowerAscii(parameters.get("policy") ?? "") !== "wildcard")
    throw refused(`does not have policy=wildcard, which ${wildcardFor} requires`);
  return until;
}

/**
 * dns-persist-01: a permanent DNS record identifies the CA and the account
 * (draft-ietf-acme-dns-persist-02). A record of a parent domain authorizes subdomains only if
 * `persistent_subdomains` is set, and records are not looked up before the client requests
 * validation; the draft leaves both to the CA.
 */
export const dnsPersist01: NetworkChallenge<"dns-persist-01"> = {
  name: "dns-persist-01",
  isOfferedFor: ({ type }) => type === "dns",
  hasToken: false,
  // see section 9.3.1 of the draft
  limitsFailures: true,
  members: (config) => ({ issuerDomainNames: issuerDomainNames(config) }),
  question(domain, proof) {
    const [thumbprint = ""] = proof.thumbprints;
    const uri = hashedUri(proof, { domain, thumbprint });
    const policy = proof.isWildcard ? "; policy=wildcard" : "";
    const expected = `${proof.issuerDomainNames[0] ?? ""}; accounturi=${uri}${policy}`;
    return { asked: recordName(domain), expected };
  },
  needsConnection: false,
  async validate(name, proof, network, signal) {
    try {
      const wildcardFor = proof.isWildcard ? "a wildcard" : undefined;
      return await provenUntil({ name, proof, wildcardFor }, network, signal);
    } catch (error) {
      if (!(error instanceof CaError) || !proof.persistentSubdomains) throw error;
      const until = await untilByParent(name, proof, network, signal);
      if (until === undefined) throw error;
      return until;
    }
  },
};

/** A name whose record is to be looked up. */
interface Lookup extends Pick<Expected, "proof" | "wildcardFor"> {
  readonly name: string;
}
/**
 * Returns the time until which a record authorizes the account for the given name (Unix seconds).
 */
async function provenUntil(
  { name, proof, wildcardFor }: Lookup,
  network: ValidationNetwork,
  signal: AbortSignal,
): Promise<number> {
  const queried = recordName(name);
  const records = (await txtRecords(queried, network, signal)).map(parseRecord);
  const ownRecords = records.filter(({ issuer }) => proof.issuerDomainNames.includes(issuer));
  const uris = new Set(
    proof.thumbprints.flatMap((thumbprint) =>
      [name, "*"].map((domain) => hashedUri(proof, { domain, thumbprint })),
    ),
  );
  const now = Math.floor(network.now() / 1000);
  const expected = { queried, proof, wildcardFor, uris, now };
  const ends = ownRecords.map((record) => endOrFault(record, expected));
  const valid = ends.filter((end) => typeof end === "number");
  if (valid.length > 0) return Math.max(...valid);
  const [fault] = ends.filter((end) => end instanceof CaError);
  throw (
    fault ??
    new CaError(
      "acme_unauthorized",
      `no TXT record of ${queried} has the issuer ${proof.issuerDomainNames.join(" or ")}`,
    )
  );
}

/** Maximum number of parent domains whose records are looked up, the nearest first. */
const maxParents = 5;
/**
 * Returns the time until which the record of a parent domain authorizes the account for a name
 * (section 6 of the draft), or undefined if no record does. The record of a top-level domain
 * authorizes nothing.
 */
async function untilByParent(
  name: string,
  proof: Proof,
  network: ValidationNetwork,
  signal: AbortSignal,
): Promise<number | undefined> {
  const labels = name.split(".");
  for (let at = 1; at <= maxParents && at < labels.length - 1; at++) {
    const parent = { name: labels.slice(at).join("."), proof, wildcardFor: "a subdomain" };
    try {
      return await provenUntil(parent, network, signal);
    } catch (error) {
      if (!(error instanceof CaError)) throw error;
    }
  }
  return undefined;
}
function endOrFault(record: IssueValue, expected: Expected): number | CaError {
  try {
    return authorizedUntil(record, expected);
  } catch (error) {
    if (error instanceof CaError) return error;
    throw error;
  }
}
