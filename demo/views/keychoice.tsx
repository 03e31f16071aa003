import type { JSX } from "preact";
import { keyKinds, managedKinds } from "../keys.ts";
import { usableKeys } from "../managed.ts";
import { Choice } from "../parts/field.tsx";
import { useLoad } from "../store.ts";

/** The kinds of keys that can be made, and the managed ones that the mount may use. */
export function KeyChoice({
  label = "Key",
  value,
  change,
}: {
  label?: string;
  value: string;
  change: (kind: string) => void;
}): JSX.Element {
  const managed = useLoad(usableKeys, []);
  const names = (managed.value ?? []).map(({ name }) => name);
  return (
    <Choice
      label={label}
      value={value}
      change={change}
      options={[...keyKinds, ...managedKinds(names)]}
    />
  );
}
