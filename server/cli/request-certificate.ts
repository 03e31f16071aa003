import { isIP } from "node:net";
import type { IssueReply, PkiClient } from "../../src/client/index.ts";
import type { Order } from "./certificate-files.ts";

/** Requests a certificate with a new key: the first name is the common name. */
export function requestCertificate(
  pki: PkiClient,
  { role, names, ttl }: Pick<Order, "role" | "names" | "ttl">,
): Promise<IssueReply> {
  const [common_name = "", ...others] = names;
  const isUri = (name: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(name);
  return pki.issue({
    role,
    common_name,
    alt_names: others.filter((name) => isIP(name) === 0 && !isUri(name)).join(","),
    ip_sans: names.filter((name) => isIP(name) !== 0),
    uri_sans: others.filter(isUri),
    private_key_format: "pkcs8",
    ...(ttl === undefined ? {} : { ttl }),
  });
}
