import { mayCallAny, missingPermission, useAcl } from "../../api/permissions.ts";
import {
  askOcsp,
  issue,
  listCerts,
  revoke,
  revokeWithKey,
  searchCerts,
  sign,
} from "../../api/endpoints/pki.ts";
import { can } from "../../api/openapi.ts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { authorities, crlOf } from "../../api/issuer-tree.ts";
import type { Authority } from "../../api/issuer.ts";
import { originOf } from "./serial-search.ts";
import { crlAddresses, type CertificateView } from "../../lib/x509/decode.ts";
import { LeaseNote } from "./lease-note.tsx";
import { forgetLeft, leftFilters } from "./scroll-restoration.ts";
import { lazyLoad } from "../../lib/lazy-load.ts";
import { lazy } from "../../ui/lazy.tsx";
import { shardIn } from "../../lib/crl-kinds.ts";
import { renewal } from "../../lib/renewal-link.ts";
import { reasonWords } from "../../lib/revocation-reasons.ts";
import { row, type Row } from "../../api/inventory.ts";
import { issuersIn } from "../../api/inventory-search.ts";
import { belowRevoked, displayedState, type Life } from "../../lib/lifetime.ts";
import { certificate } from "../../api/certificates.ts";
import { changes } from "../../lib/changes.ts";
import { usableRoles } from "../../api/roles.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CertificateCard, Chain, Contents, sort } from "../../ui/certificate-details.tsx";
import { Badge, type IconName } from "../../ui/icon.tsx";
import { lifeTone, Moment } from "../../ui/life-state.tsx";
import { Back, Card, Heading, Note, Ready } from "../../ui/page.tsx";
import { address, requestedDialog, route } from "../../lib/route.ts";
import { isForServer } from "../../lib/serving-host.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { fileName } from "../../lib/file-name.ts";
import { wasRenewal } from "../../lib/issued-roles.ts";
import type { RelatedCertificates } from "../../ui/issuer/related.tsx";
import type { ReadCertReply } from "../../../src/client/pki.ts";
import type { Verification } from "../../lib/inspection/verify-node.ts";

const dialogs = (): Promise<typeof import("../../ui/issuer/dialogs.ts")> =>
  import("../../ui/issuer/dialogs.ts");
const Download = lazy(async () => (await dialogs()).Download);
const Install = lazy(async () => (await dialogs()).Install);
const Related = lazy(async () => (await dialogs()).Related);
const Renew = lazy(async () => (await dialogs()).Renew);
const Revoke = lazy(async () => (await dialogs()).Revoke);
const LogEntry = lazy(async () => (await import("./log-entry.tsx")).LogEntry);

// the inspection view uses the same code
const verification = lazyLoad(() => import("../../ui/inspection/inspection.ts"));

interface CertificateContext {
  readonly row: Row;
  /** The role with which the certificate was issued; empty if unknown. */
  readonly role: string;
  /** The ACME account for which the certificate was issued; empty if there is none. */
  readonly account: string;
  /** The ID of the certificate's lease; empty if there is none. */
  readonly lease: string;
  /**
   * Whether the certificate belongs to an issuer in this mount. Such an issuer has its own view.
   */
  readonly isIssuer: boolean;
  /** Names of the existing roles. */
  readonly roles: readonly string[];
  /** The issuers of the mount. */
  readonly all: readonly Authority[];
  /** The chain of issuers, from the direct issuer to the root. */
  readonly issuers: readonly Authority[];
  /** A revoked CA above the certificate, if every path to a root contains a revoked CA. */
  readonly revokedAbove: Authority | undefined;
  /** The result of verifying the certificate with these issuers. */
  readonly verification: Verification | undefined;
  /** The response with the certificate, if it includes the log entry. */
  readonly logged: ReadCertReply | undefined;
}

/**
 * Reads a certificate and what the view shows about it, such as its role and the issuers in this
 * mount.
 */
async function find(serial: string): Promise<CertificateContext> {
  // `row` sends the same request as `certificate`, so both calls share one
  const [one, all, reply] = await Promise.all([
    row(serial, new Date()),
    authorities(),
    certificate(serial),
  ]);
  const issuers: Authority[] = [];
  const signersOf = (view: CertificateView): readonly Authority[] =>
    view.selfIssued
      ? []
      : all.filter(
          (authority) =>
            authority.view.subjectKeyId === view.authorityKeyId &&
            authority.view.subject === view.issuer,
        );
  for (let view = one.view; !view.selfIssued;) {
    const above = signersOf(view).find((authority) => !issuers.includes(authority));
    if (!above) break;
    issuers.push(above);
    view = above.view;
  }
  const direct = signersOf(one.view);
  const isDistrusted = ({ record, isBelowRevoked }: Authority): boolean =>
    record.revoked || isBelowRevoked;
  const revokedAbove = direct.every(isDistrusted)
    ? (issuers.find(({ record }) => record.revoked) ?? direct[0])
    : undefined;
  const views = issuers.map(({ view }) => view);
  const { verifyCertificates } = await verification();
  const verified = (await verifyCertificates([one.view], new Date(), { certificates: views })).get(
    one.view,
  );
  // A token that can read certificates might not be allowed to list roles. The renewal dialog loads
  // the roles again.
  const [{ role, account, lease }, roles] = one.view.authority
    ? [{ role: "", account: "", lease: "" }, []]
    : await Promise.all([originOf(one.serial), usableRoles().catch(() => [])]);
  const isIssuer = all.some(({ view: { serial: its } }) => its === one.serial);
  const logged = reply.log_index === undefined ? undefined : reply;
  return {
    row: one,
    role,
    account,
    lease,
    roles,
    isIssuer,
    all,
    issuers,
    revokedAbove,
    verification: verified,
    logged,
  };
}

