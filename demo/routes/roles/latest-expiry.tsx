import type { ComponentChildren, JSX } from "preact";
import { Choice, Text } from "../../ui/field.tsx";
import { latestRules } from "./role-values.ts";
import { day } from "../../lib/time-text.ts";

/** The field for the latest expiry that a request can set: a rule or a fixed time. */
export function Latest({
  label,
  value,
  change,
  hint,
  error,
}: {
  label: string;
  value: string;
  change: (value: string) => void;
  hint?: ComponentChildren;
  error?: string | undefined;
}): JSX.Element {
  const timed = !latestRules.some(([rule]) => rule === value);
  const inAYear = (): string =>
    `${new Date(Date.now() + 365 * day).toISOString().slice(0, 10)}T00:00:00Z`;
  return (
    <div class="stack close">
      <Choice
        label={label}
        value={timed ? "time" : value}
        change={(rule) => change(rule === "time" ? inAYear() : rule)}
        options={[...latestRules, ["time", "Up to a fixed time"]]}
        hint={hint}
      />
      {timed && <Text label="Latest expiry" value={value} change={change} mono error={error} />}
    </div>
  );
}
