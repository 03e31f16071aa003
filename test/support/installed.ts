import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { packedArchive, run } from "./packed.ts";
import { root } from "./syntax.ts";

interface Locked {
  readonly version: string;
  readonly [member: string]: unknown;
}
interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8"));

/** A folder with the packed package installed. */
export interface Installed {
  readonly folder: string;
  /** Installed by npm from its cache, or by links to the dependencies of this checkout. */
  readonly by: "npm" | "links";
  remove(): void;
}

/** Installs the package into an empty folder like a user, without a registry. */
export async function install(): Promise<Installed> {
  const archive = await packedArchive();
  const folder = mkdtempSync(join(tmpdir(), "sealwright-user-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  copyFileSync(archive, join(folder, "sealwright.tgz"));
  const dependencies = { sealwright: "file:sealwright.tgz" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  try {
    writeFileSync(join(folder, "package-lock.json"), lockFor(folder, dependencies));
    run("npm", ["ci", "--offline", "--no-audit", "--no-fund"], folder, process.env);
    return { folder, by: "npm", remove };
  } catch {
    // the cache of npm is empty or disabled
    rmSync(join(folder, "node_modules"), { recursive: true, force: true });
    link(folder);
    return { folder, by: "links", remove };
  }
}

/**
 * Returns the lock file that npm would have written: the versions that this checkout was tested
 * with.
 */
function lockFor(folder: string, dependencies: Readonly<Record<string, string>>): string {
  const { packages } = read<{ packages: Readonly<Record<string, Locked>> }>(
    join(root, "package-lock.json"),
  );
  const needed: Record<string, unknown> = {};
  const add = (name: string): void => {
    const path = `node_modules/${name}`;
    const entry = packages[path];
    if (entry === undefined || path in needed) return;
    const { dev: _, devOptional: __, ...rest } = entry;
    needed[path] = rest;
    const { dependencies: of = {} } = entry as Partial<Manifest>;
    for (const one of Object.keys(of)) add(one);
  };
  const manifest = read<Manifest>(join(root, "package.json"));
  for (const name of Object.keys(manifest.dependencies)) add(name);
  const bytes = readFileSync(join(folder, "sealwright.tgz"));
  const own = {
    version: manifest.version,
    resolved: dependencies["sealwright"],
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
    bin: manifest.bin,
    dependencies: manifest.dependencies,
  };
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { "": { dependencies }, "node_modules/sealwright": own, ...needed },
  });
}

function link(folder: string): void {
  const at = join(folder, "node_modules/sealwright");
  mkdirSync(at, { recursive: true });
  run("tar", ["-xzf", join(folder, "sealwright.tgz"), "-C", at, "--strip-components=1"], folder);
  const { dependencies, bin } = read<Manifest>(join(at, "package.json"));
  for (const name of Object.keys(dependencies)) {
    const path = join(folder, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, "node_modules", name), path);
  }
  mkdirSync(join(folder, "node_modules/.bin"));
  for (const [name, path] of Object.entries(bin)) {
    chmodSync(join(at, path), 0o755);
    symlinkSync(join("../sealwright", path), join(folder, "node_modules/.bin", name));
  }
}
