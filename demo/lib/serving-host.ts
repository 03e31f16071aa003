import type { CertificateView } from "./x509/decode.ts";

/** Returns the first host name, else the first address. */
export const hostOf = ({ names }: CertificateView): string | undefined =>
  (names.find(({ kind }) => kind === "DNS") ?? names.find(({ kind }) => kind === "IP"))?.value;

/** Reports whether a certificate is for a server with a host name or an address. */
export const isForServer = (view: CertificateView): boolean =>
  !view.authority &&
  hostOf(view) !== undefined &&
  view.extensions.some(
    ({ name, lines }) =>
      name === "Extended key usage" && lines.some((line) => line === "ServerAuth"),
  );
