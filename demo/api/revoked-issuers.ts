import type { ListIssuersReply } from "../../src/client/pki.ts";

type ListedIssuer = ListIssuersReply["key_info"][string];
/** Whether an issuer is revoked, from a listing. Older servers omit that. */
type RevocationInfo = Pick<ListedIssuer, "key_id"> &
  Partial<Pick<ListedIssuer, "revoked" | "issuer_revoked">>;

/**
 * Returns the IDs of issuers whose certificates clients reject: those that are revoked or below a
 * revoked CA. An issuer whose key is also in the certificate of another issuer has a second path.
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
