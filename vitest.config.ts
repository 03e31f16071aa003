import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { chromiumLaunch } from "./test/support/chromium.ts";

/** What starts servers, runtimes and browsers. */
const servers = [
  "test/{hosts,http,interop,postgres,server,worker}/**/*.test.ts",
  "test/demo/{build,site}.test.ts",
  "test/{package,examples,types}.test.ts",
];

/**
 * What changes what all share, or mocks a module, which has no effect on modules that have loaded
 * it before: each file in a process of its own.
 */
const alone = [
  "test/auth/userpass/imported-hash.test.ts",
  "test/x509/prime-modulus.test.ts",
  "test/wire/{audited,without-body}.test.ts",
];

/** The console in Chromium. */
const pages = "test/demo/*.test.ts";

/**
 * Three files more than there are cores: files wait for servers, browsers and processes for half of
 * their time.
 */
const maxWorkers = availableParallelism() + 3;

/**
 * Timeout of a test or hook that hangs, milliseconds. The duration of the others depends on the
 * machine and its load; no test measures it.
 */
const maxDuration = 600_000;
/** Timeout of `expect.poll`, milliseconds, for the same reason far above any real delay. */
const maxPolling = 120_000;

/**
 * V8 flags of the processes that run tests. Their heaps hold about 200 MB of modules. By default V8
 * marks such a heap again after a growth of a few MB, or for 64 MB of short-lived buffers, when the
 * cores are busy. That took two thirds of the CPU time of the project `node`.
 */
const heapFlags = [
  "--heap-growing-percent=100",
  "--external-memory-accounted-in-global-limit",
  "--no-memory-reducer",
];
// threads share the flags of this process
for (const flag of heapFlags) setFlagsFromString(flag);

/** A service beside the Worker, bound as a deployment binds one: an external policy that says no. */
async function policyService(request: Request): Promise<Response> {
  if (request.url.endsWith("/moved"))
    return new Response(null, { status: 302, headers: { Location: "https://policy.example/" } });
  const { request_uuid } = (await request.json()) as { readonly request_uuid: string };
  return Response.json({ request_uuid, error: `${request.method} ${request.url}` });
}

export default defineConfig(async () => ({
  test: {
    projects: [
      {
        test: {
          name: "node",
          maxWorkers,
          environment: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/browser/**", "test/workerd/**", pages, ...servers, ...alone],
          setupFiles: [
            "test/support/clean-up.ts",
            ...(process.env["SEALWRIGHT_TEST_DATABASE"] ? ["test/support/shared-database.ts"] : []),
            ...(process.env["SEALWRIGHT_TEST_PARTITIONS"] ? ["test/support/partitions.ts"] : []),
            ...(process.env["SEALWRIGHT_TEST_COVERAGE"] ? ["test/support/file-coverage.ts"] : []),
          ],
          // one process keeps the modules between files: loading them anew for each took three
          // quarters of the time
          pool: "threads" as const,
          isolate: false,
          testTimeout: maxDuration,
          hookTimeout: maxDuration,
          expect: { poll: { timeout: maxPolling } },
        },
      },
      {
        test: {
          name: "servers",
          maxWorkers,
          execArgv: heapFlags,
          environment: "node",
          include: servers,
          setupFiles: ["test/support/clean-up.ts"],
          // the files that run in a process share its modules
          isolate: false,
          testTimeout: maxDuration,
          hookTimeout: maxDuration,
          expect: { poll: { timeout: maxPolling } },
        },
      },
      {
        test: {
          name: "alone",
          maxWorkers,
          execArgv: heapFlags,
          environment: "node",
          include: alone,
          setupFiles: ["test/support/clean-up.ts"],
          testTimeout: maxDuration,
          hookTimeout: maxDuration,
        },
      },
      {
        test: {
          name: "console",
          maxWorkers,
          execArgv: heapFlags,
          environment: "node",
          include: [pages],
          exclude: ["test/demo/{build,site}.test.ts"],
          setupFiles: ["test/support/clean-up.ts"],
          // the files that run in a process share its Chromium and its engine's modules
          isolate: false,
          testTimeout: maxDuration,
          hookTimeout: maxDuration,
          expect: { poll: { timeout: maxPolling } },
        },
      },
      {
        plugins: [
          cloudflareTest({
            // the sources: what wrangler deploys is built and minified
            main: "./worker/index.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { serviceBindings: { POLICY: policyService } },
          }),
        ],
        test: {
          name: "workerd",
          maxWorkers,
          include: ["test/workerd/**/*.test.ts"],
          testTimeout: maxDuration,
          hookTimeout: maxDuration,
          expect: { poll: { timeout: maxPolling } },
        },
      },
      {
        test: {
          name: "chromium",
          maxWorkers,
          include: ["test/browser/**/*.test.ts"],
          // the files that run in a page share its modules
          isolate: false,
          testTimeout: maxDuration,
          hookTimeout: maxDuration,
          expect: { poll: { timeout: maxPolling } },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: await chromiumLaunch() }),
            instances: [{ browser: "chromium" as const }],
          },
        },
      },
    ],
  },
}));
