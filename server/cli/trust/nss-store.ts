import { join } from "node:path";
import type { Machine, Step, TrustStore } from "./trust-store.ts";

/** Directories with Firefox profiles, relative to the home directory. */
const profileFolders = [
  ".mozilla/firefox",
  ".config/mozilla/firefox",
  "snap/firefox/common/.mozilla/firefox",
  ".var/app/org.mozilla.firefox/.mozilla/firefox",
];

/** Programs that create an NSS database when they first start. */
const browsers = ["firefox", "firefox-esr", "chromium", "chromium-browser", "google-chrome"];

/** Returns the paths of the existing NSS databases of Chromium and Firefox. */
function databasesOf({ home, exists, namesIn }: Machine): readonly string[] {
  const profiles = profileFolders.flatMap((folder) =>
    namesIn(join(home, folder)).map((name) => join(home, folder, name)),
  );
  const chromium = [".pki/nssdb", ".local/share/pki/nssdb"].map((path) => join(home, path));
  return [...chromium, ...profiles].filter((path) => exists(join(path, "cert9.db")));
}

const requiredNote = (text: string): Step => ({ kind: "note", text, isRequired: true });

function stepsFor(
  machine: Machine,
  options: (database: string) => readonly string[],
): readonly Step[] {
  const databases = databasesOf(machine);
  const hasBrowser = browsers.some((name) => machine.findProgram(name) !== undefined);
  if (databases.length === 0 && !hasBrowser) return [];
  // everything that is missing, so that repeating the command once suffices
  const missing = [
    ...(databases.length === 0
      ? ["Start the browser once to create its database, then repeat the command."]
      : []),
    ...(machine.findProgram("certutil") === undefined
      ? [
          "Install certutil (Debian: libnss3-tools, Fedora: nss-tools, Arch: nss, SUSE: mozilla-nss-tools) and repeat the command.",
        ]
      : []),
  ];
  if (missing.length > 0) return missing.map(requiredNote);
  return databases.map((database): Step => ({
    kind: "run",
    command: ["certutil", ...options(database)],
    asRoot: false,
    settled: /could not find certificate/,
  }));
}

/**
 * The NSS databases of Chromium and Firefox on Linux. On other systems both browsers use the
 * operating system's roots.
 */
export const nssStore: TrustStore = {
  name: "browsers",
  title: "Chromium and Firefox",
  install: ({ file, name }, machine) =>
    machine.platform === "linux"
      ? stepsFor(machine, (database) => [
          "-A",
          "-d",
          `sql:${database}`,
          "-n",
          name,
          "-t",
          "C,,",
          "-i",
          file,
        ])
      : [
          {
            kind: "note",
            text: "Browsers use the roots of the operating system (Firefox since version 120).",
          },
        ],
  remove: ({ name }, machine) =>
    machine.platform === "linux"
      ? stepsFor(machine, (database) => ["-D", "-d", `sql:${database}`, "-n", name])
      : [],
};
