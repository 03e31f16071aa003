import { join } from "node:path";
import { expect, it } from "vitest";
import { invocationOf } from "../../server/settings/invocation.ts";

const here = process.cwd();
it.each([
  ["npx sealwright", { npm_command: "exec" }, "node_modules/.bin/sealwright"],
  ["npx sealwright", {}, "node_modules/.bin/sealwright"],
  ["npx sealwright", { npm_command: "exec" }, "node_modules/sealwright/dist/bin/sealwright.js"],
  ["node dist/bin/sealwright.js", {}, "dist/bin/sealwright.js"],
  ["sealwright", {}, "../bin/sealwright"],
  ["node server/cli/program.ts", {}, "server/cli/program.ts"],
  ["node server/cli/program.ts", {}, "server/cli/serve.ts"],
  ["npm run -s sealwright --", { npm_lifecycle_event: "start" }, "server/cli/serve.ts"],
  ["npm run -s sealwright --", { npm_lifecycle_event: "sealwright" }, "server/cli/program.ts"],
])("commands to copy begin with %s", (words, env, program) => {
  expect(invocationOf(env, join(here, program))).toBe(words);
});
