import type { JSX } from "preact";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Code } from "../code.tsx";
import { Tabs } from "../tabs.tsx";
import { hostOf } from "../../lib/serving-host.ts";
import { urlHost } from "../../lib/url-host.ts";
import { fileName } from "../../lib/file-name.ts";

/** Returns the configurations of web servers. `file` contains the private key and the chain. */
const servers = (
  file: string,
  host: string,
): readonly (readonly [name: string, text: string])[] => [
  [
    "nginx",
    `server {\n  listen 443 ssl;\n  server_name ${host};\n  ssl_certificate     /etc/ssl/private/${file};\n  ssl_certificate_key /etc/ssl/private/${file};\n}`,
  ],
  [
    "Apache",
    `<VirtualHost *:443>\n  ServerName ${host}\n  SSLEngine on\n  SSLCertificateFile    /etc/ssl/private/${file}\n  SSLCertificateKeyFile /etc/ssl/private/${file}\n</VirtualHost>`,
  ],
  ["HAProxy", `frontend web\n  bind :443 ssl crt /etc/haproxy/${file}`],
];

/** Instructions for installing a certificate in a web server, and for checking the server. */
export function Install({
  view,
  root,
}: {
  view: CertificateView;
  root: CertificateView | undefined;
}): JSX.Element {
  const file = fileName(view.title);
  const both = `${file}.key-and-chain.pem`;
  const host = urlHost(hostOf(view) ?? "");
  const trusted = root ? `${fileName(root.title)}.pem` : "root.pem";
  return (
    <div class="pad stack">
      <p>
        Install the certificate followed by its issuer, and the private key. The key could only be
        saved when the certificate was issued. Do not include the root.
      </p>
      <Tabs
        label="Server"
        panels={servers(both, host).map(([name, text]) => [
          name,
          () => <Code label={`${name} configuration`} text={text} />,
        ])}
      />
      <p class="small muted">
        “Save key and chain” saves {both} after issuance: the private key followed by {file}
        .chain.pem, which “Download…” saves.
      </p>
      <p>
        Test it from another host that has the root certificate, which Download saves as{" "}
        <code>{trusted}</code>:
      </p>
      <Code
        wrap
        label="Check with openssl"
        text={`openssl s_client -connect ${host.replace(/^\*/, "www")}:443 -CAfile ${trusted} -verify_return_error </dev/null`}
      />
    </div>
  );
}
