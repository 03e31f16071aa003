import { main } from "../../server/cli/commands.ts";

// the package's program, run from the sources
await main(process.argv.slice(2), {
  page: () => Promise.reject(new TypeError("nothing is served")),
  version: "",
});
