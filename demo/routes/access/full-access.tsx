import type { JSX } from "preact";
import { Check } from "../../ui/field.tsx";
import { Note } from "../../ui/page.tsx";

/** The error shown if the user has not confirmed that the form grants full access. */
export const unconfirmed = "Confirm full access, or remove the permissions that grant it";

/**
 * The checkbox that confirms full access. `what` is the subject of the warning, such as "This
 * token".
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
      Anyone with full access can issue, revoke and delete everything and create more tokens.
    </p>
    <Check label="Grant full access" checked={confirmed} change={change} error={error} />
  </Note>
);
