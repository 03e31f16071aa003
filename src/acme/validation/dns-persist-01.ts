import { concat, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { digestSha256 } from "../../base/hmac.ts";
import { lowerAscii } from "../../base/names.ts";
import { issuerDomainNames } from "../protocol/persistent-records.ts";
import type { NetworkChallenge } from "./challenge-type.ts";
import type { Proof } from "./proof.ts";
import { txtRecords } from "./txt-records.ts";

/** Returns the name whose TXT records authorize accounts for a name. */
const recordName = (name: string): string => `_validation-persist.${name}`;

/** Returns the URI of an account's key for a domain, or for `*`: any domain (section 4.1). */
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
  /** Values by tag in lower case; undefined if the syntax is wrong or a tag occurs twice. */
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

/** The requirements of a record besides its issuer. */
interface Expected {
  readonly queried: string;
  readonly proof: Proof;
  /** The accepted values of `accounturi`. */
  readonly uris: ReadonlySet<string>;
  /** Unix seconds. */
  readonly now: number;
}
/** Returns until when a record authorizes the account, Unix seconds. Throws for other records. */
function authorizedUntil(
  { parameters }: IssueValue,
  { queried, proof, uris, now }: Expected,
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
  if (proof.isWildcard && lowerAscii(parameters.get("policy") ?? "") !== "wildcard")
    throw refused("does not have policy=wildcard, which a wildcard requires");
  return until;
}

/**
 * dns-persist-01: a record that remains in DNS names the CA and the account
 * (draft-ietf-acme-dns-persist-02). A record of a parent domain authorizes no subdomains, and none
 * is looked up before the client asks for it; the draft leaves both to the CA.
 */
export const dnsPersist01: NetworkChallenge<"dns-persist-01"> = {
  name: "dns-persist-01",
  isOfferedFor: ({ type }) => type === "dns",
  hasToken: false,
  // section 9.3.1
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
    const queried = recordName(name);
    const records = (await txtRecords(queried, network, signal)).map(parseRecord);
    const ours = records.filter(({ issuer }) => proof.issuerDomainNames.includes(issuer));
    const uris = new Set(
      proof.thumbprints.flatMap((thumbprint) =>
        [name, "*"].map((domain) => hashedUri(proof, { domain, thumbprint })),
      ),
    );
    const now = Math.floor(network.now() / 1000);
    const ends = ours.map((record) => endOrFault(record, { queried, proof, uris, now }));
    const valid = ends.filter((end) => typeof end === "number");
    if (valid.length > 0) return Math.max(...valid);
    const [fault] = ends.filter((end) => end instanceof CaError);
    throw (
      fault ??
      new CaError(
        "acme_unauthorized",
        `no TXT record of ${queried} names ${proof.issuerDomainNames.join(" or ")}`,
      )
    );
  },
};
function endOrFault(record: IssueValue, expected: Expected): number | CaError {
  try {
    return authorizedUntil(record, expected);
  } catch (error) {
    if (error instanceof CaError) return error;
    throw error;
  }
}
