import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { chainOrder } from "../../lib/inspection/chain-drawing.ts";
import { expiryText, headline } from "../../lib/inspection/headline.ts";
import { life } from "../../lib/lifetime.ts";
import { CertificateFacts, DisguiseWarnings, Extensions } from "../certificate-details.tsx";
import { Badge, Icon } from "../icon.tsx";
import { lazy } from "../lazy.tsx";
import { Button } from "../button.tsx";
import { Text } from "../field.tsx";
import { Card, Facts, Failure, Note } from "../page.tsx";
import { SignatureRefused } from "../signature-refused.tsx";
import { Remarks } from "../remarks.tsx";
import { Seal } from "../seal.tsx";
import { Code } from "../code.tsx";
import { Digits } from "../digits.tsx";
import type { Extension } from "../../../src/x509/extension.ts";
import type { CertificateView, CsrView } from "../../lib/x509/decode.ts";
import type { Finding } from "../../lib/inspection/examine.ts";
import { distance } from "../../lib/time-text.ts";
import { sizeText } from "../../lib/size-text.ts";
import type { Inspection } from "./inspection.ts";

const ocsp = (): Promise<typeof import("./ocsp-all.ts")> => import("./ocsp-all.ts");
const OcspFinding = lazy(async () => (await ocsp()).OcspFinding);
const OcspRefused = lazy(async () => (await ocsp()).OcspRefused);
const OcspRequestFinding = lazy(async () => (await ocsp()).OcspRequestFinding);

const CrlFinding = lazy(async () => (await import("./crl-finding.tsx")).CrlFinding);

const deeper = (): Promise<typeof import("./details.ts")> => import("./details.ts");
const Asn1Tree = lazy(async () => (await deeper()).Asn1Tree);
const ChainDrawing = lazy(async () => (await deeper()).ChainDrawing);
const CertificateLints = lazy(async () => (await deeper()).CertificateLints);
const CrlLints = lazy(async () => (await deeper()).CrlLints);

/** The error message if the inspection code could not be loaded. */
export const NotInspected = (): JSX.Element => (
  <Failure error={new Error("The code that reads files could not be loaded.")}>
    <Button tiny press={() => location.reload()}>
      Reload the page
    </Button>
  </Failure>
);

/** A note about the order of the certificates, if they form a single chain. */
export function ChainOrder({
  inspection: { all, verifications },
}: {
  inspection: Inspection;
}): JSX.Element {
  const order = chainOrder(
    all.flatMap((one) => (one.kind === "certificate" ? [one.view] : [])),
    verifications,
  );
  return (
    <>
      {order && (
        <Note tone={order.isServable ? "" : "warn"} icon={order.isServable ? "info" : "warn"}>
          {order.isServable
            ? `One chain of ${order.count} certificates, in the order in which a server must send them${order.hasRoot ? ", except the root" : ""}.`
            : `One chain of ${order.count} certificates, in the wrong order for a server: ${order.leaf} must be first, and each issuer after the certificate that it signed.`}
        </Note>
      )}
    </>
  );
}

