import { Fragment, type ComponentChildren, type JSX } from "preact";
import type { Setting, SettingField, Settings, WrongSettings } from "../lib/settings.ts";
import { useApiNames } from "./api-names.tsx";
import { DurationField } from "./duration-field.tsx";
import { Check, Choice, Lines, Text } from "./field.tsx";

interface Props {
  fields: readonly SettingField<string>[];
  values: Settings;
  wrong: WrongSettings;
  change: (name: string, value: Setting) => void;
  /**
   * Returns a custom control, as wide as the form, for a field, or undefined for the usual control.
   */
  custom?: (field: SettingField<string>, of: Control) => JSX.Element | undefined;
}

/** The value of a field, its error, and a function that changes it. */
export interface Control {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

/**
 * The fields of settings: first text fields in pairs, then fields as wide as the form, then
 * checkboxes.
 */
export function SettingFields({ fields, values, wrong, change, custom }: Props): JSX.Element {
  const isNamed = useApiNames();
  const shown = fields.filter(
    (field) =>
      values[field.name] !== undefined && (field.with === undefined || values[field.with] === true),
  );
  const flags = shown.filter(({ kind }) => kind === "flag");
  const controls = shown.flatMap((field) => {
    const control = custom?.(field, {
      value: String(values[field.name]),
      change: (value) => change(field.name, value),
      error: wrong[field.name],
    });
    return control ? [<Fragment key={field.name}>{control}</Fragment>] : [];
  });
  const isCustom = ({ name }: SettingField<string>): boolean =>
    controls.some(({ key }) => key === name);
  const texts = shown.filter((field) => field.kind !== "flag" && !isCustom(field));
  return (
    <>
      {texts.length > 0 && (
        <div class="pair">
          {texts.map((field) => (
            <Written
              key={field.name}
              field={field}
              value={String(values[field.name])}
              change={(value) => change(field.name, value)}
              error={wrong[field.name]}
            />
          ))}
        </div>
      )}
      {controls}
      {flags.length > 0 && (
        <div class="flags">
          {flags.map(({ name, label, hint }) => (
            <Check
              key={name}
              label={
                <>
                  {capital(label)} {isNamed && <code class="quiet">{breaking(name)}</code>}
                </>
              }
              checked={values[name] === true}
              change={(value) => change(name, value)}
              hint={hint}
              error={wrong[name]}
            />
          ))}
        </div>
      )}
    </>
  );
}

/**
 * Returns the number of rows for the text area of a list, so that its lines are visible without
 * scrolling if possible.
 */
const rowsFor = (value: string): number => Math.min(8, Math.max(2, value.split("\n").length));

/** The field for a setting that is not a flag: a choice, a list, or a line of text. */
function Written({
  field: { name, label, hint, kind, options },
  ...shared
}: {
  field: SettingField<string>;
  value: string;
  change: (value: string) => void;
  error: string | undefined;
}): JSX.Element {
  const common = { label, hint: useApiNames() ? hinted(name, hint) : hint, ...shared };
  if (kind === "choice") return <Choice {...common} options={options ?? []} />;
  if (kind === "list" || kind === "lines" || kind === "policies" || kind === "pairs")
    return <Lines {...common} rows={rowsFor(shared.value)} mono />;
  if (kind === "pem" || kind === "pems" || kind === "secretpem")
    return <Lines {...common} rows={4} mono />;
  if (kind === "secret") return <Text {...common} type="password" complete="new-password" />;
  if (kind === "duration" || kind === "seconds") return <DurationField {...common} />;
  return <Text {...common} short={kind === "count"} />;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Lets a long API name wrap after each underscore. */
const breaking = (name: string): ComponentChildren =>
  name.split(/(?<=_)/).map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ));

const hinted = (name: string, hint: string | undefined): ComponentChildren => (
  <>
    <code>{breaking(name)}</code>
    {hint && (
      <>
        <br />
        {hint}
      </>
    )}
  </>
);
