/** The public URLs of the project. An empty string means that there is none yet. */
export interface Addresses {
  /** URL of the Git repository, such as `git+https://host.example/group/sealwright.git`. */
  readonly repository: string;
  readonly homepage: string;
  /** URL of the issue tracker. */
  readonly bugs: string;
}

/** Returns a package.json with the URLs after its license. Throws TypeError if a URL is invalid. */
export function withAddresses(
  manifest: Readonly<Record<string, unknown>>,
  { repository, homepage, bugs }: Addresses,
): Record<string, unknown> {
  for (const url of [repository, homepage, bugs])
    if (url !== "" && !URL.canParse(url)) throw new TypeError(`${url} is not a URL`);
  const fields = {
    ...(homepage === "" ? {} : { homepage }),
    ...(bugs === "" ? {} : { bugs: { url: bugs } }),
    ...(repository === "" ? {} : { repository: { type: "git", url: repository } }),
  };
  const { homepage: _, bugs: __, repository: ___, ...others } = manifest;
  const entries = Object.entries(others).flatMap(([name, value]) =>
    name === "license"
      ? [[name, value] as const, ...Object.entries(fields)]
      : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
