import type { JSX } from "preact";
import type { CertificateView } from "../decode.ts";
import { Code } from "../parts/code.tsx";
import { fileName } from "../words.ts";

/** The first host name, else the first address. */
const hostOf = ({ names }: CertificateView): string | undefined =>
  (names.find(({ kind }) => kind === "DNS") ?? names.find(({ kind }) => kind === "IP"))?.value;

/** Whether a certificate is made for a server that is reached by a host name or an address. */
export const serves = (view: CertificateView): boolean =>
  !view.authority &&
  hostOf(view) !== undefined &&
  view.extensions.some(
    ({ name, lines }) =>
      name === "Extended key usage" && lines.some((line) => line === "ServerAuth"),
  );

/** How a web server is given its certificate, and how that is checked. */
export function Install({ view }: { view: CertificateView }): JSX.Element {
  const file = fileName(view.title);
  const found = hostOf(view) ?? "";
  const host = found.includes(":") ? `[${found}]` : found;
  return (
    <div class="pad stack">
      <p>Give the server the certificate followed by its issuer. Leave the root out.</p>
      <Code
        label="nginx configuration"
        text={`server {\n  listen 443 ssl;\n  server_name ${host};\n  ssl_certificate     /etc/ssl/${file}.chain.pem;\n  ssl_certificate_key /etc/ssl/private/${file}.key.pem;\n}`}
      />
      <p>Check it from another host:</p>
      <Code
        wrap
        label="Check with openssl"
        text={`openssl s_client -connect ${host.replace(/^\*/, "www")}:443 -CAfile root.pem -verify_return_error </dev/null`}
      />
    </div>
  );
}
