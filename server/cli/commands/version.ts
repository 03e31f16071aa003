import { layouts } from "../../data/served-version.ts";
import type { Command } from "../command.ts";

/** Prints the version. */
export const version: Command = {
  name: "version",
  summary: "print the version, and the layout of the stored data",
  flags: [],
  about: ["Prints the version of sealwright and the layouts of its database tables."],
  run(_, { host }) {
    console.log(
      `sealwright ${host.version} (data: SQLite ${layouts.sqlite}, PostgreSQL ${layouts.postgresql})`,
    );
    return 0;
  },
};
