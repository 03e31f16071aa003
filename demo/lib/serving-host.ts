import { purposesOf, type CertificateView } from "./x509/decode.ts";

/** Returns the first host name in a certificate, or else the first IP address. */
export const hostOf = ({ names }: CertificateView): string | undefined =>
  (names.find(({ kind }) => kind === "DNS") ?? names.find(({ kind }) => kind === "IP"))?.value;

/** Reports whether a certificate is for a TLS server and has a host name or an IP address. */
export const isForServer = (view: CertificateView): boolean =>
  !view.authority && hostOf(view) !== undefined && purposesOf(view).includes("ServerAuth");
