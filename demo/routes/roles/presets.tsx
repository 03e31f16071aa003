import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { presets, type Preset } from "../../lib/role-presets.ts";
import { isPreset, withPreset, type Values } from "./role-values.ts";
import { setsOf } from "../../lib/role-text.ts";

interface Props {
  values: Values;
  change: (values: Values) => void;
  /** Whether the presets are initially expanded, as for a new role. */
  open: boolean;
}

/** Buttons for common purposes of roles. A click fills in the fields. */
export function Presets({ values, change, open: first }: Props): JSX.Element {
  const [open] = useState(first);
  const now = presets.find(({ fields }) => isPreset(values, fields));
  return (
    <details class="presets" open={open}>
      <summary>Template: {now?.title ?? "none, custom fields"}</summary>
      <p class="small muted">
        A template fills in the fields below for names, key, use and lifetime. You can change them
        before saving.
      </p>
      <div class="starts few">
        {presets.map((preset) => (
          <PresetButton
            key={preset.id}
            of={preset}
            pressed={preset === now}
            press={() => change(withPreset(values, preset.fields))}
          />
        ))}
      </div>
    </details>
  );
}

function PresetButton({
  of: { title, about, fields },
  pressed,
  press,
}: {
  of: Preset;
  pressed: boolean;
  press: () => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="start preset">
      <button type="button" aria-pressed={pressed} aria-describedby={id} onClick={press}>
        {title}
      </button>
      <span class="small" id={id}>
        {about} Sets: {setsOf(fields)}.
      </span>
    </div>
  );
}
