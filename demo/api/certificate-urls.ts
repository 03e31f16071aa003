import type { ReadUrlsReply, WriteUrlsInput } from "../../src/client/pki.ts";
import { call, readData } from "./call.ts";
import { fillUrls, readCluster, readUrls, writeCluster, writeUrls } from "./endpoints/pki.ts";
import { can } from "./openapi.ts";
import type { Reply } from "./transport.ts";
import { place } from "../lib/place.ts";

/** The URLs in certificates; an older server omits some. */
export type Urls = Partial<ReadUrlsReply>;

/** The kinds of URLs in certificates, by API name. */
export const urlKinds = [
  ["issuing_certificates", "Issuer’s certificate"],
  ["crl_distribution_points", "CRL"],
  ["delta_crl_distribution_points", "Delta CRL"],
  ["ocsp_servers", "OCSP"],
] as const;

/** The URLs of a mount or an issuer. */
export type UrlLists = Pick<Urls, (typeof urlKinds)[number][0]>;

/** Reports whether the URLs of an issuer replace those of the mount: any but a delta CRL's does. */
export const hasOwnUrls = (urls: UrlLists): boolean =>
  urlKinds.some(
    ([name]) => name !== "delta_crl_distribution_points" && (urls[name] ?? []).length > 0,
  );

export const urls = (): Promise<Urls> => readData(readUrls);

export const saveUrls = (fields: WriteUrlsInput): Promise<Reply<unknown>> =>
  call(writeUrls, fields);

/** Returns the URL of this mount; empty for a CA in the browser, which no client can reach. */
export function mountUrl(): string {
  const { kind, base, mount: at } = place.get();
  return kind === "worker" && base !== "" ? `${base}/v1/${at}` : "";
}

/** Reports whether the server can fill in the URLs. */
export const fillable = async (): Promise<boolean> => mountUrl() !== "" && (await can(fillUrls));

/**
 * Sets the URLs in certificates to those of this mount. Without a configured URL the mount gets the
 * one at which this page reaches it.
 */
export async function fillAddresses(): Promise<Reply<Urls>> {
  const { path, aia_path: aia } = await readData(readCluster);
  if (path === "" && aia === "") await call(writeCluster, { path: mountUrl() });
  return call(fillUrls, {});
}
