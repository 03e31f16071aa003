import type { JSX } from "preact";
import * as sys from "../../api/endpoints/sys.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Head } from "../../ui/page.tsx";
import { Sections, useSection, type Section } from "../../ui/sections.tsx";

const parts: readonly Section<object>[] = [
  [
    "",
    "Activity",
    lazy(async () => (await import("./activity.tsx")).Activity),
    [sys.listAuditEvents],
  ],
  ["backup", "Backup", lazy(async () => (await import("./backup.tsx")).Backup), [sys.backUp]],
  ["mounts", "Mounts", lazy(async () => (await import("./mounts.tsx")).Mounts), [sys.listMounts]],
  ["leases", "Leases", lazy(async () => (await import("./leases.tsx")).Leases), [sys.listLeases]],
];

/** The system view: audit log, mounts, leases and backups. */
export function System(): JSX.Element {
  const View = useSection(parts);
  return (
    <>
      <Head title="System" about="Activity, mounts, leases and backups." />
      <Sections of={parts} view="system" label="System sections" />
      <div class="stack">{View && <View />}</div>
    </>
  );
}
