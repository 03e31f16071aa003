import * as auth from "../api/endpoints/auth.ts";
import * as identity from "../api/endpoints/identity.ts";
import * as pki from "../api/endpoints/pki.ts";
import * as sys from "../api/endpoints/sys.ts";
import type { Endpoint, Method } from "../api/endpoint.ts";
import { mayCallAny } from "../api/permissions.ts";
import { choose, theme } from "../lib/color-theme.ts";
import { place, signedOut } from "../lib/place.ts";
import { address, anonymousViews } from "../lib/route.ts";
import type { SettingField } from "../lib/settings.ts";
import { acmeFields } from "../routes/acme/fields.ts";
import { estFields } from "../routes/est/fields.ts";
import { externalFields } from "../routes/external/fields.ts";
import { clusterFields, crlFields } from "../routes/revocation/crl-fields.ts";
import { mountUrlFields } from "../routes/revocation/mount-url-fields.ts";
import { autoFields, autoMore } from "../routes/revocation/tidy-fields.ts";
import type { IconName } from "../ui/icon.tsx";
import type { PaletteText } from "./palette-groups.ts";
import { routes } from "./routes.ts";

/** A result in the palette, which opens a URL of the page or runs an action. */
export interface PaletteEntry extends PaletteText {
  readonly icon: IconName;
  /** The relative URL to open: a fragment, or a query and a fragment. */
  readonly to?: string;
  readonly run?: () => void;
}

/** An entry that requires no data. It is shown if the token may call one of `needs`. */
interface StaticEntry extends PaletteEntry {
  readonly needs?: readonly Endpoint<Method>[];
  readonly anonymous?: boolean;
}

type Needs = readonly Endpoint<Method>[];
/** A section of a view with its own URL. */
type Part = readonly [view: string, id: string, title: string, words: string, needs: Needs];

const parts: readonly Part[] = [
  ["revocation", "ocsp", "OCSP", "responder status", [pki.readCrlConfig, pki.revoke]],
  ["revocation", "urls", "URLs in certificates", "aia crl ocsp address", [pki.readUrls]],
  ["revocation", "tidy", "Tidy", "clean up expired", [pki.tidyStatus]],
  ["keys", "managed", "Keys in a key service", "kms hsm managed", [sys.listManagedKeys]],
  ["acme", "accounts", "ACME accounts", "orders", [pki.listAcmeAccounts]],
  ["acme", "settings", "ACME settings", "config", [pki.readAcmeConfig]],
  ["acme", "try", "Try ACME", "test client", [pki.readAcmeConfig]],
  ["access", "policies", "Policies", "acl permissions", [sys.listPolicies]],
  ["access", "tester", "Policy tester", "capabilities permissions", [sys.listPolicies]],
  ["access", "tokens", "Tokens", "accessors", [auth.listAccessors, auth.createToken]],
  ["access", "logins", "Login methods", "sign in users approle jwt oidc", [sys.listMethods]],
  ["access", "entities", "Entities and groups", "identity users", [identity.listEntities]],
  ["system", "backup", "Backup and restore", "snapshot", [sys.backUp]],
  ["system", "mounts", "Mounts", "", [sys.listMounts]],
  ["system", "leases", "Leases", "", [sys.listLeases]],
];

/** Additional search terms for each page. */
const synonyms: Readonly<Record<string, string>> = {
  overview: "home authorities cas expiring",
  certificates: "inventory search list",
  inspect: "decode file pem verify lint",
  roles: "templates",
  revocation: "crl crls",
  external: "webhook",
  access: "permissions tokens policies logins you",
  system: "activity audit log",
  api: "endpoints openapi curl",
  settings: "theme connection sign out",
};

const pages: readonly StaticEntry[] = [
  ...routes.flatMap(({ id, title, icon, needs }): StaticEntry[] =>
    // an action opens the issue form instead
    title && icon && id !== "issue"
      ? [
          {
            id: `page ${id}`,
            group: "Pages",
            title,
            words: synonyms[id] ?? "",
            icon,
            to: address(id),
            ...(needs && { needs }),
            anonymous: anonymousViews.has(id),
          },
        ]
      : [],
  ),
  ...parts.map(([view, id, title, words, needs]): StaticEntry => ({
    id: `page ${view}/${id}`,
    group: "Pages",
    title,
    words,
    icon: routes.find((one) => one.id === view)?.icon ?? "next",
    to: address(view, id),
    needs,
  })),
];

/** ID of the action that asks for a certificate before it revokes one. */
export const revokeAction = "action revoke";

