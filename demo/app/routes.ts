import type { ComponentType } from "preact";
import type { Endpoint, Method } from "../api/endpoint.ts";
import * as pki from "../api/endpoints/pki.ts";
import * as sys from "../api/endpoints/sys.ts";
import type { IconName } from "../ui/icon.tsx";
import { lazy } from "../ui/lazy.tsx";

/** A view of the console. */
interface RouteEntry {
  /** ID in URL fragments: `#/<id>`. */
  readonly id: string;
  readonly View: ComponentType;
  /** Title in the navigation. Absent if the view is not in the navigation. */
  readonly title?: string;
  readonly icon?: IconName;
  /** Number of the navigation group, counted from the top; 0 if the view is in no group. */
  readonly menu: 0 | 1 | 2 | 3;
  /**
   * The endpoints that the view uses. The navigation omits the view unless the token may call at
   * least one.
   */
  readonly needs?: readonly Endpoint<Method>[];
}

// These views are loaded together: they are small, and users who open one often open another.
const standalone = (): Promise<typeof import("./standalone-routes.ts")> =>
  import("./standalone-routes.ts");

/** All views. Those in the navigation have the same order as there. */
export const routes: readonly RouteEntry[] = [
  {
    id: "start",
    menu: 0,
    View: lazy(async () => (await import("../routes/start/start.tsx")).Start),
  },
  {
    id: "authorities",
    menu: 0,
    View: lazy(async () => (await import("../routes/authorities/authorities.tsx")).Authority),
  },
  {
    // the view for `#/certificates/<serial>`
    id: "certificate",
    menu: 0,
    View: lazy(async () => (await import("../routes/certificates/certificate.tsx")).Certificate),
  },
  {
    id: "overview",
    title: "Overview",
    icon: "overview",
    menu: 1,
    View: lazy(async () => (await import("../routes/overview/overview.tsx")).Overview),
  },
  {
    id: "certificates",
    title: "Certificates",
    icon: "certs",
    menu: 1,
    needs: [pki.searchCerts, pki.listCerts],
    View: lazy(async () => (await import("../routes/certificates/certificates.tsx")).Certificates),
  },
  {
    id: "issue",
    title: "Issue",
    icon: "issue",
    menu: 1,
    needs: [pki.issue, pki.sign],
    View: lazy(async () => (await import("../routes/issue/issue.tsx")).Issue),
  },
  {
    id: "inspect",
    title: "Inspect",
    icon: "inspect",
    menu: 1,
    View: lazy(async () => (await import("../routes/inspect/inspect.tsx")).Inspect),
  },
  {
    id: "roles",
    title: "Roles",
    icon: "roles",
    menu: 2,
    needs: [pki.listRoles, pki.readRole],
    View: lazy(async () => (await import("../routes/roles/roles.tsx")).Roles),
  },
  {
    id: "keys",
    title: "Keys",
    icon: "key",
    menu: 2,
    needs: [pki.listKeys],
    View: lazy(async () => (await import("../routes/keys/keys.tsx")).Keys),
  },
  {
    id: "revocation",
    title: "Revocation",
    icon: "ban",
    menu: 2,
    needs: [pki.readCrlConfig, pki.revoke, pki.tidyStatus],
    View: lazy(async () => (await import("../routes/revocation/revocation.tsx")).Revocation),
  },
  {
    id: "acme",
    title: "ACME",
    icon: "cycle",
    menu: 2,
    needs: [pki.readAcmeConfig, pki.newEab],
    View: lazy(async () => (await import("../routes/acme/acme.tsx")).Acme),
  },
  {
    id: "est",
    title: "EST",
    icon: "device",
    menu: 2,
    needs: [pki.readEstConfig],
    View: lazy(async () => (await import("../routes/est/est.tsx")).Est),
  },
  {
    id: "external",
    title: "External policy",
    icon: "shield",
    menu: 2,
    needs: [pki.readExternalPolicy],
    View: lazy(async () => (await import("../routes/external/external.tsx")).External),
  },
  {
    id: "variables",
    title: "Variables",
    icon: "vars",
    menu: 2,
    View: lazy(async () => (await standalone()).Variables),
  },
  {
    id: "access",
    title: "Access",
    icon: "users",
    menu: 3,
    View: lazy(async () => (await import("../routes/access/access.tsx")).Access),
  },
  {
    id: "system",
    title: "System",
    icon: "server",
    menu: 3,
    needs: [sys.listAuditEvents, sys.listMounts, sys.backUp, sys.listLeases],
    View: lazy(async () => (await import("../routes/system/system.tsx")).System),
  },
  {
    id: "api",
    title: "API reference",
    icon: "api",
    menu: 3,
    View: lazy(async () => (await standalone()).Reference),
  },
  {
    id: "settings",
    title: "Settings",
    icon: "settings",
    menu: 3,
    View: lazy(async () => (await standalone()).Settings),
  },
];

/** The sign-in view, which replaces views that require a token until the user signs in. */
export const SignIn: ComponentType = lazy(async () => (await standalone()).SignIn);
