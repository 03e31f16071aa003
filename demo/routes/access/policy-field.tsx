import type { JSX } from "preact";
import { ApiError } from "../../api/transport.ts";
import { Lines } from "../../ui/field.tsx";
import { Failure } from "../../ui/page.tsx";
import { faultyLine } from "./policy-text.ts";
import { visible } from "../../lib/visible-text.ts";

/** Reports whether an error is about the policy text rather than the caller or the connection. */
const ofText = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 400;

/** Selects the line of the policy text that a server error refers to. */
export function selectFault(reason: unknown, text: string): void {
  const line = ofText(reason) ? faultyLine(reason.message, text) : undefined;
  if (!line) return;
  // The field is on the page only after the next render.
  setTimeout(() => {
    const field = document.querySelector<HTMLTextAreaElement>("textarea[aria-invalid=true]");
    field?.focus();
    field?.setSelectionRange(line.from, line.to);
  });
}

/** The field for the text of a policy, and below it the server's error with the faulty line. */
export function PolicyText({
  text,
  change,
  error,
}: {
  text: string;
  change: (text: string) => void;
  error: Error | undefined;
}): JSX.Element {
  const line = ofText(error) ? faultyLine(error.message, text) : undefined;
  return (
    <>
      <Lines
        label="Text"
        value={text}
        change={change}
        rows={Math.min(24, Math.max(10, text.split("\n").length + 1))}
        mono
        hint="HCL or JSON: paths and their capabilities."
        error={ofText(error) ? error.message : undefined}
      />
      {line && (
        <p class="small">
          Line {line.number}:{" "}
          <code>{visible(text.slice(line.from, line.to).trim()) || "empty"}</code>
        </p>
      )}
      {error && !ofText(error) && <Failure error={error} />}
    </>
  );
}
