import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  account,
  accountPage,
  setAccountStatus,
  type Account,
  type ListedAccount,
} from "./calls.ts";
import { directoryName } from "./directories.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Badge, type IconName } from "../../ui/icon.tsx";
import { Card, Empty, Facts, Failure, Ready } from "../../ui/page.tsx";
import { Pager, pageSize } from "../../ui/pager.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { address, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { date } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { Orders } from "./orders.tsx";
import { Moment } from "../../ui/life-state.tsx";

/** The list of ACME accounts, and the account that the URL specifies, if any. */
export function AcmeAccounts(): JSX.Element {
  const id = useStore(route, (value) => value.id.split("/")[1] ?? "");
  return (
    <>
      <AccountList />
      {id !== "" && <Opened key={id} id={id} />}
    </>
  );
}

function AccountList(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const [first, go] = useState(0);
  const result = useLoad(() => accountPage(first, pageSize), [turn, first]);
  const { count = 0, shown = [] } = result.value ?? {};
  const pager = count > pageSize && (
    <Pager first={first} shown={shown.length} count={count} what="accounts" go={go} />
  );
  return (
    <Card title="Accounts" footer={pager}>
      <Ready from={result}>
        {() =>
          shown.length === 0 ? (
            <Empty text="No accounts yet. ACME clients create their accounts themselves.">
              <ButtonLink to={address("acme")}>Set up a client</ButtonLink>
            </Empty>
          ) : (
            <table class="table cards" aria-label="Accounts">
              <Columns of={["Account", "Directory", ["Created", "mid-only"], "Status"]} />
              <tbody>
                {shown.map((one) => (
                  <AccountRow key={one.key_id} one={one} />
                ))}
              </tbody>
            </table>
          )
        }
      </Ready>
    </Card>
  );
}

const contactsOf = ({ contacts }: ListedAccount): string =>
  (contacts ?? []).map((contact) => visible(contact.replace(/^mailto:/, ""))).join(", ");

function AccountRow({ one }: { one: ListedAccount }): JSX.Element {
  const to = address("acme", `accounts/${one.key_id}`);
  return (
    <OpenRow to={to}>
      <td>
        <a href={to} class="mono">
          {visible(one.key_id)}
        </a>
        {contactsOf(one) && <span class="sub">{contactsOf(one)}</span>}
      </td>
      <td class="long full">{visible(directoryName(one.directory))}</td>
      <td class="mid-only nowrap">{date(new Date(one.created_time))}</td>
      <td>
        <Status of={one.status} />
      </td>
    </OpenRow>
  );
}

const statusMarks: Readonly<Record<string, readonly [tone: string, mark: IconName]>> = {
  valid: ["calm", "check"],
  revoked: ["danger", "ban"],
};

function Status({ of }: { of: string }): JSX.Element {
  const [tone, mark] = statusMarks[of] ?? ["", "x"];
  return (
    <Badge tone={tone} mark={mark}>
      {visible(of)}
    </Badge>
  );
}

function Opened({ id }: { id: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => account(id), [turn, id]);
  return (
    <>
      <Card title={`Account ${visible(id)}`}>
        <Ready from={result}>{(one) => <Details one={one} />}</Ready>
      </Card>
      <Orders title="Orders of this account" account={id} />
    </>
  );
}

function Details({ one }: { one: Account }): JSX.Element {
  const [asking, setAsking] = useState(false);
  const act = useAct();
  const allow = async (): Promise<void> => {
    const { warnings } = await setAccountStatus(one.key_id, "valid");
    announceChange();
    notify("Account reinstated", warnings);
  };
  const ended = one.revoked_time ? new Date(one.revoked_time) : undefined;
  return (
    <>
      <Facts
        rows={[
          ["Status", <Status of={one.status} />],
          ["Contacts", contactsOf(one) || "None"],
          ["Directory", visible(directoryName(one.directory))],
          ["Created", <Moment at={new Date(one.created_time)} />],
          ended !== undefined &&
            !Number.isNaN(ended.getTime()) &&
            ended.getTime() > 0 && ["Revoked", <Moment at={ended} />],
          ["Binding key", one.eab?.eab_id ? visible(one.eab.eab_id) : "Not bound", true],
        ]}
      />
      {act.error && <Failure error={act.error} />}
      <div class="pad actions">
        {one.status === "valid" && (
          <Button tiny kind="danger" press={() => setAsking(true)}>
            Revoke account…
          </Button>
        )}
        {one.status === "revoked" && (
          <Button tiny busy={act.busy} press={() => act.run(allow)}>
            Reinstate
          </Button>
        )}
        {one.status === "deactivated" && (
          <span class="small muted">Deactivated by its client. This is final.</span>
        )}
      </div>
      {asking && <RevokeAccount one={one} close={() => setAsking(false)} />}
    </>
  );
}

function RevokeAccount({ one, close }: { one: Account; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await setAccountStatus(one.key_id, "revoked");
    close();
    announceChange();
    notify("Account revoked", warnings);
  };
  return (
    <Confirm title="Revoke this account?" close={close} action="Revoke account" work={work}>
      <p>
        The account’s client can no longer order, renew or revoke certificates. Certificates already
        issued stay valid until they expire or are revoked individually.
      </p>
    </Confirm>
  );
}
