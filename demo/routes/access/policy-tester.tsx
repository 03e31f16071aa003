import * as sys from "../../api/endpoints/sys.ts";
import { missingPermission } from "../../api/permissions.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Choice, Lines, Text } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Facts, Failure, Note } from "../../ui/page.tsx";
import type { TestPoliciesInput, TestPoliciesReply } from "../../../src/client/sys.ts";
import { testPolicies } from "./policy-calls.ts";
import { newPolicyText } from "./policy-text.ts";
import { place } from "../../lib/place.ts";
import { route } from "../../lib/route.ts";
import { namesIn } from "../../lib/settings.ts";
import { isTokenLike } from "../../lib/token-syntax.ts";
import { toText } from "../../lib/to-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { PolicyLinks } from "./policy-links.tsx";

type Capability = NonNullable<TestPoliciesInput["capability"]>;
const names: readonly Capability[] = [
  "update",
  "read",
  "list",
  "patch",
  "delete",
  "create",
  "sudo",
];
const capabilities = names.map((name) => [name, name] as const);
const means = [
  ["policies", "Policies by name"],
  ["token", "A token or an accessor"],
  ["draft", "An unsaved policy"],
] as const;

interface Query {
  readonly by: string;
  readonly policies: string;
  readonly token: string;
  readonly draft: string;
  readonly path: string;
  readonly capability: Capability;
}

/** Returns the API input for the form, or undefined while the form is incomplete. */
function questionOf(of: Query): TestPoliciesInput | undefined {
  const path = of.path.trim().replace(/^\/+(?:v1\/)?/, "");
  const token = of.token.trim();
  const subject =
    of.by === "policies"
      ? { policies: namesIn(of.policies) }
      : of.by === "draft"
        ? { policy: of.draft }
        : isTokenLike(token)
          ? { token }
          : { accessor: token };
  const whose = of.by === "policies" ? of.policies : of.by === "draft" ? of.draft : token;
  return path === "" || whose.trim() === ""
    ? undefined
    : { path, capability: of.capability, ...subject };
}
/** The form that shows which rule allows or denies a request, without sending the request. */
export function Tester(): JSX.Element {
  const [of, set] = useState<Query>(() => ({
    by: "policies",
    policies: route.get().query.get("policies") ?? "",
    token: "",
    draft: newPolicyText(place.get().mount),
    path: `${place.get().mount}/issue/web`,
    capability: "update",
  }));
  const [answer, show] = useState<TestPoliciesReply>();
  const [missing, miss] = useState(false);
  const act = useAct();
  const change = (changed: Partial<Query>): void => {
    set({ ...of, ...changed });
    show(undefined);
    miss(false);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const question = questionOf(of);
    show(undefined);
    miss(!question);
    act.run(async () => question && show(await testPolicies(question)));
  };
  return (
    <>
      <Card title="Would this request be allowed?">
        <form class="pad stack close" onSubmit={submit} noValidate>
          <CallerFields of={of} change={change} />
          <div class="pair">
            <Text
              label="Path"
              value={of.path}
              change={(path) => change({ path })}
              hint="As in a request, without /v1/."
              mono
            />
            <Choice
              label="Capability"
              value={of.capability}
              change={(capability) => change({ capability })}
              options={capabilities}
              hint="POST requires update; listing requires list."
            />
          </div>
          {missing && (
            <Note tone="warn" icon="warn">
              Enter a path and choose a caller.
            </Note>
          )}
          {act.error && <Failure error={act.error} />}
          <div class="actions">
            <Button
              kind="primary"
              submit
              lacks={missingPermission(sys.testPolicies)}
              busy={act.busy}
            >
              Test
            </Button>
          </div>
        </form>
      </Card>
      <div role="status">{answer && <Result answer={answer} />}</div>
    </>
  );
}

/** The fields for the caller of the tested request. */
function CallerFields({
  of,
  change,
}: {
  of: Query;
  change: (changed: Partial<Query>) => void;
}): JSX.Element {
  return (
    <>
      <Choice label="Evaluate" value={of.by} change={(by) => change({ by })} options={means} />
      {of.by === "policies" && (
        <Lines
          label="Policies"
          value={of.policies}
          change={(policies) => change({ policies })}
          rows={2}
          hint="Policy names, one per line."
          mono
        />
      )}
      {of.by === "token" && (
        <Text
          label="Token or accessor"
          type="password"
          value={of.token}
          change={(token) => change({ token })}
          hint="Sent only to this server and not stored."
        />
      )}
      {of.by === "draft" && (
        <Lines
          label="Policy text"
          value={of.draft}
          change={(draft) => change({ draft })}
          rows={8}
          mono
        />
      )}
    </>
  );
}

/** Formats a value in a rule: a list with commas, anything else as JSON. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map((one) => toText(one, "…")).join(", ") : JSON.stringify(value);

/** Returns the parameter restrictions of a rule that are set. */
const setMembers = (
  rule: TestPoliciesReply["rule"],
): readonly (readonly [name: string, text: string])[] =>
  Object.entries(rule ?? {})
    .filter(
      ([, value]) =>
        value !== 0 &&
        value !== null &&
        !(typeof value === "object" && Object.keys(value).length === 0),
    )
    .map(([name, value]) => [name, textOf(value)]);

function Result({ answer }: { answer: TestPoliciesReply }): JSX.Element {
  const reason = answer.reason.charAt(0).toUpperCase() + answer.reason.slice(1);
  return (
    <Card
      title={answer.granted ? "Would be allowed" : "Would be denied"}
      end={
        <Badge tone={answer.granted ? "ok" : "danger"} mark={answer.granted ? "check" : "ban"}>
          {answer.granted ? "Allowed" : "Denied"}
        </Badge>
      }
    >
      <Facts
        rows={[
          ["Why", `${visible(reason)}.`],
          answer.pattern !== null && ["Pattern", visible(answer.pattern), true],
          answer.decided_by.length > 0 && ["Decided by", <PolicyLinks names={answer.decided_by} />],
          ...setMembers(answer.rule).map(([name, text]) => [name, visible(text), true] as const),
          ["Policies", <PolicyLinks names={answer.policies} />],
          answer.missing.length > 0 && [
            "Missing policies",
            `${answer.missing.map(visible).join(", ")}: no such policy`,
          ],
        ]}
      />
    </Card>
  );
}
