import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Code } from "../code.tsx";
import { Check } from "../field.tsx";
import { Tabs } from "../tabs.tsx";
import { wasSigned } from "../../lib/issued-roles.ts";
import { hostOf } from "../../lib/serving-host.ts";
import { urlHost } from "../../lib/url-host.ts";
import { fileName } from "../../lib/file-name.ts";

/** The names of the files that a web server reads. */
interface Files {
  readonly certificate: string;
  readonly key: string;
  /** The private key followed by the chain. */
  readonly both: string;
}

/** Returns the configurations of web servers. */
const servers = (
  { certificate, key, both }: Files,
  host: string,
): readonly (readonly [name: string, text: string])[] => [
  [
    "nginx",
    `server {\n  listen 443 ssl;\n  server_name ${host};\n  ssl_certificate     /etc/ssl/private/${certificate};\n  ssl_certificate_key /etc/ssl/private/${key};\n}`,
  ],
  [
    "Apache",
    `<VirtualHost *:443>\n  ServerName ${host}\n  SSLEngine on\n  SSLCertificateFile    /etc/ssl/private/${certificate}\n  SSLCertificateKeyFile /etc/ssl/private/${key}\n</VirtualHost>`,
  ],
  [
    "HAProxy",
    `${key === both ? "" : `# cat ${key} ${certificate} > ${both}\n`}frontend web\n  bind :443 ssl crt /etc/haproxy/${both}`,
  ],
];

/** Returns a sentence about the key file. Set `fromCsr` if the user has the key. */
const keyFile = (name: string, fromCsr: boolean): string =>
  fromCsr
    ? `Replace ${name} with the name of your key file.`
    : `“Key only” saves ${name} after issuance.`;

/** Instructions for installing a certificate in a web server, and for checking the server. */
export function Install({
  view,
  root,
  file,
}: {
  view: CertificateView;
  root: CertificateView | undefined;
  /** The name of the downloaded files, without an extension. */
  file: string;
}): JSX.Element {
  const [isSeparate, setSeparate] = useState(() => wasSigned(view.serial));
  const [chain, both] = [`${file}.chain.pem`, `${file}.key-and-chain.pem`];
  const files = isSeparate
    ? { certificate: chain, key: `${file}.key.pem`, both }
    : { certificate: both, key: both, both };
  const host = urlHost(hostOf(view) ?? "");
  const trusted = root ? `${fileName(root.title)}.pem` : "root.pem";
  return (
    <div class="pad stack">
      <p>
        Install the certificate followed by its issuer, and the private key. The server does not
        store the key. Do not include the root.
      </p>
      <Check
        label="The private key is in a separate file"
        checked={isSeparate}
        change={setSeparate}
        hint="As for a certificate that was signed from your CSR."
      />
      <Tabs
        label="Server"
        panels={servers(files, host).map(([name, text]) => [
          name,
          () => <Code label={`${name} configuration`} text={text} />,
        ])}
      />
      <p class="small muted">
        {isSeparate
          ? `“Download…” saves ${chain}. ${keyFile(files.key, wasSigned(view.serial))}`
          : `“Save key and chain” saves ${both} after issuance: the private key followed by ${chain}, which “Download…” saves.`}
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
