import type { JSX } from "preact";
import { compatibilityNote } from "../../lib/key-types.ts";
import { generationText, useUnsupportedKeys } from "../../lib/supported-keys.ts";
import { Choice } from "../../ui/field.tsx";
import { sizesOf } from "./role-values.ts";

/** The field for the key size of a role, with a note about generating such keys in this browser. */
export function KeySize({
  type,
  ...shared
}: { type: string } & Omit<Parameters<typeof Choice>[0], "options">): JSX.Element {
  const kind = `${type} ${shared.value || "0"}`;
  const making = generationText(kind, useUnsupportedKeys());
  const hint =
    compatibilityNote(kind) ||
    (making ? (
      <>
        {shared.hint} {making}
      </>
    ) : (
      shared.hint
    ));
  return <Choice {...shared} hint={hint} options={sizesOf(type, shared.value || "0")} />;
}
