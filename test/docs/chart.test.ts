import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/syntax.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const chart = (path: string): string => read(join("deploy/helm/sealwright", path));
const parsed = (text: string): Readonly<Record<string, unknown>> => JSON.parse(text);

it("the Helm chart has the version of the package, as its own version and as that of the image", () => {
  const { version } = parsed(read("package.json"));
  const versions = [...chart("Chart.yaml").matchAll(/^(version|appVersion): (.*)$/gm)];
  expect(versions.map(([, name, value]) => [name, value])).toEqual([
    ["version", version],
    ["appVersion", version],
  ]);
});

it("the schema of the Helm chart has the values of values.yaml and no others", () => {
  const { properties } = parsed(chart("values.schema.json"));
  const named = [...chart("values.yaml").matchAll(/^(\w+):/gm)].map(([, name]) => name);
  // Helm adds `global` to the values of every chart
  expect(Object.keys(Object(properties)).toSorted()).toEqual([...named, "global"].toSorted());
});

it("the Helm chart runs as the user of the image, with the mounts that the image needs", () => {
  const [, uid] = /^USER (\d+):\1$/m.exec(read("deploy/Dockerfile")) ?? [];
  expect(chart("values.yaml").match(/(?<=runAsUser: |runAsGroup: |fsGroup: )\d+/g)).toEqual([
    uid,
    uid,
    uid,
  ]);
  const template = chart("templates/statefulset.yaml");
  const [, data] = /DATA_DIR=(\S+)/.exec(read("deploy/Dockerfile")) ?? [];
  expect(template).toContain(`{ name: data, mountPath: ${data} }`);
  const [, port] = /PORT=(\d+)/.exec(read("deploy/Dockerfile")) ?? [];
  expect(template).toContain(`containerPort: ${port}`);
});
