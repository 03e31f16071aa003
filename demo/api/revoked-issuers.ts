import type { ListIssuersReply } from "../../src/client/pki.ts";

type ListedIssuer = ListIssuersReply["key_info"][string];
/** The members of a listed issuer that state whether it is revoked. Older servers omit them. */
type RevocationInfo = Pick<ListedIssuer, "key_id"> &
  Partial<Pick<ListedIssuer, "revoked" | "issuer_revoked">>;

/**
 * Returns the IDs of issuers that are revoked or below a revoked CA, so that clients reject their
 * certificates. Omits an issuer that has another valid path, through a trusted issuer certificate
 * for the same key.
 */
export function distrustedIssuers(
  info: Readonly<Record<string, RevocationInfo>>,
): ReadonlySet<string> {
  const isDistrusted = ({ revoked = false, issuer_revoked = false }: RevocationInfo): boolean =>
    revoked || issuer_revoked;
  const all = Object.values(info);
  const hasOtherPath = (one: RevocationInfo): boolean =>
    one.key_id !== "" && all.some((other) => other.key_id === one.key_id && !isDistrusted(other));
  return new Set(
    Object.entries(info).flatMap(([id, one]) =>
      isDistrusted(one) && !hasOtherPath(one) ? [id] : [],
    ),
  );
}
