import type { Machine, Step, TrustedRoot, TrustStore } from "./trust-store.ts";

/**
 * A family of Linux distributions: the directory for local roots, and the command that applies
 * changes.
 */
interface Family {
  readonly folder: string;
  readonly program: string;
  readonly command: readonly string[];
}

const families: readonly Family[] = [
  // Debian, Ubuntu, Alpine
  {
    folder: "/usr/local/share/ca-certificates",
    program: "update-ca-certificates",
    command: ["update-ca-certificates"],
  },
  // Fedora, RHEL
  {
    folder: "/etc/pki/ca-trust/source/anchors",
    program: "update-ca-trust",
    command: ["update-ca-trust", "extract"],
  },
  // Arch
  {
    folder: "/etc/ca-certificates/trust-source/anchors",
    program: "trust",
    command: ["trust", "extract-compat"],
  },
  // SUSE
  {
    folder: "/usr/share/pki/trust/anchors",
    program: "update-ca-certificates",
    command: ["update-ca-certificates"],
  },
];

const familyOf = (machine: Machine): Family | undefined =>
  families.find(
    ({ folder, program }) => machine.exists(folder) && machine.findProgram(program) !== undefined,
  );

const keychain = "/Library/Keychains/System.keychain";

function linuxSteps(machine: Machine, change: (family: Family) => Step): readonly Step[] {
  const family = familyOf(machine);
  if (family) return [change(family), { kind: "run", command: family.command, asRoot: true }];
  return [
    {
      kind: "note",
      text: "This distribution stores its trusted roots elsewhere; install the ca-certificates package, or see the distribution's manual.",
      isRequired: true,
    },
  ];
}

const pathIn = ({ folder }: Family, { name }: TrustedRoot): string => `${folder}/${name}.crt`;

/** The trust store of the operating system. */
export const systemStore: TrustStore = {
  name: "system",
  title: "operating system",
  install(root, machine) {
    const { platform } = machine;
    if (platform === "darwin") {
      const options = ["-d", "-r", "trustRoot", "-k", keychain];
      const command = ["security", "add-trusted-cert", ...options, root.file];
      return [{ kind: "run", command, asRoot: true }];
    }
    if (platform === "win32") {
      const command = ["certutil.exe", "-user", "-addstore", "Root", root.file];
      return [{ kind: "run", command, asRoot: false }];
    }
    return linuxSteps(machine, (family) => ({
      kind: "copy",
      from: root.file,
      to: pathIn(family, root),
      asRoot: true,
    }));
  },
  remove(root, machine) {
    const { platform } = machine;
    if (platform === "darwin") {
      const command = ["security", "delete-certificate", "-Z", root.sha1, "-t", keychain];
      return [{ kind: "run", command, asRoot: true }];
    }
    if (platform === "win32") {
      const command = ["certutil.exe", "-user", "-delstore", "Root", root.sha1];
      return [{ kind: "run", command, asRoot: false }];
    }
    return linuxSteps(machine, (family) => ({
      kind: "delete",
      path: pathIn(family, root),
      asRoot: true,
    }));
  },
};
