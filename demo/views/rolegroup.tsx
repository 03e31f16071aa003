import type { JSX } from "preact";
import { Check, Choice, Lines, Text } from "../parts/field.tsx";
import type { groups, RoleField } from "../rolefields.ts";
import type { Values } from "../rolevalues.ts";
import { signerOf, type Signers } from "../signers.ts";
import { plain } from "../words.ts";

interface GroupProps {
  group: (typeof groups)[number];
  values: Values;
  errors: Readonly<Record<string, string>>;
  issuers: Signers;
  change: (field: string, value: string | boolean) => void;
}

export function Group({ group, ...rest }: GroupProps): JSX.Element {
  const flags = group.fields.filter(([, , control]) => control === "flag");
  const others = group.fields.filter(([, , control]) => control !== "flag");
  const body = (
    <div class="stack close">
      <div class={others.length > 1 ? "pair" : ""}>
        {others.map((field) => (
          <ControlOf key={field[0]} field={field} {...rest} />
        ))}
      </div>
      {flags.length > 0 && (
        <div class="flags">
          {flags.map((field) => (
            <ControlOf key={field[0]} field={field} {...rest} />
          ))}
        </div>
      )}
    </div>
  );
  return group.folded ? (
    <details>
      <summary>{group.title}</summary>
      {body}
    </details>
  ) : (
    <fieldset class="group">
      <legend>{group.title}</legend>
      {body}
    </fieldset>
  );
}

function ControlOf({
  field: [name, words, control],
  values,
  errors,
  issuers,
  change,
}: Omit<GroupProps, "group"> & { field: RoleField }): JSX.Element {
  const value = values[name];
  const set = (next: string | boolean): void => change(name, next);
  if (control === "flag")
    return (
      <Check
        label={
          <>
            {words} <code class="quiet">{name}</code>
          </>
        }
        checked={value === true}
        change={set}
      />
    );
  const shared = {
    value: plain(value),
    change: set,
    hint: <code>{name}</code>,
    error: errors[name],
    label: words,
  };
  if (control === "issuer") {
    const standard = shared.value === "default" && ` ${signerOf(issuers, shared.value)}`;
    const hint = (
      <>
        {shared.hint}
        {standard}
      </>
    );
    return <Choice {...shared} hint={hint} options={signers(issuers, shared.value)} />;
  }
  if (typeof control === "object")
    return <Choice {...shared} options={control.map((option) => [option, option] as const)} />;
  if (control === "lines") return <Lines {...shared} rows={2} />;
  return <Text {...shared} mono={control === "list" || control === "text"} />;
}

/**
 * Whom a role can be signed by; what it says now is among them, also when nothing has that name.
 */
function signers({ names }: Signers, now: string): readonly (readonly [string, string])[] {
  const known = [["default", "The default authority"] as const, ...names];
  return now === "" || known.some(([id]) => id === now) ? known : [...known, [now, now] as const];
}
