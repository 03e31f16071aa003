import type { Authority } from "../../api/issuer.ts";
import { mountUrl, urlKinds, urls, type UrlLists } from "../../api/certificate-urls.ts";
import { readData } from "../../api/call.ts";
import * as pki from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { address } from "../../lib/route.ts";
import { otherMountIn } from "./mount-of-url.ts";

/** A configured URL on this server that belongs to another mount, and where to change it. */
export interface OtherMount {
  /** The path of the other mount with `/v1/`. */
  readonly path: string;
  /** Whether certificates include the URL. Otherwise, it is the URL of the mount itself. */
  readonly isInCertificates: boolean;
  /** URL of the view that has the setting. */
  readonly to: string;
}

const listed = (lists: UrlLists): readonly string[] =>
  urlKinds.flatMap(([name]) => lists[name] ?? []);

/**
 * Returns a configured URL that names another mount of this server, as after a restore under
 * another name. Ignores settings that the token may not read. `reads` is false if only the URLs of
 * the issuers may be checked.
 */
export async function findOtherMount(
  all: readonly Authority[],
  reads: boolean,
): Promise<OtherMount | undefined> {
  const own = mountUrl();
  if (own === "") return undefined;
  const [lists, { path, aia_path: aia }] = await Promise.all([
    reads && missingPermission(pki.readUrls) === "" ? urls().catch(() => ({})) : {},
    reads && missingPermission(pki.readCluster) === ""
      ? readData(pki.readCluster).catch(() => ({ path: "", aia_path: "" }))
      : { path: "", aia_path: "" },
  ]);
  const other = (found: readonly string[]): string | undefined =>
    found.map((url) => otherMountIn(url, own)).find((one) => one !== undefined);
  const settings = address("revocation", "urls");
  const certificates = other([...listed(lists), aia]);
  if (certificates !== undefined)
    return { path: certificates, isInCertificates: true, to: settings };
  for (const { record } of all) {
    const ofIssuer = other(listed(record));
    const to = address("authorities", record.issuer_id, { action: "edit" });
    if (ofIssuer !== undefined) return { path: ofIssuer, isInCertificates: true, to };
  }
  const ofMount = other([path]);
  return ofMount === undefined
    ? undefined
    : { path: ofMount, isInCertificates: false, to: settings };
}