/** The view of a certificate: its card, contents and chain, with downloads and revocation. */
export function Certificate(): JSX.Element {
  const serial = useStore(route, (value) => value.id);
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => find(serial), [serial, turn]);
  useEffect(
    () => () => {
      if (route.get().view !== "certificates") forgetLeft();
    },
    [],
  );
  useAcl();
  return (
    <>
      {mayCallAny([searchCerts, listCerts]) && (
        <Back to={address("certificates", "", leftFilters())}>Certificates</Back>
      )}
      {!result.value && <Heading title="Certificate" />}
      <Ready from={result}>{(value) => <Shown context={value} />}</Ready>
    </>
  );
}

/**
 * Returns the note on a CA in the chain. Set `served` if the certificate is for a TLS server, which
 * sends the chain to clients that have the root.
 */
function chainNote({ view, record }: Authority, served: boolean): string {
  const kind = view.selfIssued ? "root" : "intermediate";
  if (record.revoked)
    return view.selfIssued ? "root, revoked: remove it from clients" : "intermediate, revoked";
  if (!served) return kind;
  return `${kind}, ${view.selfIssued ? "install it in clients" : "sent by the server"}`;
}

const linkTo = (
  one: Authority,
  served: boolean,
): { view: CertificateView; note: string; to: string; tone: string } => ({
  view: one.view,
  note: chainNote(one, served),
  to: address("authorities", one.record.issuer_id),
  tone: one.record.revoked ? "danger" : "",
});

function Shown({ context }: { context: CertificateContext }): JSX.Element {
  const { row: shown, role, account, isIssuer, issuers, revokedAbove, verification } = context;
  const { view, revoked } = shown;
  const own = displayedState(shown.state, account !== "");
  const state = belowRevoked(own, revokedAbove !== undefined);
  const [dialog, setDialog] = useState<"" | "download" | "revoke" | "renew">("");
  const close = (): void => setDialog("");
  const revocable = !isIssuer && state !== "revoked";
  const lacks = missingPermission(revoke);
  const withKey = lacks !== "" && missingPermission(revokeWithKey) === "";
  const mayRevoke = revocable && (lacks === "" || withKey);
  useEffect(() => {
    if (requestedDialog() === "revoke" && mayRevoke) setDialog("revoke");
  }, []);
  const to = address("acme", `accounts/${account}`);
  const served = isForServer(view);
  const root = issuers.map((one) => one.view).find(({ selfIssued }) => selfIssued);
  const turn = useStore(changes, (value) => value.turn);
  const canQuery = useLoad(() => can(askOcsp), []).value !== false;
  const [{ next, last }, setRelated] = useState<Partial<RelatedCertificates>>({});
  const isRenewed = next !== undefined;
  // the files of a renewal must not replace those of the old certificate
  const isRenewal = last !== undefined || wasRenewal(view.serial);
  const file = fileName(view.title, isRenewal ? view.serial : "");
  const links = [...issuers].reverse().map((one) => linkTo(one, served));
  return (
    <div class="split">
      <div class="stack">
        <CertificateCard
          view={view}
          state={state}
          isRenewed={isRenewed}
          about={`${sort(view)} from ${view.issuerTitle}${role && `. Issued by the role ${role}`}`}
          actions={
            <>
              <Button kind="primary" icon="down" press={() => setDialog("download")}>
                Download…
              </Button>
              {canQuery && !view.selfIssued && (
                <ButtonLink to={address("revocation", "ocsp", { serial: view.serial })}>
                  Query OCSP
                </ButtonLink>
              )}
              {!view.authority && !(revoked && isRenewed) && (
                <RenewButton context={context} press={() => setDialog("renew")} />
              )}
              {revocable && (
                <Button
                  kind="danger"
                  lacks={withKey ? "" : lacks}
                  press={() => setDialog("revoke")}
                >
                  {withKey ? "Revoke with private key…" : "Revoke…"}
                </Button>
              )}
            </>
          }
        />
        {account !== "" && !revoked && (
          <Note>
            Issued through ACME: the ACME client renews it. <a href={to}>ACME account and orders</a>
          </Note>
        )}
        {context.lease !== "" && !revoked && <LeaseNote id={context.lease} />}
        {revoked && <Revoked since={revoked} view={view} issuer={issuers[0]} />}
        {state === "distrusted" && revokedAbove && <BelowRevoked of={revokedAbove} />}
        {!view.authority && (
          <Related view={view} issuers={issuersIn(context.all)} turn={turn} found={setRelated} />
        )}
        <Contents
          view={view}
          panels={
            served && state !== "distrusted" && state !== "revoked"
              ? [["Install", () => <Install view={view} root={root} file={file} />]]
              : []
          }
        />
      </div>
      <aside class="stack sticky" aria-label="Chain">
        <Card title="Chain" end={<ChainBadge verification={verification} state={state} />}>
          <Chain links={[...links, { view, note: "this certificate", tone: lifeTone(state) }]} />
        </Card>
        {context.logged && <LogEntry reply={context.logged} der={view.der} />}
      </aside>
      {dialog === "renew" && <Renew role={role} view={view} close={close} />}
      {dialog === "download" && (
        <Download view={view} issuers={issuers.map((one) => one.view)} file={file} close={close} />
      )}
      {dialog === "revoke" && (
        <Revoke view={view} withKey={withKey} isRenewed={isRenewed} close={close} />
      )}
    </div>
  );
}

