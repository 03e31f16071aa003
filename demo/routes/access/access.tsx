import type { JSX } from "preact";
import * as auth from "../../api/endpoints/auth.ts";
import * as identity from "../../api/endpoints/identity.ts";
import * as sys from "../../api/endpoints/sys.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Head } from "../../ui/page.tsx";
import { Sections, useSection, type Section } from "../../ui/sections.tsx";

const parts: readonly Section<object>[] = [
  ["", "You", lazy(async () => (await import("./you.tsx")).You)],
  [
    "policies",
    "Policies",
    lazy(async () => (await import("./policies.tsx")).Policies),
    [sys.listPolicies],
  ],
  [
    "tester",
    "Tester",
    lazy(async () => (await import("./policy-tester.tsx")).Tester),
    [sys.listPolicies],
  ],
  [
    "tokens",
    "Tokens",
    lazy(async () => (await import("./tokens.tsx")).Tokens),
    [auth.listAccessors, auth.createToken],
  ],
  [
    "logins",
    "Logins",
    lazy(async () => (await import("./login-methods.tsx")).Logins),
    [sys.listMethods],
  ],
  [
    "entities",
    "Entities",
    lazy(async () => (await import("./entities.tsx")).Entities),
    [identity.listEntities],
  ],
];

/** The view for access control: tokens, policies and login methods. */
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
