import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Back, Card, Facts, Failure, Ready } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { address, redirect } from "../../lib/route.ts";
import type { Self } from "../../api/token-self.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { renewToken, revokeToken, tokenBy } from "./token-calls.ts";
import { lasting } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { reportRenewal } from "./report-renewal.ts";
import { PolicyLinks } from "./policy-links.tsx";
import { Ending } from "./token-facts.tsx";
import { Moment } from "../../ui/life-state.tsx";

/** The view of the token with this accessor. */
export function OpenToken({ accessor }: { accessor: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => tokenBy(accessor), [turn]);
  return (
    <>
      <Back to={address("access", "tokens")}>Tokens</Back>
      <Ready from={result}>{(token) => <TokenCard of={token} />}</Ready>
    </>
  );
}

/** The properties of a token, and the actions that the user can take. */
export function TokenCard({ of }: { of: Self }): JSX.Element {
  const [asking, setAsking] = useState(false);
  const act = useAct();
  const renew = async (): Promise<void> => reportRenewal(await renewToken(of.accessor));
  return (
    <Card title={visible(of.display_name) || "Token"}>
      <TokenFacts of={of} />
      {act.error && <Failure error={act.error} />}
      {of.accessor === "" ? (
        <p class="pad small muted">
          A batch token is not stored, so it cannot be renewed or revoked. It is valid until it
          expires.
        </p>
      ) : (
        <div class="pad actions">
          {of.renewable && (
            <Button tiny busy={act.busy} press={() => act.run(renew)}>
              Renew
            </Button>
          )}
          <Button tiny kind="danger" press={() => setAsking(true)}>
            Revoke…
          </Button>
        </div>
      )}
      {asking && <Revoke of={of} close={() => setAsking(false)} />}
    </Card>
  );
}

function TokenFacts({ of }: { of: Self }): JSX.Element {
  const meta = Object.entries(of.meta ?? {});
  return (
    <Facts
      rows={[
        ["Policies", <PolicyLinks names={of.policies} />],
        !!of.identity_policies?.length && [
          "Entity policies",
          <PolicyLinks names={of.identity_policies} />,
        ],
        ["Expires", <Ending of={of} />],
        of.explicit_max_ttl > 0 && ["Maximum lifetime", lasting(of.explicit_max_ttl)],
        ["Uses left", of.num_uses > 0 ? String(of.num_uses) : "Not limited"],
        of.creation_time > 0 && ["Created", <Moment at={new Date(of.creation_time * 1000)} />],
        ["Creation path", visible(of.path), true],
        !!of.role && ["Role", visible(of.role), true],
        !!of.bound_cidrs?.length && [
          "Allowed networks",
          of.bound_cidrs.map(visible).join(", "),
          true,
        ],
        meta.length > 0 && [
          "Metadata",
          meta.map(([name, value]) => `${visible(name)}=${visible(value)}`).join(", "),
        ],
        ["Kind", `${visible(of.type)}${of.orphan ? ", orphan" : ""}`],
        of.accessor !== "" && ["Accessor", visible(of.accessor), true],
        of.entity_id !== "" && ["Entity", visible(of.entity_id), true],
      ]}
    />
  );
}

function Revoke({ of, close }: { of: Self; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await revokeToken(of.accessor);
    redirect(address("access", "tokens"));
    announceChange();
    notify("Token revoked", warnings);
  };
  return (
    <Confirm
      title="Revoke this token?"
      writes="all mounts"
      close={close}
      action="Revoke token"
      work={work}
    >
      <p>
        <b>{visible(of.display_name) || "The token"}</b> with accessor{" "}
        <code class="break">{visible(of.accessor)}</code> will be revoked at once, with every token
        created from it except orphans. Their leases will be revoked too, with the certificates
        issued under them.
      </p>
    </Confirm>
  );
}
