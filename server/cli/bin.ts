#!/usr/bin/env node
// the rest is imported only after this check, because an older Node could not parse it

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 13)) await import("./program.ts");
else {
  console.error(
    `sealwright needs Node 22.13 or newer; this is ${process.version}. Run "npm install node@22" in this directory, and npx will use that version.`,
  );
  process.exitCode = 1;
}
