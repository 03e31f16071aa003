import type { JSX } from "preact";
import { Check } from "../../ui/field.tsx";
import { Note } from "../../ui/page.tsx";

/** The error of a form if the user has not confirmed that it grants full access. */
export const unconfirmed = "Confirm full access, or remove what grants it";

/**
 * The checkbox that confirms full access. `what` is the subject of its label, such as "This token".
 */
export const ConfirmFullAccess = ({
  what,
  confirmed,
  change,
  error,
}: {
  what: string;
  confirmed: boolean;
  change: (confirmed: boolean) => void;
  error: string | undefined;
}): JSX.Element => (
  <Note tone="danger" icon="key">
    <b>{what} has full access.</b>
    <p class="small">
      Anyone with such a token can issue, revoke and delete everything and create more tokens.
    </p>
    <Check label="Grant full access" checked={confirmed} change={change} error={error} />
  </Note>
);
