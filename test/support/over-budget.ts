/** Files that still break a budget of `test/architecture.test.ts`. Only ever shorter. */
export const overBudget: readonly string[] = [
  "src/base/der-read.ts",
  "src/engine/snapshot.ts",
  "src/engine/wrapped.ts",
  "src/wire/client.ts",
  "src/wire/field.ts",
  "src/wire/openapi.ts",
  "src/x509/extension-value.ts",
  "worker/object.ts",
];
