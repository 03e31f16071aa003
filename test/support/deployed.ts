import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { worker } from "../../worker/build/build.ts";
import { builtDemo, builtWorker } from "./built.ts";
import { freePort } from "./ports.ts";
import { temporaryDirectory, type RunningServer } from "./server.ts";
import { httpSocket, quoted, runWorkerd } from "./workerd.ts";

/** Deployment options of the Worker. */
export interface DeploymentOptions {
  /** Entry of the Worker; default `worker/index.ts`. */
  readonly entry?: string;
  /**
   * Variables and secrets. Default: secrets generated once per directory, and the deployment's own
   * address as `PUBLIC_URL`.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Directory of rows and secrets; kept if named, else a new one that `stop` removes. */
  readonly dataDir?: string;
  /** True if the console is deployed below `/demo/`. */
  readonly console?: boolean;
}

/** The Worker in workerd, bound as `wrangler.toml` binds it. `stop` kills workerd, too. */
export interface Deployment extends RunningServer {
  /** The first token of the variables API. */
  readonly varsToken: string;
}

/** Builds the Worker and deploys it to workerd, on a free port of 127.0.0.1. */
export async function startDeployed(options: DeploymentOptions = {}): Promise<Deployment> {
  const dataDir = options.dataDir ?? temporaryDirectory();
  const [main, kv, assets, console] = await Promise.all([
    builtWorker(options.entry ?? worker.entry),
    builtWorker(join(import.meta.dirname, "deployed/kv-worker.ts")),
    builtWorker(join(import.meta.dirname, "deployed/assets-worker.ts")),
    options.console ? builtDemo() : undefined,
  ]);
  mkdirSync(join(dataDir, "objects"), { recursive: true });
  // workerd embeds modules by paths below its configuration
  const built = { main, kv, assets };
  for (const [name, target] of Object.entries(built)) {
    rmSync(join(dataDir, name), { force: true });
    symlinkSync(target, join(dataDir, name));
  }
  const port = await freePort();
  const variables = {
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...secretsIn(dataDir),
    ...options.env,
  };
  const config = configurationOf(dataDir, {
    port,
    modules: readdirSync(main),
    variables: Object.keys(variables),
    console,
  });
  const { url, pid, output, kill } = await runWorkerd(dataDir, config, variables);
  return {
    url,
    token: variables.SERVICE_ROOT_TOKEN,
    varsToken: variables.VARS_TOKEN,
    dataDir,
    pid,
    output,
    async stop() {
      await kill();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      return null;
    },
    kill9: kill,
  };
}

/** The secrets that a deployment requires. */
interface Secrets {
  readonly SERVICE_ROOT_TOKEN: string;
  readonly VARS_TOKEN: string;
  readonly SEALING_KEY: string;
}

/** Returns the secrets in a directory, which the first deployment there generates. */
function secretsIn(folder: string): Secrets {
  const file = join(folder, "secrets.json");
  if (!existsSync(file)) {
    const secrets: Secrets = {
      SERVICE_ROOT_TOKEN: `s.${randomBytes(32).toString("base64url")}`,
      VARS_TOKEN: `v.${randomBytes(32).toString("base64url")}`,
      SEALING_KEY: randomBytes(32).toString("base64"),
    };
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, "utf8")) as Secrets;
}

const compatibility = `compatibilityDate = "2026-10-20",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2", "webcrypto_modern_algorithms"]`;

interface MainWorker {
  readonly port: number;
  /** File names of its modules. */
  readonly modules: readonly string[];
  /** Names of its variables; workerd reads their values from its environment. */
  readonly variables: readonly string[];
  /** Directory of the built console, if it is deployed. */
  readonly console: string | undefined;
}

/** Returns workerd's configuration of a deployment in `folder`. */
function configurationOf(
  folder: string,
  { port, modules, variables, console }: MainWorker,
): string {
  const embedded = modules
    // the entry comes first
    .toSorted((a, b) => Number(b === "index.js") - Number(a === "index.js"))
    .map((name) => `(name = ${quoted(name)}, esModule = embed ${quoted(`main/${name}`)})`);
  const bindings = [
    `(name = "MOUNT", durableObjectNamespace = "MountObject")`,
    `(name = "PUBLISHED", kvNamespace = "kv")`,
    ...(console === undefined ? [] : [`(name = "ASSETS", service = "assets")`]),
    ...variables.map((name) => `(name = ${quoted(name)}, fromEnvironment = ${quoted(name)})`),
  ];
  const consoleServices =
    console === undefined
      ? []
      : [
          `(name = "assets", worker = .assets)`,
          `(name = "console", disk = (path = ${quoted(console)}))`,
        ];
  const services = [
    `(name = "main", worker = .main)`,
    `(name = "kv", worker = .kv)`,
    `(name = "objects", disk = (path = ${quoted(join(folder, "objects"))}, writable = true))`,
    ...consoleServices,
    // tests run the servers that the Worker connects to on this host
    `(name = "internet", network = (
      allow = ["public", "private", "local"],
      tlsOptions = (trustBrowserCas = true),
    ))`,
  ];
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    ${services.join(",\n    ")},
  ],
  sockets = [${httpSocket(port)}],
);

const main :Workerd.Worker = (
  modules = [
    ${embedded.join(",\n    ")},
  ],
  ${compatibility},
  durableObjectNamespaces = [
    (className = "MountObject", uniqueKey = "MountObject", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    ${bindings.join(",\n    ")},
  ],
);

const kv :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "kv/index.js")],
  ${compatibility},
  durableObjectNamespaces = [
    (className = "KvObject", uniqueKey = "KvObject", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [(name = "OBJECT", durableObjectNamespace = "KvObject")],
);

const assets :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "assets/index.js")],
  ${compatibility},
  bindings = [(name = "FILES", service = "console")],
);
`;
}
