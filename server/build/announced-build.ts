/**
 * Runs a build of the console. Announces it before, because the server serves nothing until the
 * build ends, and its duration afterwards. `now` returns the time in Unix ms.
 */
export async function announceBuild(
  build: () => Promise<void>,
  announce: (line: string) => void,
  now: () => number = Date.now,
): Promise<void> {
  const begun = now();
  announce("Building the console. This takes a few seconds.");
  await build();
  announce(`Built the console in ${((now() - begun) / 1000).toFixed(1)} s.`);
}
