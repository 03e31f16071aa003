import { join } from "node:path";
import { run } from "../acme/command.ts";
import { startServices } from "./services.ts";
import { attempt, ended, surroundings, type Client } from "./client.ts";

const here = import.meta.dirname;

/** The Go SDK of the open-source fork. */
export const goSdk: Client = {
  name: "go-sdk",
  install: (directory) =>
    attempt(
      run("go", ["build", "-o", join(directory, "go-platform"), "."], {
        cwd: join(here, "../go-platform"),
        env: { ...surroundings, CGO_ENABLED: "0" },
        within: 300,
      }),
    ),
  async work({ url, token }, directory) {
    const services = await startServices();
    const env = { BAO_TOKEN: token, ...services.env };
    ended(await run(join(directory, "go-platform"), [url], { env }).finally(services.close));
    return run("go", ["list", "-m", "github.com/openbao/openbao/api/v2"], {
      cwd: join(here, "../go-platform"),
      env: surroundings,
    });
  },
};

/** hvac, the client for Python. */
export const hvac: Client = {
  name: "hvac",
  install: (directory) =>
    attempt(
      run("python3", ["-m", "venv", directory], { env: surroundings }).then(() =>
        run(join(directory, "bin/pip"), ["install", "--quiet", "hvac"], { env: surroundings }),
      ),
    ),
  async work({ url, token }, directory) {
    const python = join(directory, "bin/python");
    const program = join(here, "hvac-client.py");
    ended(await run(python, [program, url], { env: { VAULT_TOKEN: token } }));
    return run(python, ["-c", "import importlib.metadata as m; print('hvac', m.version('hvac'))"]);
  },
};

/** node-vault, the client for Node. */
export const nodeVault: Client = {
  name: "node-vault",
  install: (directory) =>
    attempt(run("npm", ["install", "--prefix", directory, "node-vault"], { env: surroundings })),
  async work({ url, token }, directory) {
    const program = join(here, "node-vault-client.mjs");
    ended(await run("node", [program, directory, url], { env: { VAULT_TOKEN: token } }));
    return run("node", [
      "-p",
      `"node-vault " + require(${JSON.stringify(`${directory}/node_modules/node-vault/package.json`)}).version`,
    ]);
  },
};
