import type { JSX } from "preact";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Button } from "../button.tsx";
import { Code } from "../code.tsx";
import { save } from "../save.ts";
import { Tabs } from "../tabs.tsx";
import { ownSystem, type System } from "./trust-stores.ts";
import { fileName } from "../../lib/file-name.ts";

interface How {
  /** The operating system; absent for a program with its own trust store. */
  readonly system?: System;
  readonly title: string;
  /** Extension of the downloaded file. */
  readonly ending: "pem" | "cer" | "crt";
  /** Returns the shell commands; empty if the steps must be done by hand. */
  readonly lines: (file: string) => string;
  readonly words?: string;
}

const instructions: readonly How[] = [
  {
    system: "linux",
    title: "Debian, Ubuntu",
    ending: "crt",
    lines: (file) =>
      `sudo cp ${file} /usr/local/share/ca-certificates/\nsudo update-ca-certificates`,
  },
  {
    system: "linux",
    title: "Fedora, RHEL",
    ending: "pem",
    lines: (file) => `sudo cp ${file} /etc/pki/ca-trust/source/anchors/\nsudo update-ca-trust`,
  },
  {
    system: "macos",
    title: "macOS",
    ending: "pem",
    lines: (file) =>
      `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${file}`,
  },
  {
    system: "windows",
    title: "Windows",
    ending: "cer",
    lines: (file) => `certutil -addstore -f Root ${file}`,
    words: "Run the command in a prompt that was opened as administrator.",
  },
  {
    system: "ios",
    title: "iOS",
    ending: "crt",
    lines: () => "",
    words:
      "Open the file and install the profile in Settings. Then turn on full trust under General > About > Certificate Trust Settings. Without full trust, Safari still rejects the certificates of this root.",
  },
  {
    system: "android",
    title: "Android",
    ending: "crt",
    lines: () => "",
    words:
      "In Settings, search for “CA certificate”, choose Install anyway, and select the file. Only apps that opt in to user CAs trust it.",
  },
  {
    title: "Firefox",
    ending: "crt",
    lines: () => "",
    words:
      "In Settings, search for “certificates”, choose View Certificates > Authorities > Import, and trust the CA to identify websites. On Windows and macOS, Firefox also trusts the roots of the system.",
  },
  {
    title: "Java",
    ending: "crt",
    lines: (file) =>
      `sudo keytool -importcert -cacerts -storepass changeit -noprompt -alias ${file.replace(/\.\w+$/, "")} -file ${file}`,
    words: "Run the command again after you install another version of Java.",
  },
  {
    title: "Node.js",
    ending: "pem",
    lines: (file) => `export NODE_EXTRA_CA_CERTS="$PWD/${file}"`,
    words: "Set the variable before Node.js starts. The built-in CAs stay trusted.",
  },
  {
    title: "Python",
    ending: "pem",
    lines: (file) =>
      `cat "$(python3 -m certifi)" ${file} > ca-bundle.pem\nexport SSL_CERT_FILE="$PWD/ca-bundle.pem" REQUESTS_CA_BUNDLE="$PWD/ca-bundle.pem"`,
    words: "Applies to requests, httpx and urllib. The built-in CAs stay trusted.",
  },
  {
    title: "Docker",
    ending: "crt",
    lines: (file) =>
      `COPY ${file} /usr/local/share/ca-certificates/\nRUN apt-get update && apt-get install -y ca-certificates && update-ca-certificates`,
    words:
      "Add these lines to the Dockerfile of a Debian or Ubuntu image. A container has its own trust store.",
  },
];

/** Instructions for trusting a root, beginning with those for the user's operating system. */
export function Trust({ root }: { root: CertificateView }): JSX.Element {
  const here = ownSystem();
  const ordered = [
    ...instructions.filter(({ system }) => system === here),
    ...instructions.filter(({ system }) => system !== here),
  ];
  return (
    <Tabs
      label="System"
      panels={ordered.map((how) => [how.title, () => <SystemInstructions how={how} root={root} />])}
    />
  );
}

function SystemInstructions({ how, root }: { how: How; root: CertificateView }): JSX.Element {
  const file = `${fileName(root.title)}.${how.ending}`;
  const [type, content] =
    how.ending === "pem"
      ? ["application/x-pem-file", `${root.pem}\n`]
      : // The system opens a file of this type as a single certificate.
        ["application/x-x509-ca-cert", how.ending === "cer" ? root.der : `${root.pem}\n`];
  const text = how.lines(file);
  return (
    <div class="pad stack close">
      <div class="actions from-start saving">
        <Button icon="down" press={() => save(file, type, content)}>
          {`Save ${file}`}
        </Button>
      </div>
      {text && <Code wrap text={text} label={`${how.title} command`} />}
      {how.words && <p>{how.words}</p>}
    </div>
  );
}
