import { ask, mount, request, type Reply } from "./transport.ts";
import { can } from "./pki.ts";
import { place } from "../lib/place.ts";

/** The addresses that certificates carry. */
export interface Urls {
  readonly issuing_certificates: readonly string[];
  readonly crl_distribution_points: readonly string[];
  readonly delta_crl_distribution_points?: readonly string[];
  readonly ocsp_servers: readonly string[];
  readonly enable_templating?: boolean;
}

export const urls = (): Promise<Urls> => ask("GET", mount("config/urls"));

export const saveUrls = (fields: object): Promise<Reply<unknown>> =>
  request("POST", mount("config/urls"), fields);

/** Where clients reach this mount; empty for an authority in a browser, which nobody reaches. */
export function mountUrl(): string {
  const { kind, base, mount: at } = place.get();
  return kind === "worker" && base !== "" ? `${base}/v1/${at}` : "";
}

/** Whether one press can fill them. */
export const fillable = async (): Promise<boolean> =>
  mountUrl() !== "" && (await can("POST", "config/urls/defaults"));

interface Cluster {
  readonly path: string;
  readonly aia_path: string;
}

/**
 * Has certificates carry what this mount serves. Where the mount does not know its own address, it
 * is told the one at which this page reaches it.
 */
export async function fillAddresses(): Promise<Reply<Urls>> {
  const { path, aia_path: aia } = await ask<Cluster>("GET", mount("config/cluster"));
  if (path === "" && aia === "")
    await request("POST", mount("config/cluster"), { path: mountUrl() });
  return request("POST", mount("config/urls/defaults"), {});
}
