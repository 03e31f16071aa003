import { expect } from "vitest";
import type { Api } from "./api.ts";
import { directoryWith, openssl } from "./openssl.ts";

/** A CRL as openssl parses it. */
export interface Crl {
  readonly number: number;
  /** Unix milliseconds, like `nextUpdate`. */
  readonly thisUpdate: number;
  readonly nextUpdate: number;
  /** Lowercase hexadecimal digits without colons. */
  readonly serials: readonly string[];
}

/** Reads the complete CRL of the default issuer of a mount. */
export async function crlOf(api: Api, mount = "pki"): Promise<Crl> {
  const { status, text } = await api("GET", `${mount}/crl/pem`);
  expect(status, text).toBe(200);
  const words = ["-noout", "-text", "-lastupdate", "-nextupdate"];
  const { output } = openssl(directoryWith({ "crl.pem": text }), "crl", "-in", "crl.pem", ...words);
  const time = (name: string): number =>
    Date.parse(new RegExp(`^${name}=(.*)$`, "m").exec(output)?.[1] ?? "");
  return {
    number: Number(/CRL Number: \n\s+(\d+)/.exec(output)?.[1]),
    thisUpdate: time("lastUpdate"),
    nextUpdate: time("nextUpdate"),
    serials: [...output.matchAll(/Serial Number: ([0-9A-F]+)/g)].map(([, hex = ""]) =>
      hex.toLowerCase(),
    ),
  };
}