export function FindingCard({
  finding,
  inspection: { all, verifications },
  unlock,
  actionsFor,
}: {
  finding: Finding;
  inspection: Inspection;
  /** Tries a password for the encrypted archives and keys. */
  unlock?: (password: string) => void;
  /** Returns the links and buttons for a certificate. */
  actionsFor?: (view: CertificateView, isRevoked: boolean) => ComponentChildren;
}): JSX.Element {
  if (finding.kind === "certificate")
    return (
      <CertificateFinding
        view={finding.view}
        verifications={verifications}
        actions={actionsFor?.(finding.view, verifications.get(finding.view)?.isRevoked === true)}
      />
    );
  if (finding.kind === "request") return <RequestFinding view={finding.view} all={all} />;
  if (finding.kind === "crl")
    return (
      <CrlFinding view={finding.view} verification={verifications.get(finding.view)}>
        <Unfolded title="Lints">
          {() => <CrlLints der={finding.view.der} entries={finding.view.entries.count} />}
        </Unfolded>
        <Extended of={finding.view.extensions} what="Extensions" />
        <Unfolded title="ASN.1">{() => <Asn1Tree der={finding.view.der} />}</Unfolded>
      </CrlFinding>
    );
  if (finding.kind === "ocsp")
    return <OcspFinding view={finding.view} verification={verifications.get(finding.view)} />;
  if (finding.kind === "ocsp refusal") return <OcspRefused view={finding.view} />;
  if (finding.kind === "ocsp request") return <OcspRequestFinding view={finding.view} />;
  if (finding.kind === "key" || finding.kind === "public key")
    return <KeyFinding finding={finding} all={all} />;
  if (finding.kind === "locked") return <LockedFinding finding={finding} unlock={unlock} />;
  if (finding.kind === "named")
    return (
      <Note icon="info">
        <b>{finding.name}</b>
        <p class="break">{finding.what}.</p>
      </Note>
    );
  return (
    <Note tone="danger" icon="x">
      <b>{finding.name}: not readable</b>
      <p class="break">{finding.why}</p>
      {"certificate" in finding && finding.certificate && (
        <RejectedCertificate der={finding.certificate} />
      )}
    </Note>
  );
}

/** Lint findings and ASN.1 structure of a certificate that the parser rejects. */
const RejectedCertificate = ({ der }: { der: Uint8Array }): JSX.Element => (
  <>
    <Unfolded title="Lints">{() => <CertificateLints der={der} />}</Unfolded>
    <Unfolded title="ASN.1">{() => <Asn1Tree der={der} />}</Unfolded>
  </>
);

/** The alternative names, and the errors of those that could not be parsed. */
function NamesIn({
  view: { title, names, brokenNames },
}: {
  view: CertificateView | CsrView;
}): JSX.Element {
  const read = names.map(({ kind, value }) => `${kind}:${value}`).join(", ");
  return (
    <>
      {read || (brokenNames.length > 0 ? "None readable" : "None")}
      <DisguiseWarnings names={[title, ...names.map(({ value }) => value)]} />
      {brokenNames.map((why) => (
        <p key={why} class="verdict no">
          <Icon name="warn" />
          {why}
        </p>
      ))}
    </>
  );
}

/** Returns the titles of the findings that have the same public key. */
const sameKey = (print: string, all: readonly Finding[]): readonly string[] =>
  all.flatMap((other) =>
    (other.kind === "certificate" || other.kind === "request") && other.view.keyPrint === print
      ? [other.view.title]
      : [],
  );

