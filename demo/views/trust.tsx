import type { JSX } from "preact";
import type { CertificateView } from "../decode.ts";
import { Code } from "../parts/code.tsx";
import { Card } from "../parts/page.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { fileName } from "../words.ts";

/** How to make a system trust a root. */
export function Trust({ root }: { root: CertificateView }): JSX.Element {
  const file = fileName(root.title);
  const pad = (text: string, label: string) => (): JSX.Element => (
    <div class="pad">
      <Code wrap text={text} label={label} />
    </div>
  );
  return (
    <Card title="Trust this root">
      <Tabs
        label="System"
        panels={[
          [
            "macOS",
            pad(
              `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${file}.pem`,
              "macOS command",
            ),
          ],
          ["Windows", pad(`certutil -addstore -f Root ${file}.cer`, "Windows command")],
          [
            "Debian, Ubuntu",
            pad(
              `sudo cp ${file}.pem /usr/local/share/ca-certificates/${file}.crt\nsudo update-ca-certificates`,
              "Debian command",
            ),
          ],
          [
            "iOS",
            () => (
              <div class="pad">
                <p>
                  Open the file, install the profile in Settings, then switch it on under General,
                  About, Certificate Trust Settings. Without the second step Safari still refuses.
                </p>
              </div>
            ),
          ],
        ]}
      />
    </Card>
  );
}
