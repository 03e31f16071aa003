import type { JSX } from "preact";
import { CopyButton } from "./button.tsx";

/**
 * Verbatim text such as PEM or commands, which can be copied and scrolls or wraps within its box.
 */
export function Code({
  text,
  label,
  wrap = false,
  copy = true,
}: {
  text: string;
  label: string;
  wrap?: boolean;
  copy?: boolean;
}): JSX.Element {
  return (
    <div class={`code ${wrap ? "wrap" : ""} ${copy ? "" : "bare"}`}>
      {copy && <CopyButton text={text} label={`Copy: ${label}`} />}
      <pre tabIndex={0} aria-label={label} role="group">
        {text}
      </pre>
    </div>
  );
}
