import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { generatePassword } from "../../lib/generate-password.ts";
import type { SettingField } from "../../lib/settings.ts";
import { useApiNames } from "../../ui/api-names.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Text } from "../../ui/field.tsx";
import type { Control } from "../../ui/setting-fields.tsx";

/** The length below which the field recommends a longer password. The server has no minimum. */
const minLength = 12;

/** The field for a user's password, with a button that generates one and shows it. */
export function PasswordField({
  field: { name, label, hint },
  value,
  change,
  error,
}: Control & { field: SettingField<string> }): JSX.Element {
  const named = useApiNames();
  const [generated, setGenerated] = useState("");
  const generate = (): void => {
    const password = generatePassword();
    setGenerated(password);
    change(password);
  };
  return (
    <div class="stack close">
      <Text
        label={label}
        type="password"
        complete="new-password"
        value={value}
        change={change}
        error={error}
        hint={
          <>
            {named && <code>{name} </code>}
            {value !== "" && value.length < minLength
              ? `Easy to guess: shorter than ${minLength} characters.`
              : hint}
          </>
        }
      />
      <div class="actions from-start">
        <Button tiny press={generate}>
          Generate a password
        </Button>
      </div>
      {generated !== "" && generated === value && (
        <div>
          <p class="small muted">Copy the password before you save.</p>
          <Code text={value} label="Generated password" wrap />
        </div>
      )}
    </div>
  );
}
