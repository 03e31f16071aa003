import type { ComponentChildren, JSX } from "preact";
import { seconds } from "../lib/durations.ts";
import { durationText } from "../lib/duration-text.ts";
import { Text } from "./field.tsx";

interface Props {
  label: ComponentChildren;
  value: string;
  change: (value: string) => void;
  hint?: ComponentChildren;
  error?: string | undefined;
  placeholder?: string;
}

/**
 * A field for a duration such as `90d`. The text below it spells out the duration, or shows an
 * example until the duration is valid.
 */
export function DurationField({ hint, ...shared }: Props): JSX.Element {
  const isValid = seconds(shared.value) !== undefined;
  const meaning = isValid ? durationText(shared.value) : "For example 90d, 72h or 1h30m.";
  return (
    <Text
      {...shared}
      short
      hint={
        <>
          {meaning}
          {meaning && hint && <br />}
          {hint}
        </>
      }
    />
  );
}