/** Content that is rendered only when it is expanded. */
function Unfolded({
  title,
  children,
}: {
  title: string;
  children: () => JSX.Element;
}): JSX.Element {
  const [open, unfold] = useState(false);
  return (
    <details class="pad" onToggle={(event) => unfold(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children()}
    </details>
  );
}

const Extended = ({ of, what }: { of: readonly Extension[]; what: string }): JSX.Element => (
  <details class="pad">
    <summary>
      {what} ({of.length})
    </summary>
    <Extensions of={of} />
  </details>
);

function CertificateFinding({
  view,
  verifications,
  actions,
}: {
  view: CertificateView;
  verifications: Inspection["verifications"];
  actions: ComponentChildren;
}): JSX.Element {
  const verification = verifications.get(view);
  const state = life(view, verification?.isRevoked === true, new Date());
  return (
    <section class="card" aria-label={`Certificate ${view.title}`}>
      <header>
        <Seal
          sha256={view.sha256}
          size={40}
          tone={verification?.standing === "refused" ? "danger" : view.selfIssued ? "root" : ""}
        />
        <h2 class="break">{view.title}</h2>
        <Badge>{view.authority ? "CA certificate" : "Certificate"}</Badge>
        <Remarks of={headline(state, verification)} />
        <span class="small muted end">{sizeText(view.der.length)}</span>
      </header>
      <SignatureRefused verification={verification} />
      <ChainDrawing view={view} verifications={verifications} />
      <CertificateFacts
        view={view}
        more={[
          ...(verification ? [["Verified", verification.why] as const] : []),
          ["Names", <NamesIn view={view} />],
          ["Ends", expiryText(state, distance(view.ends, new Date()))],
        ]}
      />
      {actions}
      <Unfolded title="Lints">{() => <CertificateLints der={view.der} />}</Unfolded>
      <Extended of={view.extensions} what="Extensions" />
      <Unfolded title="ASN.1">{() => <Asn1Tree der={view.der} />}</Unfolded>
      <details class="pad">
        <summary>PEM</summary>
        <Code text={view.pem} label="Certificate as PEM" />
      </details>
    </section>
  );
}

function RequestFinding({ view, all }: { view: CsrView; all: readonly Finding[] }): JSX.Element {
  const others = sameKey(view.keyPrint, all).filter((title) => title !== view.title);
  return (
    <section class="card" aria-label={`Request ${view.title}`}>
      <header>
        <h2 class="break">{view.title}</h2>
        <Badge>Certificate signing request</Badge>
        <span class="small muted end">{sizeText(view.der.length)}</span>
      </header>
      <Facts
        rows={[
          ["Subject", view.subject || "Empty"],
          ["Names", <NamesIn view={view} />],
          ["Key", view.key],
          ["Key fingerprint", <Digits of={view.keyPrint} />, true],
          [
            "Signature",
            <>
              {view.signature}{" "}
              <Badge tone={view.signed ? "ok" : "danger"} mark={view.signed ? "check" : "x"}>
                {view.signed ? "Signed by its own key" : "Not verified"}
              </Badge>
            </>,
          ],
          others.length > 0 && ["Same key as", others.join(", ")],
        ]}
      />
      <Extended of={view.extensions} what="Requested extensions" />
      <Unfolded title="ASN.1">{() => <Asn1Tree der={view.der} />}</Unfolded>
    </section>
  );
}

function KeyFinding({
  finding,
  all,
}: {
  finding: Extract<Finding, { kind: "key" | "public key" }>;
  all: readonly Finding[];
}): JSX.Element {
  const { kind, form, name, keyPrint, why } = finding;
  const matches = keyPrint ? sameKey(keyPrint, all) : [];
  return (
    <Card title={kind === "key" ? "Private key" : "Public key"} end={<Badge>{form}</Badge>}>
      <Facts
        rows={[
          name !== "" && ["Key", name],
          keyPrint !== "" && ["Key fingerprint", <Digits of={keyPrint} />, true],
          why !== "" && ["Problem", why],
        ]}
      />
      <div class="pad stack">
        {matches.length > 0 && (
          <div class="note">
            <Icon name="key" tone="ok" />
            <div>
              <b>Matches {matches.join(", ")}</b>
            </div>
          </div>
        )}
        {matches.length === 0 && keyPrint !== "" && (
          <p>No certificate or request on this page has this key.</p>
        )}
        {kind === "key" && (
          <p class="small muted">
            The key is not shown or stored, and is discarded when you leave this page.
          </p>
        )}
      </div>
    </Card>
  );
}

function LockedFinding({
  finding: { name, what },
  unlock,
}: {
  finding: Extract<Finding, { kind: "locked" }>;
  unlock: ((password: string) => void) | undefined;
}): JSX.Element {
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setTried(true);
    unlock?.(password);
  };
  return (
    <Card title={name} end={<Badge>{what}</Badge>}>
      <form class="pad stack close" onSubmit={submit} noValidate>
        <Text
          label="Password"
          type="password"
          first
          value={password}
          change={setPassword}
          error={tried ? "The password is wrong, or the encryption is not supported" : undefined}
        />
        <div class="actions">
          <Button kind="primary" submit disabled={!unlock}>
            Open
          </Button>
        </div>
        <p class="small muted">It is decrypted in your browser; nothing is sent.</p>
      </form>
    </Card>
  );
}
