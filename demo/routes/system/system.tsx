import type { JSX } from "preact";
import { lazy } from "../../ui/lazy.tsx";
import { Head } from "../../ui/page.tsx";
import { Sections, useSection, type Section } from "../../ui/sections.tsx";

const parts: readonly Section<object>[] = [
  ["", "Activity", lazy(async () => (await import("./activity.tsx")).Activity)],
  ["backup", "Backup", lazy(async () => (await import("./backup.tsx")).Backup)],
  ["mounts", "Mounts", lazy(async () => (await import("./mounts.tsx")).Mounts)],
  ["leases", "Leases", lazy(async () => (await import("./leases.tsx")).Leases)],
];

/** The audit log, mounts, leases and backups. */
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
