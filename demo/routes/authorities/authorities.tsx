import { missingPermission } from "../../api/permissions.ts";
import {
  generateIntermediate,
  generateIntermediateFromKey,
  generateRoot,
  patchIssuer,
  revokeIssuer,
  signIntermediate,
  writeIssuersConfig,
} from "../../api/endpoints/pki.ts";
import { can } from "../../api/openapi.ts";
import { maySignAuthorities } from "../../api/path-length.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { stateOf, type Authority as Issuer } from "../../api/issuer.ts";
import { successorOf } from "../../api/issuer-uses.ts";
import { authorities, listedCrl } from "../../api/issuer-tree.ts";
import { lazy } from "../../ui/lazy.tsx";
import { changes, announceChange } from "../../lib/changes.ts";
import * as roleCalls from "../../api/roles.ts";
import { setDefaultIssuer } from "../../api/issuers.ts";
import { Button } from "../../ui/button.tsx";
import { CertificateCard, Chain, Contents, sort } from "../../ui/certificate-details.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Badge } from "../../ui/icon.tsx";
import { numeral } from "../../ui/pager.tsx";
import { Back, Card, Empty, Facts, Failure, Heading, Note, Ready } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { address, refine, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { distance, instant } from "../../lib/time-text.ts";
import { Constraints } from "../../ui/issuer/constraints.tsx";
import { FirstRole } from "./first-role.tsx";
import { CreateIssuingCa } from "../../ui/issuer/create-issuing-ca.tsx";
import { Trust } from "../../ui/issuer/trust.tsx";
import { signingKinds } from "./signing-kinds.ts";
import { Moment } from "../../ui/life-state.tsx";
import { sameKeyIssuers, Use } from "./use-card.tsx";

const Timeline = lazy(async () => (await import("./timeline.tsx")).Timeline);
const RolesOf = lazy(async () => (await import("./issued-certificates.tsx")).RolesOf);
const CertificatesOf = lazy(async () => (await import("./issued-certificates.tsx")).CertificatesOf);
const dialogs = (): Promise<typeof import("../../ui/issuer/dialogs.ts")> =>
  import("../../ui/issuer/dialogs.ts");
const CrossSign = lazy(async () => (await dialogs()).CrossSign);
const DeleteIssuer = lazy(async () => (await dialogs()).DeleteIssuer);
const Download = lazy(async () => (await dialogs()).Download);
const ResponderCard = lazy(async () => (await import("./responder.tsx")).ResponderCard);
const ownDialogs = (): Promise<typeof import("./dialogs.ts")> => import("./dialogs.ts");
const AddAuthority = lazy<{ all: readonly Issuer[]; signer: string; close: () => void }>(
  async () => (await import("../../ui/issuer/add-issuer.tsx")).AddAuthority,
);
const RevokeIssuer = lazy(async () => (await ownDialogs()).RevokeIssuer);
const SignCsr = lazy(async () => (await ownDialogs()).SignCsr);
const Successor = lazy(async () => (await ownDialogs()).Successor);
const EditIssuer = lazy(async () => (await dialogs()).EditIssuer);

/** The view of a CA: its properties, chain and CRL, and how to trust it. */
export function Authority(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const turn = useStore(changes, (value) => value.turn);
  const all = useLoad(authorities, [turn]);
  const match = all.value?.find(
    ({ record, isDefault }) =>
      record.issuer_id === id || record.issuer_name === id || (isDefault && id === "default"),
  );
  return (
    <>
      <Back to={address("overview")}>Overview</Back>
      {!match && <Heading title="Authority" />}
      <Ready from={all}>
        {(value) =>
          match ? (
            <Shown key={match.record.issuer_id} one={match} all={value} />
          ) : (
            <div class="card">
              <Empty text="There is no such authority in this mount." />
            </div>
          )
        }
      </Ready>
    </>
  );
}

function ancestors(one: Issuer, all: readonly Issuer[]): readonly Issuer[] {
  const above = all.find(({ record }) => record.issuer_id === one.parent);
  return above ? [...ancestors(above, all), above] : [];
}

/** The name of the open dialog; "" if none is open. */
type OpenDialog =
  | ""
  | "below"
  | "default"
  | "download"
  | "delete"
  | "edit"
  | "cross"
  | "revoke"
  | "sign"
  | "successor";

function Shown({ one, all }: { one: Issuer; all: readonly Issuer[] }): JSX.Element {
  const { record, view } = one;
  const act = useAct();
  const action = useStore(route, (value) => value.query.get("action"));
  const [opened, setDialog] = useState<OpenDialog>("");
  // a link can open a dialog of this view
  const requested = action === "successor" || action === "edit" ? action : "";
  const dialog = opened || requested;
  const close = (): void => {
    setDialog("");
    // Remove the action from the URL, because a reload would open the dialog again.
    if (action) refine({});
  };
  const turn = useStore(changes, (value) => value.turn);
  const roles = useLoad(roleCalls.roles, [turn]);
  const above = ancestors(one, all);
  const standard = async (): Promise<void> => {
    const { warnings } = await setDefaultIssuer(record.issuer_id);
    close();
    announceChange();
    notify(`${one.name} is the default issuer`, warnings);
  };
  const about = sort(view) + (view.selfIssued ? "" : ` from ${view.issuerTitle}`);
  const links = above.map((up) => ({
    view: up.view,
    note: `${up.view.selfIssued ? "root" : "authority"}${up.record.revoked ? ", revoked" : ""}`,
    tone: up.record.revoked ? "danger" : "",
    to: address("authorities", up.record.issuer_id),
  }));
  return (
    <div class="split">
      <div class="stack">
        <CertificateCard
          view={view}
          state={stateOf(one, new Date())}
          about={about}
          actions={
            <Actions
              one={one}
              all={all}
              standard={() => (view.selfIssued ? setDialog("default") : act.run(standard))}
              openDialog={setDialog}
            />
          }
        />
        {act.error && <Failure error={act.error} />}
        {maySignAuthorities(one) && <CreateIssuingCa all={all} create={() => setDialog("below")} />}
        <FirstRole one={one} all={all} of={roles.value} />
        <TrustCard root={above[0] ?? one} isOwn={above.length === 0} />
        <Timeline one={one} all={all} roles={roles.value ?? []} />
        <RolesOf one={one} of={roles} />
        <CertificatesOf one={one} all={all} />
        <Contents view={view} />
      </div>
      <aside class="stack sticky" aria-label="Chain and revocation">
        <Card title="Chain" end={one.isDefault ? <Badge tone="accent">Default</Badge> : undefined}>
          <Chain links={[...links, { view, note: "this authority" }]} />
        </Card>
        <Constraints view={view} />
        <CrlCard one={one} />
        <Use record={record} twins={sameKeyIssuers(one, all)} />
        <ResponderCard one={one} />
      </aside>
      {dialog === "download" && (
        <Download view={view} issuers={above.map((up) => up.view)} close={close} />
      )}
      {dialog === "delete" && <DeleteIssuer one={one} close={close} />}
      {dialog === "edit" && (
        <EditIssuer one={one} all={all} close={close} drop={() => setDialog("delete")} />
      )}
      {dialog === "cross" && <CrossSign one={one} all={all} close={close} />}
      {dialog === "revoke" && (
        <RevokeIssuer one={one} all={all} roles={roles.value} close={close} />
      )}
      {dialog === "default" && (
        <Confirm
          title={`Make ${one.name} the default issuer?`}
          close={close}
          action="Make default"
          work={standard}
        >
          <p>
            This root then signs for all roles and requests that specify no issuer, so its key
            cannot be kept offline.
          </p>
        </Confirm>
      )}
      {dialog === "below" && <AddAuthority all={all} signer={record.issuer_id} close={close} />}
      {dialog === "sign" && <SignCsr one={one} close={close} />}
      {dialog === "successor" && (
        <Successor one={one} all={all} roles={roles.value ?? []} close={close} />
      )}
    </div>
  );
}

/**
 * The steps to trust a root, or the notice that clients must stop trusting it. Set `isOwn` on the
 * page of the root itself.
 */
const TrustCard = ({
  root: { record, view },
  isOwn,
}: {
  root: Issuer;
  isOwn: boolean;
}): JSX.Element =>
  record.revoked ? (
    <Note tone="danger" icon="warn">
      <b>The root {view.title} is revoked</b>
      <p class="small">
        A root is not listed in any CRL. Every client that trusts this root still accepts all
        certificates below it, whatever this server says. Remove the root from the systems, browsers
        and programs where it was installed, and install another root there. Then issue the
        certificates again below the new root.
      </p>
    </Note>
  ) : (
    <Card title={isOwn ? "Trust this root" : `Trust the root ${view.title}`}>
      <Trust root={view} />
    </Card>
  );

function Actions({
  one,
  all,
  standard,
  openDialog,
}: {
  one: Issuer;
  all: readonly Issuer[];
  standard: () => void;
  openDialog: (dialog: OpenDialog) => void;
}): JSX.Element {
  const may = useLoad(() => Promise.all([can(patchIssuer), can(generateIntermediateFromKey)]), []);
  // Until this is known, assume that the server supports both, as current servers do, so that the
  // buttons rarely move.
  const [changeable = true, signable = true] = may.value ?? [];
  const kinds = signingKinds(one);
  const replaceable = stateOf(one, new Date()) !== "valid" && !successorOf(one, all);
  const { issuer_id: id } = one.record;
  return (
    <div class={may.value ? "joined" : "joined unsettled"}>
      {replaceable && <Replace one={one} kind="primary" press={() => openDialog("successor")} />}
      <Button kind={replaceable ? "" : "primary"} icon="down" press={() => openDialog("download")}>
        Download…
      </Button>
      {!one.isDefault && one.record.key_id !== "" && !one.record.revoked && (
        <Button lacks={missingPermission(writeIssuersConfig)} press={standard}>
          Make default
        </Button>
      )}
      {changeable && (
        <Button
          lacks={missingPermission(patchIssuer, { issuer_ref: id })}
          press={() => openDialog("edit")}
        >
          Change…
        </Button>
      )}
      {signable && one.record.key_id !== "" && !one.record.revoked && (
        <Button
          lacks={missingPermission(generateIntermediateFromKey)}
          press={() => openDialog("cross")}
        >
          Cross-sign…
        </Button>
      )}
      {(kinds.length > 0 || maySignAuthorities(one)) && (
        <Button
          lacks={kinds.length === 0 ? missingPermission(signIntermediate, { issuer_ref: id }) : ""}
          press={() => openDialog("sign")}
        >
          Sign a CSR…
        </Button>
      )}
      {maySignAuthorities(one) && (
        <Button
          lacks={missingPermission(signIntermediate, { issuer_ref: id })}
          press={() => openDialog("below")}
        >
          Create a CA below this one…
        </Button>
      )}
      {!replaceable && <Replace one={one} kind="" press={() => openDialog("successor")} />}
      {!one.record.revoked && (
        <Button
          kind="danger"
          lacks={missingPermission(revokeIssuer, { issuer_ref: id })}
          press={() => openDialog("revoke")}
        >
          Revoke…
        </Button>
      )}
    </div>
  );
}

/** The button that opens the dialog for creating a CA's successor. */
const Replace = ({
  one,
  kind,
  press,
}: {
  one: Issuer;
  kind: "primary" | "";
  press: () => void;
}): JSX.Element => (
  <Button
    kind={kind}
    lacks={
      one.view.selfIssued
        ? missingPermission(generateRoot, { exported: "internal" })
        : missingPermission(generateIntermediate, { exported: "internal" })
    }
    press={press}
  >
    Create successor…
  </Button>
);

function CrlCard({ one }: { one: Issuer }): JSX.Element {
  const crl = useLoad(async () => (await listedCrl(one, "")) ?? null, [one]);
  return (
    <Card
      title="CRL"
      end={
        <a class="small" href={address("revocation", one.record.issuer_id)}>
          Open
        </a>
      }
    >
      <Ready from={crl}>
        {(list) =>
          list ? (
            <Facts
              rows={[
                ["Entries", numeral(list.entries)],
                ["Number", list.number],
                ["Signed", <Moment at={list.thisUpdate} />],
                [
                  "Next update",
                  list.nextUpdate
                    ? `${instant(list.nextUpdate)}, ${distance(list.nextUpdate, new Date())}`
                    : "Not set",
                ],
              ]}
            />
          ) : (
            <p class="pad muted">There is no complete CRL.</p>
          )
        }
      </Ready>
    </Card>
  );
}