/** The button that opens the renewal form, or asks for the role if the role is unknown. */
function RenewButton({
  context: { row: shown, role, roles },
  press,
}: {
  context: CertificateContext;
  press: () => void;
}): JSX.Element {
  if (roles.includes(role)) return <ButtonLink to={renewal(role, shown.view)}>Renew</ButtonLink>;
  const lacks = mayCallAny([issue, sign]) ? "" : missingPermission(issue, { role: "any-role" });
  return (
    <Button lacks={lacks} press={press}>
      Renew…
    </Button>
  );
}

/** The notice about a revoked CA above a certificate. */
const BelowRevoked = ({ of: { record, name, view } }: { of: Authority }): JSX.Element => (
  <Note tone="danger" icon="warn">
    <b>
      Its CA <a href={address("authorities", record.issuer_id)}>{name}</a> is revoked
    </b>
    <p class="small">
      {view.selfIssued
        ? "A root is not listed in any CRL: every client that trusts this root still accepts this certificate. Install another root in these clients, issue the certificate again below that root, then remove the revoked root from the clients."
        : "Clients that check CRLs or OCSP for CAs reject this certificate; others still accept it. Issue it again with another CA, then revoke this one."}
    </p>
  </Note>
);

/** The time and the reason of a revocation. Only the issuer's CRL contains the reason. */
function Revoked({
  since,
  view,
  issuer,
}: {
  since: Date;
  view: CertificateView;
  issuer: Authority | undefined;
}): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const list = useLoad(async () => {
    if (!issuer) return undefined;
    const { issuer_id: id } = issuer.record;
    return (await crlOf(id)) ?? crlOf(id, shardIn(crlAddresses(view)));
  }, [issuer?.record.issuer_id, turn]);
  const entry = list.value?.entries.find(view.serial);
  return (
    <Note tone="danger" icon="warn">
      <b>
        Revoked <Moment at={since} />
        {entry?.reason && `: ${reasonWords(entry.reason)}`}
      </b>
      <p class="small">
        {entry || list.value === undefined ? "Published in" : "Not yet in"}{" "}
        {issuer ? (
          <a href={address("revocation", issuer.record.issuer_id)}>the CRL of {view.issuerTitle}</a>
        ) : (
          `the CRL of ${view.issuerTitle}`
        )}
        .
      </p>
    </Note>
  );
}

/**
 * Returns the state of the chain, which depends on its signatures and on the state of the
 * certificate.
 */
function chainState(
  verification: Verification | undefined,
  state: Life,
): readonly [tone: string, mark: IconName, text: string] {
  const standing = verification?.standing ?? "unknown";
  if (state === "revoked") return ["danger", "ban", "Revoked"];
  if (state === "distrusted") return ["danger", "ban", "CA revoked"];
  if (standing === "chain" || standing === "self") return ["ok", "check", "Complete"];
  if (standing === "refused") return ["danger", "x", verification?.text ?? ""];
  return [
    "warn",
    "warn",
    standing === "stale" ? (verification?.text ?? "") : "Issuer not in this mount",
  ];
}

function ChainBadge({
  verification,
  state,
}: {
  verification: Verification | undefined;
  state: Life;
}): JSX.Element {
  const [tone, mark, text] = chainState(verification, state);
  return (
    <Badge tone={tone} mark={mark}>
      {text}
    </Badge>
  );
}
