import { layouts } from "../../data/served-version.ts";
import type { Command } from "../command.ts";
import { jsonFlag } from "../connection.ts";
import { printJson } from "../output.ts";

/** Declares `version`, which prints the version. */
export const version: Command = {
  name: "version",
  summary: "print the version and the layouts of the stored data",
  flags: [jsonFlag],
  about: ["Prints the version of sealwright and the layouts of its database tables."],
  run({ flags }, { host }) {
    if (flags.has("--json")) printJson({ version: host.version, layouts });
    else
      console.log(
        `sealwright ${host.version} (data: SQLite ${layouts.sqlite}, PostgreSQL ${layouts.postgresql})`,
      );
    return 0;
  },
};
