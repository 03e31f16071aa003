import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { authorities, crlOf, life, type Authority as Issuer } from "../authorities.ts";
import * as pki from "../pki.ts";
import { Button, save } from "../parts/button.tsx";
import { CertificateCard, Chain, Contents, sort } from "../parts/certificate.tsx";
import { Badge, Icon } from "../parts/icon.tsx";
import { Card, Empty, Facts, Failure, Heading, Ready } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { address, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { distance, fileName, instant } from "../words.ts";
import { DeleteIssuer } from "./deleteissuer.tsx";
import { Trust } from "./trust.tsx";

const roles: Readonly<Record<string, string>> = {
  "issuing-certificates": "signs certificates",
  "crl-signing": "signs CRLs",
  "ocsp-signing": "signs OCSP answers",
  "read-only": "",
};

/** One authority: card, chain, CRL, how to trust it. */
export function Authority(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const turn = useStore(pki.changes, (value) => value.turn);
  const all = useLoad(authorities, [turn]);
  const found = all.value?.find(({ record }) => record.issuer_id === id || record.issuer_name === id);
  return (
    <>
      <a class="back" href={address("overview")}>
        <Icon name="prev" />
        Overview
      </a>
      {!found && <Heading title="Authority" />}
      <Ready from={all}>
        {(value) =>
          found ? (
            <Shown one={found} all={value} />
          ) : (
            <div class="card">
              <Empty text="This mount has no such authority." />
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

function Shown({ one, all }: { one: Issuer; all: readonly Issuer[] }): JSX.Element {
  const { record, view } = one;
  const act = useAct();
  const [deleting, setDeleting] = useState(false);
  const above = ancestors(one, all);
  const standard = async (): Promise<void> => {
    await pki.setDefaultIssuer(record.issuer_id);
    pki.changed();
    toast(`${one.name} signs by default`);
  };
  const about = sort(view) + (view.selfIssued ? "" : ` from ${view.issuerTitle}`);
  const links = above.map((up) => ({ view: up.view, note: up.view.selfIssued ? "root" : "authority", to: address("authorities", up.record.issuer_id) }));
  return (
    <div class="split">
      <div class="stack">
        <CertificateCard
          view={view}
          state={life(view, record.revoked, new Date())}
          about={about}
          actions={<Actions one={one} standard={() => act.run(standard)} remove={() => setDeleting(true)} />}
        />
        {act.error && <Failure error={act.error} />}
        <Contents view={view} />
        <Trust root={above[0]?.view ?? view} />
      </div>
      <aside class="stack sticky" aria-label="Chain and revocation">
        <Card title="Chain" end={one.isDefault ? <Badge tone="accent">Default</Badge> : undefined}>
          <Chain links={[...links, { view, note: "this authority" }]} />
        </Card>
        <CrlCard one={one} />
        <Use record={record} />
      </aside>
      {deleting && <DeleteIssuer one={one} close={() => setDeleting(false)} />}
    </div>
  );
}

function Actions({ one, standard, remove }: { one: Issuer; standard: () => void; remove: () => void }): JSX.Element {
  const deletable = useLoad(() => pki.can("DELETE", "issuer/{issuer_ref}"), []).value === true;
  const file = fileName(one.name);
  const give = (name: string, type: string, content: BlobPart): void => {
    save(name, type, content);
    toast(`Saved ${name}`);
  };
  return (
    <>
      <Button kind="primary" icon="down" press={() => give(`${file}.pem`, "application/pem-certificate-chain", `${one.view.pem}\n`)}>
        Download
      </Button>
      <Button icon="down" press={() => give(`${file}.cer`, "application/pkix-cert", one.view.der)}>
        DER
      </Button>
      {!one.isDefault && one.record.key_id !== "" && <Button press={standard}>Make default</Button>}
      {deletable && (
        <Button kind="danger" press={remove}>
          Delete…
        </Button>
      )}
    </>
  );
}

const outliving: Readonly<Record<string, string>> = {
  err: "is refused",
  truncate: "ends with it",
  permit: "is issued",
  always_enforce_err: "is always refused",
};

function Use({ record }: { record: pki.IssuerRecord }): JSX.Element {
  const uses = record.usage.split(",").map((use) => roles[use] ?? use);
  return (
    <Card title="Use">
      <Facts
        rows={[
          ["Name", record.issuer_name || "None"],
          ["Reference", record.issuer_id, true],
          ["Key", record.key_id ? "In this mount, encrypted" : "Not here: it cannot sign"],
          ["May", uses.filter(Boolean).join(", ") || "Nothing"],
          ["A certificate that would outlive it", outliving[record.leaf_not_after_behavior] ?? record.leaf_not_after_behavior],
        ]}
      />
    </Card>
  );
}

function CrlCard({ one }: { one: Issuer }): JSX.Element {
  const turn = useStore(pki.changes, (value) => value.turn);
  const crl = useLoad(() => crlOf(one.record.issuer_id), [turn, one.record.issuer_id]);
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
                ["Entries", String(list.entries.length)],
                ["Number", list.number],
                ["Signed", instant(list.thisUpdate)],
                ["Next update", list.nextUpdate ? `${instant(list.nextUpdate)}, ${distance(list.nextUpdate, new Date())}` : "Not said"],
              ]}
            />
          ) : (
            <p class="pad muted">No list has been signed.</p>
          )
        }
      </Ready>
    </Card>
  );
}
