import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

/**
 * Checkboxes for a few options. A current value that is not an option gets a checkbox too, so that
 * the user can remove it.
 */
export function Chips({
  label,
  options,
  chosen,
  change,
  hint,
}: {
  label: ComponentChildren;
  options: readonly (readonly [value: string, words: string])[];
  chosen: readonly string[];
  change: (chosen: readonly string[]) => void;
  hint?: ComponentChildren;
}): JSX.Element {
  const id = useId();
  const equals = (a: string) => (b: string) => a.toLowerCase() === b.toLowerCase();
  const others = chosen.filter((value) => !options.some(([option]) => equals(option)(value)));
  return (
    <fieldset class="field" aria-describedby={hint ? id : undefined}>
      <legend>{label}</legend>
      <div class="chips">
        {[...options, ...others.map((value) => [value, value] as const)].map(([value, words]) => {
          const on = chosen.some(equals(value));
          return (
            <label key={value} class="chip">
              <input
                type="checkbox"
                checked={on}
                onChange={() =>
                  change(on ? chosen.filter((other) => !equals(value)(other)) : [...chosen, value])
                }
              />
              {words}
            </label>
          );
        })}
      </div>
      {hint && (
        <p class="hint" id={id}>
          {hint}
        </p>
      )}
    </fieldset>
  );
}
