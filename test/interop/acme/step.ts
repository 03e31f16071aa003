import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, surroundings } from "../platform/client.ts";
import type { Client } from "./client.ts";
import { run } from "./command.ts";

const version = "0.21.0";

/** The step CLI, built with the installed Go. */
export const step: Client = {
  program: "step",
  version,
  install: (directory) =>
    attempt(
      run("go", ["install", `github.com/smallstep/cli/cmd/step@v${version}`], {
        env: { ...surroundings, GOBIN: directory },
        within: 600,
      }),
    ),
  steps: (world, directory) => [
    [
      "issue (http-01)",
      async () => {
        const home = world.scratch("step");
        const name = "step.acme.test";
        const [chain, key] = [join(home, "step.crt"), join(home, "step.key")];
        const trust = ["--acme", world.directory(), "--root", world.trusted];
        const listen = ["--standalone", "--http-listen", `127.0.0.1:${world.httpPort}`];
        await run(
          join(directory, "step"),
          ["ca", "certificate", name, chain, key, ...trust, ...listen],
          { env: { HOME: home } },
        );
        world.verify(readFileSync(chain, "utf8"), [name]);
      },
    ],
  ],
};
