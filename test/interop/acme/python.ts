import { join } from "node:path";
import { attempt, surroundings } from "../platform/client.ts";
import { refused, type Client } from "./client.ts";
import { run } from "./command.ts";

const version = "5.9.0";

/** The library that certbot is built on, in its own environment. */
export const pythonAcme: Client = {
  program: "python-acme",
  version,
  install: (directory) =>
    attempt(
      run("python3", ["-m", "venv", directory], { env: surroundings }).then(() =>
        run(join(directory, "bin/pip"), ["install", "--quiet", `acme==${version}`], {
          env: surroundings,
          within: 300,
        }),
      ),
    ),
  steps: (world, directory) => {
    const order = (challenges: string, name: string) =>
      world.serving(() =>
        run(
          join(directory, "bin/python"),
          [join(import.meta.dirname, "python.py"), world.directory(), challenges, name],
          { env: { REQUESTS_CA_BUNDLE: world.trusted } },
        ),
      );
    return [
      [
        "issue (http-01)",
        async () => {
          const name = "python.acme.test";
          const files = join(world.webroot, ".well-known/acme-challenge");
          world.verify(await order(files, name), [name]);
        },
      ],
      [
        "report why a challenge failed",
        () => refused(order("", "python-fails.acme.test"), "python-fails.acme.test"),
      ],
    ];
  },
};
