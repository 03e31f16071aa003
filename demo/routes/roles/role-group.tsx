import type { ComponentChildren, JSX } from "preact";
import { useApiNames } from "../../ui/api-names.tsx";
import { Chips } from "./chips.tsx";
import { DurationField } from "../../ui/duration-field.tsx";
import { Check, Choice, Lines, Text } from "../../ui/field.tsx";
import type { RoleField, RoleGroup } from "./fields.ts";
import type { Values } from "./role-values.ts";
import { wrongGlob } from "./role-risks.ts";
import { signerOf, type Signers } from "../../api/role-issuers.ts";
import { toText } from "../../lib/to-text.ts";
import { KeySize } from "./key-size.tsx";
import { Latest } from "./latest-expiry.tsx";

interface GroupProps {
  group: RoleGroup;
  values: Values;
  errors: Readonly<Record<string, string>>;
  issuers: Signers;
  change: (field: string, value: string | boolean) => void;
}

/** Reports whether a field is as wide as the form, because it has several checkboxes. */
const isWide = ([, , control]: RoleField): boolean =>
  typeof control === "object" && control.many === true;

export function Group({ group, ...rest }: GroupProps): JSX.Element {
  const renderFields = (fields: readonly RoleField[]): readonly JSX.Element[] =>
    fields.map((field) => <ControlOf key={field[0]} field={field} {...rest} />);
  const flags = group.fields.filter(([, , control]) => control === "flag");
  const others = group.fields.filter((field) => field[2] !== "flag" && !isWide(field));
  const body = (
    <div class="stack close">
      {others.length > 0 && (
        <div class={others.length > 1 ? "pair" : ""}>{renderFields(others)}</div>
      )}
      {flags.length > 0 && <div class="flags">{renderFields(flags)}</div>}
      {renderFields(group.fields.filter(isWide))}
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

/** The hint of a field, and its API name if API names are shown. */
function Hint({ name, children }: { name: string; children?: ComponentChildren }): JSX.Element {
  const named = useApiNames();
  return (
    <>
      {children}
      {children && named && " "}
      {named && <code class="break">{name}</code>}
    </>
  );
}

/** The hint of the domains, and a warning if one of them allows no name. */
function DomainHint({
  values,
  children,
}: {
  values: Values;
  children: ComponentChildren;
}): JSX.Element {
  const warning = wrongGlob(values);
  return (
    <>
      {children}
      {warning && <span class="tone-warn"> {warning}</span>}
    </>
  );
}

function ControlOf({
  field,
  values,
  errors,
  issuers,
  change,
}: Omit<GroupProps, "group"> & { field: RoleField }): JSX.Element {
  const [name, words, control, about] = field;
  const named = useApiNames();
  const value = values[name];
  const set = (next: string | boolean): void => change(name, next);
  const hint = (more?: string | false): JSX.Element | undefined =>
    about || more || named ? (
      <Hint name={name}>{[about, more].filter(Boolean).join(" ")}</Hint>
    ) : undefined;
  if (control === "flag")
    return <Check label={words} checked={value === true} change={set} hint={hint()} />;
  const shared = {
    value: toText(value),
    change: set,
    hint: hint(),
    error: errors[name],
    label: words,
  };
  if (control === "issuer") {
    const standard = shared.value === "default" && `Currently ${signerOf(issuers, shared.value)}.`;
    // a role can reference its issuer by name or by ID
    const id = issuers.ids.get(shared.value) ?? shared.value;
    return <Choice {...shared} value={id} hint={hint(standard)} options={signers(issuers, id)} />;
  }
  if (control === "bits") return <KeySize {...shared} type={toText(values["key_type"])} />;
  if (control === "latest") return <Latest {...shared} />;
  if (typeof control === "object" && control.many)
    return (
      <Chips
        {...shared}
        options={control.of}
        chosen={shared.value.split(/[\s,]+/).filter(Boolean)}
        change={(chosen) => set(chosen.join(", "))}
      />
    );
  if (typeof control === "object")
    return <Choice {...shared} options={withCurrent(control.of, shared.value)} />;
  if (name === "allowed_domains")
    return (
      <Lines
        {...shared}
        hint={<DomainHint values={values}>{shared.hint}</DomainHint>}
        rows={2}
        mono
      />
    );
  if (control === "lines" || control === "list")
    return <Lines {...shared} rows={2} mono={control === "list"} />;
  if (control === "duration") return <DurationField {...shared} />;
  return <Text {...shared} mono={control === "moment"} />;
}

type Options = readonly (readonly [value: string, words: string])[];

/** Returns the options, with the current value added if it is not one of them. */
const withCurrent = (options: Options, now: string): Options =>
  now === "" || options.some(([value]) => value === now) ? options : [...options, [now, now]];

/** Returns the issuers that a role can use, and the role's current issuer. */
const signers = (of: Signers, now: string): Options => [
  ["default", "The default authority"],
  ...[...of.names].filter(([id]) => of.usable.has(id)),
  ...(now === "default" || of.usable.has(now)
    ? []
    : [[now, `${signerOf(of, now)}${of.names.has(now) ? " (cannot sign)" : ""}`] as const]),
];
