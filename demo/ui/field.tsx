import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface Props {
  label: ComponentChildren;
  value: string;
  change: (value: string) => void;
  hint?: ComponentChildren;
  error?: string | undefined;
  mono?: boolean;
  readOnly?: boolean;
}

const described = (
  id: string,
  { hint, error }: Pick<Props, "hint" | "error">,
): string | undefined => (error ? `${id}-error` : hint ? `${id}-hint` : undefined);

function Below({
  id,
  hint,
  error,
}: {
  id: string;
  hint?: ComponentChildren;
  error?: string | undefined;
}): JSX.Element {
  return (
    <>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="verdict no" id={`${id}-error`}>
          <Icon name="x" />
          {error}
        </p>
      )}
    </>
  );
}

/** A field for a single line of text. */
export function Text(
  props: Props & {
    type?: "text" | "url" | "password" | "date";
    complete?: string;
    placeholder?: string;
    /** Whether the field is narrow, as for a duration or a number. */
    short?: boolean;
    /** Whether the field gets the focus when it appears. */
    first?: boolean;
  },
): JSX.Element {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (props.first) element.current?.focus();
  }, []);
  // The DOM types describe each type of input, but not a union of them.
  const kind = { type: props.type ?? "text" } as { type: "text" };
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        ref={element}
        id={id}
        class={`${props.mono ? "mono" : ""} ${props.short ? "short-text" : ""}`.trim()}
        {...kind}
        value={props.value}
        placeholder={props.placeholder}
        readOnly={props.readOnly}
        autocomplete={props.complete ?? "off"}
        spellcheck={false}
        aria-invalid={props.error ? "true" : undefined}
        aria-describedby={described(id, props)}
        onInput={(event) => props.change(event.currentTarget.value)}
      />
      <Below id={id} hint={props.hint} error={props.error} />
    </div>
  );
}

export type LinesProps = Props & { rows?: number; placeholder?: string | undefined };

/** A field for several lines of text. */
export function Lines(props: LinesProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <textarea
        id={id}
        rows={props.rows ?? 4}
        class={props.mono ? "mono" : ""}
        autocomplete="off"
        value={props.value}
        placeholder={props.placeholder}
        spellcheck={false}
        aria-invalid={props.error ? "true" : undefined}
        aria-describedby={described(id, props)}
        onInput={(event) => props.change(event.currentTarget.value)}
      />
      <Below id={id} hint={props.hint} error={props.error} />
    </div>
  );
}

/** A field that selects one of a few values. */
export function Choice<T extends string>(
  props: Omit<Props, "value" | "change"> & {
    value: T;
    change: (value: T) => void;
    options: readonly (readonly [value: T, text: string])[];
  },
): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        aria-invalid={props.error ? "true" : undefined}
        aria-describedby={described(id, props)}
        // the values of all options have this type
        onChange={(event) => props.change(event.currentTarget.value as T)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
      <Below id={id} hint={props.hint} error={props.error} />
    </div>
  );
}

/** A checkbox with a label and a hint. */
export function Check({
  label,
  checked,
  change,
  disabled,
  hint,
  error,
}: {
  label: ComponentChildren;
  checked: boolean;
  change: (checked: boolean) => void;
  disabled?: boolean;
  hint?: ComponentChildren;
  error?: string | undefined;
}): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-invalid={error ? "true" : undefined}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint && (
          <>
            <br />
            <span class="small muted">{hint}</span>
          </>
        )}
        {error && (
          <span class="verdict no" role="alert">
            <Icon name="x" />
            {error}
          </span>
        )}
      </span>
    </label>
  );
}

/** The field that filters a list while the user types. */
export function Filter({
  label,
  placeholder = label,
  value,
  change,
}: Pick<Props, "value" | "change"> & { label: string; placeholder?: string }): JSX.Element {
  return (
    <div class="grow">
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </div>
  );
}
