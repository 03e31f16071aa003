import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";

/** How to start the Chromium of the tests, in the form that Playwright takes. */
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
  const found = installed.find((path) => existsSync(path));
  return found ? { executablePath: found, args } : { args };
}

/** Bytes of shared memory that are enough for the tabs of a test run. */
const enoughMemory = 2 ** 30;

/**
 * Lets Chromium use /dev/shm where it is large enough. Playwright turns it off, because containers
 * have little of it; files in its place cost a tenth of the browser's time.
 */
function memory(): Pick<Launch, "ignoreDefaultArgs"> {
  if (!existsSync("/dev/shm")) return {};
  const { bavail, bsize } = statfsSync("/dev/shm");
  return bavail * bsize >= enoughMemory ? { ignoreDefaultArgs: ["--disable-dev-shm-usage"] } : {};
}

/**
 * The package's own font configuration names folders that are not there, and a page with an input
 * field crashes then.
 */
function fontsIn(folder: string): string {
  mkdirSync(join(folder, "fontcache"), { recursive: true });
  const file = join(folder, "fonts.conf");
  const folders = [`${folder}/fonts/fonts`, "/usr/share/fonts"]
    .map((dir) => `<dir>${dir}</dir>`)
    .join("");
  // Others that are installed would lend their bold letters to a family that has fewer weights.
  const others = ["urw-base35", "Type1"].map((dir) => `<glob>*/${dir}/*</glob>`).join("");
  const ours = `<selectfont><rejectfont>${others}</rejectfont></selectfont>`;
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}${ours}<cachedir>${folder}/fontcache</cachedir></fontconfig>`;
  // Other files of the run have browsers that read it at any time: it is there, and whole, always.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  }
  return file;
}

/**
 * The package unpacks its shared libraries only where it believes to be on a function host, and
 * into the temporary folder: both are said for the import only.
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
