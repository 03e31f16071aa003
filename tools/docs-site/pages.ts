import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** A group in the navigation. */
export interface Group {
  readonly text: string;
  /** Paths of the group's pages in the checkout. */
  readonly pages: readonly string[];
}

const guide = (name: string): string => `docs/guides/${name}.md`;
const doc = (name: string): string => `docs/${name}.md`;

/** The groups of the navigation that are defined by hand. */
export const groups: readonly Group[] = [
  {
    text: "Start",
    pages: [
      "README.md",
      guide("trusted-https"),
      doc("concepts"),
      doc("console"),
      doc("troubleshooting"),
    ],
  },
  {
    text: "Run a server",
    pages: [
      ...[
        "deploy",
        "production",
        "cli",
        "settings",
        "backups",
        "metrics",
        "scale",
        "events",
        "audit",
        "log",
      ].map(doc),
      doc("access"),
      ...["two-nodes", "kubernetes", "hierarchy"].map(guide),
    ],
  },
  {
    text: "Without a server",
    pages: [...["cloudflare", "cloudflare-costs"].map(doc), guide("static-page")],
  },
  {
    text: "Enrollment and keys",
    pages: ["acme", "est", "external-policy", "managed-keys", "archives", "ml-dsa"].map(doc),
  },
  {
    text: "In a program",
    pages: [
      ...["library", "verify"].map(doc),
      ...["ca-in-a-page", "ca-in-a-worker", "frameworks", "own-authenticate"].map(guide),
    ],
  },
  {
    text: "Move",
    pages: ["coming-from-vault-pki", "coming-from-step-ca-and-ejbca"].map(guide),
  },
  {
    text: "Look up",
    pages: [
      "docs/reference/README.md",
      ...["limits", "versions", "dependencies"].map(doc),
      "SECURITY.md",
      "CHANGELOG.md",
    ],
  },
  {
    text: "Inside",
    pages: [
      ...["architecture", "rooms", "server", "partitions", "crl-life", "acme-order"].map(doc),
      "docs/protocol-code.md",
      "docs/rules/README.md",
      "CONTRIBUTING.md",
      "bench/README.md",
    ],
  },
];

const pagesIn = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => `${folder}/${name}`);
const examplesOf = (root: string): readonly string[] =>
  readdirSync(join(root, "examples")).map((name) => `examples/${name}/README.md`);

/** Returns the paths of all Markdown files that become pages. */
export const pagesOf = (root: string): readonly string[] => [
  "README.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "bench/README.md",
  ...["docs", "docs/guides", "docs/reference", "docs/rules"].flatMap((folder) =>
    pagesIn(root, folder),
  ),
  ...examplesOf(root),
];

/**
 * Returns the navigation: the groups above, the examples, the reference, and the pages that no
 * group lists.
 */
export function navigationOf(root: string): readonly Group[] {
  const isIndex = (path: string): boolean => path.endsWith("/README.md");
  const listed = new Set(groups.flatMap(({ pages }) => pages));
  const others = ["docs", "docs/guides"]
    .flatMap((folder) => pagesIn(root, folder))
    .filter((path) => !listed.has(path) && !isIndex(path));
  return [
    ...groups,
    ...(others.length > 0 ? [{ text: "More", pages: others }] : []),
    { text: "Examples", pages: examplesOf(root) },
    {
      text: "Reference",
      pages: pagesIn(root, "docs/reference").filter((path) => !isIndex(path)),
    },
  ];
}

/** Returns the first heading of a page, or its path if it has none. */
export function titleOf(root: string, path: string): string {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8")) ?? [];
  return title.replaceAll("`", "");
}

/** Returns the paths of the files in the checkout that a page links to, except other pages. */
export function filesLinkedBy(root: string, path: string): readonly string[] {
  const text = readFileSync(join(root, path), "utf8");
  const links = text.matchAll(/(?:\]\(|src(?:set)?=")(?!https?:|mailto:|#)([^)"#\s]+)/g);
  return [...links]
    .map(([, to = ""]) => posix.join(posix.dirname(path), to))
    .filter((to) => !to.endsWith(".md") && existsSync(join(root, to)))
    .filter((to) => statSync(join(root, to)).isFile());
}
