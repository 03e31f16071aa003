import { main } from "../../server/cli/commands.ts";

// what the program of the package does, from the sources
await main(process.argv.slice(2), {
  page: () => Promise.reject(new TypeError("nothing is served")),
  version: "",
});
