import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { policyNameForm } from "../../../src/base/policy-name.ts";
import { visible } from "../../lib/visible-text.ts";
import { place } from "../../lib/place.ts";
import { namesIn, type SettingField } from "../../lib/settings.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Check, Lines } from "../../ui/field.tsx";
import { Note } from "../../ui/page.tsx";
import type { Control } from "../../ui/setting-fields.tsx";
import { mountPaths, policyNames } from "./policy-calls.ts";
import { policyPurpose } from "./policy-text.ts";

/**
 * Maximum number of policies that are offered as checkboxes. The user must type the names of
 * others.
 */
const maxOffered = 40;

interface Props {
  /** The chosen names, one per line. */
  value: string;
  change: (value: string) => void;
  error?: string | undefined;
  /** The hint of the field. If absent, a default is used. */
  hint?: string | undefined;
}

interface PolicyNames {
  readonly names: readonly string[];
  readonly mounts: readonly string[];
  /** Whether the list is complete. False if the token may not list the policies. */
  readonly isComplete: boolean;
}

async function readPolicyNames(): Promise<PolicyNames> {
  const [names, mounts] = await Promise.all([
    policyNames().catch(() => undefined),
    mountPaths().catch(() => [place.get().mount]),
  ]);
  return { names: names ?? [], mounts, isComplete: names !== undefined };
}

/** Returns the hint of a policy's checkbox. */
const purposeOf = (name: string, mounts: readonly string[]): string | undefined =>
  name === "default"
    ? `${policyPurpose(name, mounts)} Included even if not selected, unless turned off.`
    : policyPurpose(name, mounts);

/**
 * Checkboxes for existing policies, and a field for others. The policy `root` has no checkbox, so
 * that the user must type its name.
 */
export function PolicyChoice(props: Props): JSX.Element {
  const policies = useLoad(readPolicyNames, []).value;
  return policies ? (
    <Choices {...props} policies={policies} />
  ) : (
    <p class="muted">Loading the policies…</p>
  );
}

function Choices({
  value,
  change,
  error,
  hint,
  policies,
}: Props & { policies: PolicyNames }): JSX.Element {
  const offered = policies.names.filter((name) => name !== "root").slice(0, maxOffered);
  const chosen = namesIn(value).map(policyNameForm);
  const [lines, type] = useState(chosen.filter((name) => !offered.includes(name)).join("\n"));
  const put = (ticked: readonly string[], typed: string): void => {
    type(typed);
    change([...ticked, typed].filter((part) => part.trim() !== "").join("\n"));
  };
  const typedNames = namesIn(lines).map(policyNameForm);
  const ticked = offered.filter((name) => chosen.includes(name) && !typedNames.includes(name));
  const tick = (name: string, on: boolean): void =>
    on
      ? put([...ticked, name], lines)
      : put(
          ticked.filter((one) => one !== name),
          namesIn(lines)
            .filter((one) => policyNameForm(one) !== name)
            .join("\n"),
        );
  const missing = policies.isComplete
    ? chosen.filter((name) => name !== "root" && !policies.names.includes(name))
    : [];
  return (
    <>
      {offered.length > 0 && (
        <fieldset class="field">
          <legend>Policies</legend>
          <div class="flags">
            {offered.map((name) => (
              <Check
                key={name}
                label={visible(name)}
                hint={purposeOf(name, policies.mounts)}
                checked={chosen.includes(name)}
                change={(on) => tick(name, on)}
              />
            ))}
          </div>
        </fieldset>
      )}
      <Lines
        label={offered.length > 0 ? "Other policies" : "Policies"}
        value={lines}
        change={(typed) => put(ticked, typed)}
        rows={2}
        error={error}
        hint={hint ?? "One per line."}
        mono
      />
      {missing.length > 0 && (
        <Note tone="warn" icon="warn">
          <span role="status">
            {missing.map(visible).join(", ")}:{" "}
            {missing.length === 1 ? "this policy does not exist" : "these policies do not exist"},
            and {missing.length === 1 ? "grants" : "grant"} nothing until created.
          </span>
        </Note>
      )}
    </>
  );
}

/**
 * Returns the control for a setting that is a list of policies, or undefined for other settings.
 */
export const policyControl = (
  { kind, hint }: SettingField<string>,
  control: Control,
): JSX.Element | undefined =>
  kind === "policies" ? <PolicyChoice {...control} hint={hint} /> : undefined;
