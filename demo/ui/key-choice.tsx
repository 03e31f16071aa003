import type { JSX } from "preact";
import { compatibilityNote, keyKinds, managedKinds } from "../lib/key-types.ts";
import { useUnsupportedKeys } from "../lib/supported-keys.ts";
import { usableKeys } from "../api/managed-keys.ts";
import { Choice } from "./field.tsx";
import { useLoad } from "../lib/use-load.ts";

/** The field for the type of a new key. It also offers the managed keys that the mount may use. */
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
  const cannot = useUnsupportedKeys();
  const names = (managed.value ?? []).map(({ name }) => name);
  const left = keyKinds.filter(([kind]) => cannot.has(kind)).map(([, words]) => words);
  return (
    <Choice
      label={label}
      value={value}
      change={change}
      hint={
        compatibilityNote(value) ||
        (left.length > 0 ? `This browser cannot generate ${left.join(" or ")} keys.` : undefined)
      }
      options={[...keyKinds.filter(([kind]) => !cannot.has(kind)), ...managedKinds(names)]}
    />
  );
}
