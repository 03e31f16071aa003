import { askOcsp, readCluster, tidy } from "../../api/endpoints/pki.ts";
import { can } from "../../api/openapi.ts";
import type { ComponentChildren, ComponentType, JSX } from "preact";
import { lazy } from "../../ui/lazy.tsx";
import { TermText } from "../../ui/term.tsx";
import { Head } from "../../ui/page.tsx";
import { address, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { Crls } from "./crls.tsx";

const Ocsp = lazy(async () => (await import("../../ui/inspection/ocsp-all.ts")).Ocsp);
const MountUrls = lazy(async () => (await import("./mount-urls.tsx")).MountUrls);
const Tidy = lazy(async () => (await import("./tidy.tsx")).Tidy);
const UploadedOcsp = lazy(async () => (await import("./uploaded-ocsp.tsx")).UploadedOcsp);

/** The section that queries the OCSP responder and parses OCSP messages that the user provides. */
function OcspPart(): JSX.Element {
  return (
    <>
      <Ocsp />
      <UploadedOcsp />
    </>
  );
}

interface RevocationPart {
  /**
   * ID of the section in the URL; empty for CRLs, where the URL can contain the ID of an issuer
   * instead.
   */
  readonly id: string;
  readonly title: string;
  readonly about: ComponentChildren;
  readonly shown: ComponentType;
  /** Reports whether the server supports this section. */
  readonly there: () => Promise<boolean>;
}

const parts: readonly RevocationPart[] = [
  {
    id: "",
    title: "CRLs",
    about: <TermText of="crl" />,
    shown: Crls,
    there: async () => true,
  },
  {
    id: "urls",
    title: "URLs",
    about: "The URLs at which clients reach this mount, and the CRL and OCSP URLs in certificates.",
    shown: MountUrls,
    there: () => can(readCluster),
  },
  {
    id: "ocsp",
    title: "OCSP",
    about: "An OCSP responder tells clients whether a given certificate is currently revoked.",
    shown: OcspPart,
    there: () => can(askOcsp),
  },
  {
    id: "tidy",
    title: "Tidy",
    about: "Removes expired certificates, their revocation records and old revocation requests.",
    shown: Tidy,
    there: () => can(tidy),
  },
];

/** The view of CRLs, URLs, OCSP and tidy: sections, each of which has its own URL. */
export function Revocation(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  const there = useLoad(async () => {
    const has = await Promise.all(parts.map((part) => part.there()));
    return parts.filter((_, i) => has[i]);
  }, []);
  const part = parts.find((one) => one.id === id) ?? parts[0];
  if (!part) return <Head title="Revocation" />;
  const { shown: Shown, about } = part;
  return (
    <>
      <Head title="Revocation" about={about} />
      <Parts of={there.value ?? parts} current={part} />
      <div class="stack">
        <Shown />
      </div>
    </>
  );
}

/** The navigation between the sections. Renders nothing if there is only one. */
function Parts({
  of,
  current,
}: {
  of: readonly RevocationPart[];
  current: RevocationPart;
}): JSX.Element | null {
  if (of.length < 2) return null;
  return (
    <nav class="tabs" aria-label="Revocation sections">
      {of.map((part) => (
        <a
          key={part.id}
          href={address("revocation", part.id)}
          aria-current={part === current ? "page" : undefined}
        >
          {part.title}
        </a>
      ))}
    </nav>
  );
}
