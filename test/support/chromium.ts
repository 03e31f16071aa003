import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

/** Launch options of the tests' Chromium, in Playwright's form. */
export interface Launch {
  executablePath?: string;
  args: string[];
  /** Default arguments of Playwright to leave out. */
  ignoreDefaultArgs?: string[];
  env?: Record<string, string>;
}

const installed = [
  "/usr/bin/google-chrome",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Chromium for the tests: `CHROMIUM_PATH`, else the packaged one on linux x64, else an installed
 * one.
 */
export async function chromiumLaunch(): Promise<Launch> {
  const args = process.platform === "linux" ? ["--no-sandbox"] : [];
  const named = process.env["CHROMIUM_PATH"];
  if (named) return { executablePath: named, args };
  if (process.platform === "linux" && process.arch === "x64")
    return { args, ...memory(), ...(await packaged()) };
  const executable = installed.find((path) => existsSync(path));
  return executable ? { executablePath: executable, args } : { args };
}

/** Bytes of shared memory that suffice for the tabs of a test run. */
const enoughMemory = 2 ** 30;

/**
 * Lets Chromium use /dev/shm if it is large enough. Playwright disables it, because containers have
 * little of it; the files used instead cost a tenth of the browser's time.
 */
function memory(): Pick<Launch, "ignoreDefaultArgs"> {
  if (!existsSync("/dev/shm")) return {};
  const { bavail, bsize } = statfsSync("/dev/shm");
  return bavail * bsize >= enoughMemory ? { ignoreDefaultArgs: ["--disable-dev-shm-usage"] } : {};
}

/**
 * Writes a font configuration: that of the package names missing folders, and a page with an input
 * field would crash.
 */
function fontsIn(folder: string): string {
  mkdirSync(join(folder, "fontcache"), { recursive: true });
  const file = join(folder, "fonts.conf");
  const folders = [`${folder}/fonts/fonts`, "/usr/share/fonts"]
    .map((dir) => `<dir>${dir}</dir>`)
    .join("");
  // Other installed fonts would provide the bold style of a family with fewer weights.
  const others = ["urw-base35", "Type1"].map((dir) => `<glob>*/${dir}/*</glob>`).join("");
  const fontRules = `<selectfont><rejectfont>${others}</rejectfont></selectfont>`;
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}${fontRules}<cachedir>${folder}/fontcache</cachedir></fontconfig>`;
  // Browsers of other test files may read it at any time, so that it must always exist and be
  // complete.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  }
  return file;
}

/**
 * Imports the package so that it unpacks its shared libraries, which it does only on a function
 * host and into the temporary folder: both are simulated during the import.
 */
async function packaged(): Promise<{ executablePath: string; env: Record<string, string> }> {
  const folder = resolve("node_modules/.cache/chromium");
  mkdirSync(folder, { recursive: true });
  const names = ["TMPDIR", "LD_LIBRARY_PATH", "AWS_LAMBDA_JS_RUNTIME", "FONTCONFIG_PATH"];
  const saved = names.map((name) => process.env[name]);
  process.env["TMPDIR"] = folder;
  process.env["AWS_LAMBDA_JS_RUNTIME"] = "nodejs24.x";
  try {
    const { default: chromium } = await import("@sparticuz/chromium");
    const executablePath = await chromium.executablePath();
    const env = {
      ...process.env,
      LD_LIBRARY_PATH: resolve(folder, "al2023/lib"),
      FONTCONFIG_FILE: fontsIn(folder),
      TMPDIR: saved[0] ?? "/tmp",
    } as Record<string, string>;
    delete env["AWS_LAMBDA_JS_RUNTIME"];
    return { executablePath, env };
  } finally {
    names.forEach((name, i) => {
      const value = saved[i];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    });
  }
}
