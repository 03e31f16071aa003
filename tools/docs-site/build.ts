import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { filesLinkedBy, navigationOf, pagesOf, titleOf } from "./pages.ts";

// Builds the documentation site: npm run site -- [DIR]. DOCS_BASE is the path at which the site is
// served.
const here = import.meta.dirname;
const root = join(here, "../..");
const out = resolve(process.argv[2] ?? join(root, "dist/docs-site"));
const generator = join(here, "node_modules/vitepress/bin/vitepress.js");

if (!existsSync(generator))
  execFileSync("npm", ["ci", "--ignore-scripts", "--prefix", here], { stdio: "inherit" });

const isImage = (path: string): boolean => /\.(png|webp)$/.test(path);
/**
 * Returns the path in the site of a file that is neither a page nor an image. The site serves such
 * files as text.
 */
const shown = (path: string): string => `files/${path}.txt`;
/** Returns the Markdown of a page, with its links rewritten to files of the site. */
function pageOf(path: string): string {
  const files = new Set(filesLinkedBy(root, path).filter((file) => !isImage(file)));
  return readFileSync(join(root, path), "utf8")
    .replaceAll(/<!--[^]*?-->\n*/g, "")
    .replaceAll(/<picture>[^]*?<img alt="([^"]*)" src="([^"]*)"[^]*?<\/picture>/g, "![$1](./$2)")
    .replaceAll(/\]\(([^)#\s]+)\)/g, (link, to: string) => {
      const file = posix.join(posix.dirname(path), to);
      return files.has(file) ? `](/${shown(file)})` : link;
    });
}

const source = mkdtempSync(join(tmpdir(), "sealwright-docs-site-"));
try {
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), content);
  };
  // pages are plain Markdown, not Vue templates
  const writePage = (path: string, text: string): void => {
    // exclude pages for contributors from the search
    const head = path.startsWith("docs/rules/") ? "---\nsearch: false\n---\n\n" : "";
    write(path, `${head}::: v-pre\n\n${text}\n\n:::\n`);
  };
  const pages = pagesOf(root);
  for (const page of pages) {
    writePage(page, pageOf(page));
    for (const file of filesLinkedBy(root, page))
      write(isImage(file) ? file : `public/${shown(file)}`, readFileSync(join(root, file)));
  }
  write("public/docs/openapi.json", readFileSync(join(root, "docs/openapi.json")));
  const fromRoot = pageOf("docs/README.md").replaceAll(
    /\]\((?!https?:|#|\/)([^)]+)\)/g,
    (_, to: string) => (to.startsWith("../") ? `](${to.slice(3)})` : `](docs/${to})`),
  );
  writePage("index.md", fromRoot);
  const sidebar = navigationOf(root).map(({ text, pages: items }) => ({
    text,
    collapsed: !["Start", "Run a server"].includes(text),
    items: items.map((path) => ({ text: titleOf(root, path), link: `/${path.slice(0, -3)}` })),
  }));
  write(".vitepress/theme/style.css", readFileSync(join(here, "style.css")));
  write(
    ".vitepress/theme/index.js",
    'import "./style.css";\nexport { default } from "vitepress/theme-without-fonts";\n',
  );
  // the links in the pages use the same anchors as on code hosts
  const slugify =
    'text => text.trim().toLowerCase().replace(/[^\\p{L}\\p{N}\\s_-]/gu, "").replace(/\\s/g, "-")';
  write(
    ".vitepress/config.js",
    `const config = ${JSON.stringify({
      title: "Sealwright",
      description: "Documentation of Sealwright, a certificate authority",
      base: process.env["DOCS_BASE"] ?? "/",
      outDir: out,
      cacheDir: join(source, "cache"),
      ignoreDeadLinks: "localhostLinks",
      // text such as "<name>" must not become an HTML element
      markdown: { html: false },
      themeConfig: {
        search: { provider: "local" },
        outline: [2, 3],
        sidebar,
        nav: [
          { text: "Guide", link: "/docs/guides/trusted-https" },
          { text: "Reference", link: "/docs/reference/README" },
          { text: "OpenAPI", link: "/docs/openapi.json", target: "_self" },
          { text: "Settings", link: "/docs/settings" },
        ],
      },
    })};
config.markdown.anchor = { slugify: ${slugify} };
export default config;
`,
  );
  write("package.json", readFileSync(join(here, "package.json")));
  symlinkSync(join(here, "node_modules"), join(source, "node_modules"));
  execFileSync(process.execPath, [generator, "build", source], { stdio: "inherit" });
} finally {
  rmSync(source, { recursive: true, force: true });
}
