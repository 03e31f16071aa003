import type { JSX } from "preact";
import { lazy } from "../../ui/lazy.tsx";
import { Head } from "../../ui/page.tsx";
import { Sections, useSection, type Section } from "../../ui/sections.tsx";

const parts: readonly Section<object>[] = [
  ["", "You", lazy(async () => (await import("./you.tsx")).You)],
  ["policies", "Policies", lazy(async () => (await import("./policies.tsx")).Policies)],
  ["tester", "Tester", lazy(async () => (await import("./policy-tester.tsx")).Tester)],
  ["tokens", "Tokens", lazy(async () => (await import("./tokens.tsx")).Tokens)],
  ["logins", "Logins", lazy(async () => (await import("./login-methods.tsx")).Logins)],
  ["entities", "Entities", lazy(async () => (await import("./entities.tsx")).Entities)],
];

/** Access control: tokens, policies and login methods. */
export function Access(): JSX.Element {
  const View = useSection(parts);
  return (
    <>
      <Head
        title="Access"
        about="Permissions: login methods create tokens, and policies define what a token may do."
      />
      <Sections of={parts} view="access" label="Access sections" />
      <div class="stack">{View && <View />}</div>
    </>
  );
}
