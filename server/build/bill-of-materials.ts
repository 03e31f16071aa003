import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { root } from "./build-page.ts";
import { readManifest } from "./manifest.ts";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
}
/** The members of a CycloneDX document that {@link writeBill} uses. */
interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Dependencies whose code the build copies into the package. */
const bundled = ["pg", "preact"];

/**
 * Writes a CycloneDX document that lists the packages on which this package depends or which it
 * contains. npm reads them from the lockfile; development dependencies are omitted.
 */
export async function writeBill(file: string): Promise<void> {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)("npm", args, options);
  // npm writes CycloneDX 1.5
  const bill = JSON.parse(stdout) as Bill;
  const { component } = bill.metadata;
  const { name, dependencies } = await readManifest();
  const used = reachedFrom(bill, [...Object.keys(dependencies), ...bundled]);
  const written = {
    ...bill,
    metadata: { ...bill.metadata, component: { ...component, name } },
    components: bill.components.filter((one) => used.has(one["bom-ref"])),
    dependencies: bill.dependencies
      .filter(({ ref }) => used.has(ref) || ref === component["bom-ref"])
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => used.has(one)) })),
  };
  await writeFile(file, `${JSON.stringify(written, null, 1)}\n`);
}

/** Returns the references for the named packages and all their dependencies. */
function reachedFrom(bill: Bill, names: readonly string[]): Set<string> {
  const edges = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const direct = new Set(edges.get(bill.metadata.component["bom-ref"]));
  const open = bill.components
    .filter((one) => names.includes(one.name) && direct.has(one["bom-ref"]))
    .map((one) => one["bom-ref"]);
  if (open.length !== names.length)
    throw new TypeError(`the lockfile lacks some of ${names.join(", ")}`);
  const visited = new Set<string>();
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (visited.has(ref)) continue;
    visited.add(ref);
    open.push(...(edges.get(ref) ?? []));
  }
  return visited;
}