const action = (
  id: string,
  title: string,
  [icon, to, words]: readonly [icon: IconName, to: string, words: string],
  needs: Needs,
): StaticEntry => ({ id: `action ${id}`, group: "Actions", title, icon, to, words, needs });

const actions: readonly StaticEntry[] = [
  action(
    "issue",
    "Issue a certificate",
    ["issue", address("issue"), "new create request sign csr"],
    [pki.issue, pki.sign],
  ),
  {
    id: revokeAction,
    group: "Actions",
    title: "Revoke a certificate…",
    icon: "ban",
    needs: [pki.revoke, pki.revokeWithKey],
  },
  action(
    "role",
    "New role",
    ["roles", address("roles", "new"), "create add a role"],
    [pki.writeRole],
  ),
  action(
    "authority",
    "Add or import a CA",
    ["overview", address("overview"), "new authority root intermediate issuer create"],
    [pki.generateRoot, pki.generateIntermediate, pki.importBundle],
  ),
  action(
    "eab",
    "New external account binding (EAB) key",
    ["cycle", address("acme"), "eab external create"],
    [pki.newEab],
  ),
  action(
    "policy",
    "New policy",
    ["lock", address("access", "policies"), "create add"],
    [sys.writePolicy],
  ),
  action(
    "token",
    "New token",
    ["lock", address("access", "tokens"), "create add"],
    [auth.createToken],
  ),
  action(
    "login",
    "New login method",
    ["lock", address("access", "logins"), "enable create add sign in"],
    [sys.enableMethod],
  ),
  action(
    "user",
    "New user",
    [
      "lock",
      address("access", "logins", { do: "user" }),
      "create add person people userpass login",
    ],
    [sys.listMethods],
  ),
  action(
    "mount",
    "New mount",
    ["clock", address("system", "mounts"), "create add pki"],
    [sys.createMount],
  ),
  action("backup", "Back up", ["down", address("system", "backup"), "snapshot save"], [sys.backUp]),
  action("tidy", "Run tidy", ["clock", address("revocation", "tidy"), "clean up"], [pki.tidy]),
  {
    id: "action inspect",
    group: "Actions",
    title: "Inspect a file or text",
    words: "decode certificate csr crl key open",
    icon: "inspect",
    to: address("inspect"),
    anonymous: true,
  },
  {
    id: "action theme",
    group: "Actions",
    title: "Switch between light and dark",
    words: "theme appearance color",
    icon: "theme",
    run: () => choose(theme.get().dark ? "light" : "dark"),
    anonymous: true,
  },
];

/** Returns a palette entry for each field of a settings form. */
const settingsIn = (
  to: string,
  hint: string,
  [icon, needs]: readonly [icon: IconName, needs: Needs],
  fields: readonly SettingField<string>[],
): readonly StaticEntry[] =>
  fields.map(({ name, label }) => ({
    id: `setting ${to} ${name}`,
    group: "Settings",
    title: label.charAt(0).toUpperCase() + label.slice(1),
    hint,
    words: `${name} ${name.replaceAll("_", " ")}`,
    icon,
    to,
    needs,
  }));

const settings: readonly StaticEntry[] = [
  ...settingsIn(
    address("revocation"),
    "CRLs",
    ["ban", [pki.readCrlConfig]],
    [...crlFields, ...clusterFields],
  ),
  ...settingsIn(address("revocation", "urls"), "URLs", ["ban", [pki.readCluster]], mountUrlFields),
  ...settingsIn(
    address("revocation", "tidy"),
    "Tidy",
    ["clock", [pki.readAutoTidy]],
    [...autoFields, ...autoMore],
  ),
  ...settingsIn(
    address("acme", "settings"),
    "ACME",
    ["cycle", [pki.readAcmeConfig]],
    acmeFields([], ""),
  ),
  ...settingsIn(address("est"), "EST", ["device", [pki.readEstConfig]], estFields([], "")),
  ...settingsIn(
    address("external"),
    "External policy",
    ["shield", [pki.readExternalPolicy]],
    externalFields(false),
  ),
];

const all: readonly StaticEntry[] = [...actions, ...pages, ...settings];

/**
 * Returns the entries that require no request, without those that the current token may not use.
 */
export function staticEntries(): readonly PaletteEntry[] {
  const where = place.get();
  return signedOut(where)
    ? all.filter(({ anonymous }) => anonymous)
    : all.filter(({ needs }) => !needs || mayCallAny(needs));
}
