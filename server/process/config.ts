import { uniqueKey } from "../data/stored.ts";

/** Directories, names and bindings of one local deployment; every path absolute. */
export interface DeploymentPaths {
  /** The runtime's Unix socket. */
  socket: string;
  /** Where Durable Objects keep their databases. */
  objects: string;
  /** The built page. */
  demo: string;
}

/** What the runtime's main Worker is made of and is given. */
export interface MainWorker {
  /** Names of its variables. */
  readonly variables: readonly string[];
  /** Names of its modules, the entry first. */
  readonly modules: readonly string[];
}
/** The entry of a built Worker, and the directory of its modules below the configuration's. */
export const [entryName, modulesIn] = ["index.js", "worker"];

/** Headers by which only the front speaks to the runtime; drawn anew at each start. */
export interface FrontHeaders {
  about: string;
  scheme: string;
}

const compatibility = `compatibilityDate = "2026-10-20",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"]`;

/** A text literal of the configuration language. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}

/** The line of a module of the main Worker. */
const embedded = (name: string): string =>
  `    (name = ${quoted(name)}, esModule = embed ${quoted(`${modulesIn}/${name}`)}),\n`;

/** The Workers that stand for KV and for the files of the page. */
const besides = `const kv :Workerd.Worker = (
  modules = [(name = "kv.js", esModule = embed "kv.js")],
  ${compatibility},
  durableObjectNamespaces = [
    (className = "KvObject", uniqueKey = "sealwright-kv-object", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [(name = "OBJECT", durableObjectNamespace = "KvObject")],
);

const assets :Workerd.Worker = (
  modules = [(name = "assets.js", esModule = embed "assets.js")],
  ${compatibility},
  bindings = [(name = "FILES", service = "demo")],
);
`;

/**
 * The runtime's configuration. Values of `variables` do not stand in it: the runtime takes them
 * from its environment, where neither a file nor the list of processes shows them. Modules are
 * embedded from the configuration's own directory (`kv.js`, `assets.js`) and the one below it.
 */
export function workerdConfig(
  paths: DeploymentPaths,
  headers: FrontHeaders,
  { variables, modules }: MainWorker,
): string {
  const texts = variables
    .map((name) => `    (name = ${quoted(name)}, fromEnvironment = ${quoted(name)}),\n`)
    .join("");
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "kv", worker = .kv),
    (name = "assets", worker = .assets),
    (name = "objects", disk = (path = ${quoted(paths.objects)}, writable = true)),
    (name = "demo", disk = (path = ${quoted(paths.demo)})),
    (name = "internet", network = (
      allow = ["public", "private", "local"],
      tlsOptions = (trustBrowserCas = true),
    )),
  ],
  sockets = [(
    name = "http",
    address = ${quoted(`unix:${paths.socket}`)},
    http = (
      cfBlobHeader = ${quoted(headers.about)},
      forwardedProtoHeader = ${quoted(headers.scheme)},
    ),
    service = "main",
  )],
);

const main :Workerd.Worker = (
  modules = [
${modules.map(embedded).join("")}  ],
  ${compatibility},
  durableObjectNamespaces = [
    (className = "MountObject", uniqueKey = ${quoted(uniqueKey)}, enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "MOUNT", durableObjectNamespace = "MountObject"),
    (name = "PUBLISHED", kvNamespace = "kv"),
    (name = "ASSETS", service = "assets"),
${texts}  ],
);

${besides}`;
}
