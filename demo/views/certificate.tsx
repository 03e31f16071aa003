import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { authorities, type Authority } from "../authorities.ts";
import type { CertificateView } from "../decode.ts";
import { row, type Row } from "../inventory.ts";
import { changes } from "../pki.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { CertificateCard, Chain, Contents, sort } from "../parts/certificate.tsx";
import { Code } from "../parts/code.tsx";
import { Badge } from "../parts/icon.tsx";
import { Back, Card, Heading, Note, Ready } from "../parts/page.tsx";
import { address, route } from "../route.ts";
import { roleOf } from "../search.ts";
import { useLoad, useStore } from "../store.ts";
import { fileName, instant } from "../words.ts";
import { Download } from "./download.tsx";
import { Revoke } from "./revoke.tsx";

interface Found {
  readonly row: Row;
  /** The role that issued it; empty when unknown. */
  readonly role: string;
  /** From the direct issuer up to the root. */
  readonly issuers: readonly Authority[];
}

/** A certificate and the issuers above it, as far as they are in this mount. */
async function find(serial: string): Promise<Found> {
  const [one, all] = await Promise.all([row(serial, new Date()), authorities()]);
  const issuers: Authority[] = [];
  for (let view = one.view; !view.selfIssued;) {
    const above = all.find(
      (authority) => authority.view.subjectKeyId === view.authorityKeyId && authority.view.subject === view.issuer && !issuers.includes(authority),
    );
    if (!above) break;
    issuers.push(above);
    view = above.view;
  }
  return { row: one, role: one.view.authority ? "" : await roleOf(one.serial, one.view.title), issuers };
}

/** One certificate: its card, contents and chain; download and revoke. */
export function Certificate(): JSX.Element {
  const serial = useStore(route, (value) => value.id);
  const turn = useStore(changes, (value) => value.turn);
  const found = useLoad(() => find(serial), [serial, turn]);
  return (
    <>
      <Back to={address("certificates")}>Certificates</Back>
      {!found.value && <Heading title="Certificate" />}
      <Ready from={found}>{(value) => <Shown found={value} />}</Ready>
    </>
  );
}

const linkTo = ({ view, record }: Authority): { view: CertificateView; note: string; to: string } => ({
  view,
  note: view.selfIssued ? "root, you install it" : "sent by the server",
  to: address("authorities", record.issuer_id),
});

function Shown({ found }: { found: Found }): JSX.Element {
  const { row: shown, role, issuers } = found;
  const { view, revoked, state, serial } = shown;
  const [dialog, setDialog] = useState<"" | "download" | "revoke">("");
  const close = (): void => setDialog("");
  const complete = view.selfIssued || issuers.at(-1)?.view.selfIssued === true;
  const links = [...issuers].reverse().map(linkTo);
  const again = view.names.map(({ value }) => value).join(",") || view.title;
  return (
    <div class="split">
      <div class="stack">
        <CertificateCard
          view={view}
          state={state}
          about={`${sort(view)} from ${view.issuerTitle}${role && `. Issued by the role ${role}`}`}
          actions={
            <>
              <Button kind="primary" icon="down" press={() => setDialog("download")}>
                Download
              </Button>
              {!view.authority && <ButtonLink to={`${address("issue", role)}?name=${encodeURIComponent(again)}`}>Renew</ButtonLink>}
              {!view.authority && state !== "revoked" && (
                <Button kind="danger" press={() => setDialog("revoke")}>
                  Revoke…
                </Button>
              )}
            </>
          }
        />
        {revoked && (
          <Note tone="danger" icon="warn">
            <b>Revoked {instant(revoked)}</b>
            <p class="small">Clients learn it from the CRL of {view.issuerTitle}.</p>
          </Note>
        )}
        <Contents view={view} panels={view.authority ? [] : [["Install", () => <Install view={view} />]]} />
      </div>
      <aside class="stack sticky" aria-label="Chain">
        <Card
          title="Chain"
          end={
            <Badge tone={complete ? "ok" : "warn"} mark={complete ? "check" : "warn"}>
              {complete ? "Complete" : "Issuer not in this mount"}
            </Badge>
          }
        >
          <Chain links={[...links, { view, note: "this certificate" }]} />
        </Card>
      </aside>
      {dialog === "download" && <Download view={view} issuers={issuers.map((one) => one.view)} close={close} />}
      {dialog === "revoke" && <Revoke serial={serial} name={view.title} close={close} />}
    </div>
  );
}

function Install({ view }: { view: CertificateView }): JSX.Element {
  const file = fileName(view.title);
  const host = view.names.find(({ kind }) => kind === "DNS")?.value ?? "localhost";
  return (
    <div class="pad stack">
      <p>Give the server the certificate followed by its issuer. The root stays out.</p>
      <Code
        label="nginx configuration"
        text={`server {\n  listen 443 ssl;\n  server_name ${host};\n  ssl_certificate     /etc/ssl/${file}.chain.pem;\n  ssl_certificate_key /etc/ssl/private/${file}.key.pem;\n}`}
      />
      <p>Check it from another host:</p>
      <Code wrap label="Check with openssl" text={`openssl s_client -connect ${host}:443 -CAfile root.pem -verify_return_error </dev/null`} />
    </div>
  );
}
