#!/usr/bin/env node
// imports the rest only after the check: an older Node could not parse it

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 13)) await import("./program.ts");
else {
  console.error(
    `sealwright needs Node 22.13 or newer; this is ${process.version}. After "npm install node@22" in this directory npx uses a newer one.`,
  );
  process.exitCode = 1;
}
