/** Imports a data directory in its own process, which a test may kill. */
import { LaunchError } from "../../../server/settings/launch-error.ts";
import { importObjects } from "../../../server/data/import-objects.ts";

const [dataDir = ""] = process.argv.slice(2);
process.stdout.write("begin\n");
try {
  await importObjects(dataDir);
  process.stdout.write("end\n");
} catch (error) {
  if (!(error instanceof LaunchError)) throw error;
  process.stdout.write(`${error.message}\n`);
  process.exitCode = 1;
}
