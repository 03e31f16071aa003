import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, surroundings } from "../platform/client.ts";
import { refused, type Client, type Step } from "./client.ts";
import { run } from "./command.ts";
import type { World } from "./world.ts";

const tokio = 'tokio = { version = "1", features = ["rt-multi-thread", "macros"] }';

/** A crate with the program in the directory `rust`, built in the directory of the client. */
function crate(
  program: string,
  version: string,
  dependencies: readonly string[],
): Pick<Client, "program" | "version" | "install"> {
  return {
    program,
    version,
    install: (directory) => {
      writeFileSync(
        join(directory, "Cargo.toml"),
        [
          `[package]\nname = "client"\nversion = "0.0.0"\nedition = "2021"`,
          `[[bin]]\nname = "client"`,
          `path = ${JSON.stringify(join(import.meta.dirname, "rust", `${program}.rs`))}`,
          "[dependencies]",
          ...dependencies,
        ].join("\n"),
      );
      return attempt(
        run("cargo", ["build", "--quiet"], {
          cwd: directory,
          env: { ...surroundings, CARGO_TARGET_DIR: join(directory, "target") },
          within: 900,
        }),
      );
    },
  };
}

/** Issues a certificate for a name; `plain`: over HTTP. */
async function issue(
  world: World,
  directory: string,
  { name, plain = false }: { readonly name: string; readonly plain?: boolean },
): Promise<void> {
  const challenges = join(world.webroot, ".well-known/acme-challenge");
  const words = [world.directory("acme", plain), challenges, name, world.trusted];
  const chain = await world.serving(() => run(join(directory, "target/debug/client"), words));
  world.verify(chain, [name], plain);
}

/** Runs the client without an answer to its challenge; it must report why the challenge failed. */
const reports = (world: World, directory: string): Step => [
  "report why a challenge failed",
  () =>
    world.serving(() =>
      refused(
        run(join(directory, "target/debug/client"), [
          world.directory(),
          "",
          "rust-fails.acme.test",
          world.trusted,
        ]),
        "rust-fails.acme.test",
      ),
    ),
];

/** Clients written in Rust. */
export const rustClients: readonly Client[] = [
  {
    // it trusts only the public web roots
    ...crate("acme-micro", "0.14.0", ['acme-micro = "=0.14.0"']),
    steps: (world, directory) => [
      [
        "issue (http-01, over plain http)",
        () => issue(world, directory, { name: "micro.acme.test", plain: true }),
      ],
    ],
  },
  {
    ...crate("acme2", "0.5.1", [
      'acme2 = "=0.5.1"',
      'reqwest = { version = "0.11", default-features = false, features = ["rustls-tls"] }',
      tokio,
    ]),
    steps: (world, directory) => [
      ["issue (http-01)", () => issue(world, directory, { name: "acme2.acme.test" })],
    ],
  },
  {
    ...crate("instant-acme", "0.8.5", [
      'instant-acme = { version = "=0.8.5", default-features = false, features = ["hyper-rustls", "ring", "rcgen"] }',
      tokio,
    ]),
    steps: (world, directory) => [
      ["issue (http-01)", () => issue(world, directory, { name: "instant.acme.test" })],
      reports(world, directory),
    ],
  },
];
