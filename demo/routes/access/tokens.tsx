import { missingPermission } from "../../api/permissions.ts";
import * as auth from "../../api/endpoints/auth.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { AuthReply } from "../../../src/client/auth.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Moment } from "../../ui/life-state.tsx";
import { Card, Empty, Failure, Ready } from "../../ui/page.tsx";
import { Pager, pageSize } from "../../ui/pager.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import { address, open, route } from "../../lib/route.ts";
import { cachedSelf, tokenOwner, type Self } from "../../api/token-self.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { lookUp, tokenPage } from "./token-calls.ts";
import { visible } from "../../lib/visible-text.ts";
import { NewTokenForm, NewTokenSecret } from "./new-token.tsx";
import { OpenToken, TokenCard } from "./token.tsx";
import { Ending } from "./token-facts.tsx";

/** The list of tokens, or the token whose accessor is in the URL. */
export function Tokens(): JSX.Element {
  const id = useStore(route, (value) => value.id.split("/")[1] ?? "");
  if (id !== "") return <OpenToken key={id} accessor={id} />;
  return (
    <>
      <LookUp />
      <TokenList />
    </>
  );
}

/**
 * The form that looks up a token by its value or its accessor. A token value is never written into
 * the URL.
 */
function LookUp(): JSX.Element {
  const [text, type] = useState("");
  const [self, find] = useState<Self>();
  const act = useAct();
  const submit = (event: Event): void => {
    event.preventDefault();
    find(undefined);
    if (text.trim() === "") return;
    act.run(async () => {
      const token = await lookUp(text);
      type("");
      if (token.accessor) open(address("access", `tokens/${token.accessor}`));
      else find(token);
    });
  };
  return (
    <>
      <Card title="Look up a token">
        <form class="pad stack close" onSubmit={submit} noValidate>
          <Text
            label="Token or accessor"
            type="password"
            value={text}
            change={type}
            hint="Sent only to this server and not stored."
          />
          {act.error && <Failure error={act.error} />}
          <div class="actions">
            <Button
              submit
              lacks={missingPermission(auth.lookupAccessor) && missingPermission(auth.lookupToken)}
              busy={act.busy}
            >
              Look up
            </Button>
          </div>
        </form>
      </Card>
      {self && <TokenCard of={self} />}
    </>
  );
}

function TokenList(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const [first, go] = useState(0);
  const result = useLoad(() => tokenPage(first, pageSize), [turn, first]);
  const [making, make] = useState<"" | "form" | { auth: AuthReply; warnings: readonly string[] }>(
    "",
  );
  const { count = 0, shown = [] } = result.value ?? {};
  const close = (): void => make("");
  return (
    <Card
      title="Tokens"
      end={
        <Button
          tiny
          icon="plus"
          lacks={missingPermission(auth.createToken)}
          press={() => make("form")}
        >
          New token
        </Button>
      }
      footer={
        count > pageSize && (
          <Pager first={first} shown={shown.length} count={count} what="tokens" go={go} />
        )
      }
    >
      <Ready from={result}>
        {() => (shown.length === 0 ? <Empty text="No stored tokens." /> : <Table of={shown} />)}
      </Ready>
      {making === "form" && (
        <NewTokenForm close={close} onCreated={(auth, warnings) => make({ auth, warnings })} />
      )}
      {typeof making === "object" && <NewTokenSecret {...making} close={close} />}
    </Card>
  );
}

function Table({ of }: { of: readonly Self[] }): JSX.Element {
  const own = useStore(tokenOwner, cachedSelf)?.accessor;
  return (
    <table class="table cards" aria-label="Tokens">
      <Columns of={["Token", "Policies", "Created", "Expires"]} />
      <tbody>
        {of.map((one) => {
          const to = address("access", `tokens/${one.accessor}`);
          return (
            <OpenRow key={one.accessor} to={to}>
              <td class="long full">
                <a href={to}>{visible(one.display_name) || "Unnamed"}</a>{" "}
                {one.accessor === own && <Badge tone="accent">Your token</Badge>}
                <span class="sub mono">{visible(one.accessor)}</span>
              </td>
              <td class="long full" data-label="Policies">
                {one.policies.map(visible).join(", ") || "None"}
              </td>
              <td class="full" data-label="Created">
                {one.creation_time > 0 ? (
                  <Moment at={new Date(one.creation_time * 1000)} />
                ) : (
                  "Unknown"
                )}
              </td>
              <td class="full" data-label="Expires">
                <Ending of={one} />
              </td>
            </OpenRow>
          );
        })}
      </tbody>
    </table>
  );
}
