import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ServerTls } from "../../server/process/server-tls.ts";
import { fileSource } from "../../server/process/tls-source.ts";
import type { TlsPair } from "../../server/http/tls-layer.ts";
import { certificate } from "../net/tls-fixture.ts";
import { temporaryDirectory } from "../support/server.ts";

const pair = async (): Promise<TlsPair> => {
  const { key, pem } = await certificate({ names: { dns: ["localhost"] } });
  return { key: key.pem, cert: pem };
};
const [first, second, third] = [await pair(), await pair(), await pair()];
const kept = "; the server keeps its current certificate.";

/** Returns a serving side that records the certificates it is given. */
const servingFor = (presented: TlsPair[]) => ({
  secure: async (given: TlsPair) => void presented.push(given),
  issueTls: () => Promise.reject(new TypeError("files are not issued")),
  now: () => 0,
});

async function stage() {
  const directory = temporaryDirectory();
  const files = { cert: join(directory, "cert"), key: join(directory, "key") };
  const write = ({ cert, key }: TlsPair): void => {
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  write(first);
  const [presented, reports]: [TlsPair[], string[]] = [[], []];
  const serving = servingFor(presented);
  let isStopped = false;
  const tls = new ServerTls({
    source: fileSource(files),
    report: (sentence) => reports.push(sentence),
    every: () => () => (isStopped = true),
  });
  await tls.prepare(serving);
  await tls.start(serving);
  return {
    files,
    write,
    presented,
    reports,
    tls,
    check: () => tls.refresh(false),
    isStopped: () => isStopped,
  };
}

it("changed TLS files are used once they are the same in two successive checks", async () => {
  const { write, presented, reports, check } = await stage();
  await check();
  write(second);
  await check();
  expect(presented).toEqual([first]);
  await check();
  await check();
  expect(presented).toEqual([first, second]);
  expect(reports).toEqual([
    expect.stringMatching(/^TLS: new connections now use a new certificate, valid until 2.*Z\.$/),
  ]);
});

it("files behind switched symbolic links, as in Kubernetes, are noticed as changed", async () => {
  const { files, presented, check } = await stage();
  const directory = temporaryDirectory();
  for (const [name, { cert, key }] of [
    ["one", second],
    ["two", third],
  ] as const) {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, "cert"), cert);
    writeFileSync(join(directory, name, "key"), key);
  }
  symlinkSync("one", join(directory, "current"));
  for (const name of ["cert", "key"] as const) {
    rmSync(files[name]);
    symlinkSync(join(directory, "current", name), files[name]);
  }
  for (let n = 0; n < 3; n++) await check();
  symlinkSync("two", join(directory, "next"));
  renameSync(join(directory, "next"), join(directory, "current"));
  for (let n = 0; n < 3; n++) await check();
  expect(presented).toEqual([first, second, third]);
});

it.each<[string, Partial<TlsPair>, RegExp]>([
  ["whose key is another's", { cert: second.cert }, /^TLS_KEY: \S+key is not the key of the /],
  ["which ends early", { cert: second.cert.slice(0, 300) }, /^TLS_CERT: \S+cert ends within /],
  ["which is empty", { cert: "" }, /^TLS cannot use TLS_CERT and TLS_KEY \(no certificate\)/],
  ["whose key is empty", { key: "" }, /^TLS cannot use TLS_CERT and TLS_KEY \(no key\)/],
])(
  "a pair %s is reported once in one line, and the current one stays in use",
  async (_, broken, why) => {
    const { write, presented, reports, check, tls } = await stage();
    write({ ...first, ...broken });
    for (let n = 0; n < 4; n++) await check();
    expect(presented).toEqual([first]);
    expect(reports).toEqual([expect.stringMatching(why)]);
    expect(reports[0]?.endsWith(kept) && !reports[0].includes("\n")).toBe(true);
    // a requested refresh reports it again
    await tls.refresh(true);
    expect(reports).toHaveLength(2);
    write(second);
    await check();
    await check();
    expect(presented).toEqual([first, second]);
  },
);

it("a file that is missing for a while is reported, and its replacement is used", async () => {
  const { files, write, presented, reports, check } = await stage();
  rmSync(files.key);
  for (let n = 0; n < 3; n++) await check();
  expect(reports).toEqual([`TLS_KEY: ${files.key} cannot be read${kept}`]);
  write(second);
  for (let n = 0; n < 2; n++) await check();
  expect(presented).toEqual([first, second]);
});

it("a requested refresh takes effect at once, even during a check, but not after stop", async () => {
  const { write, presented, tls, isStopped } = await stage();
  write(second);
  await Promise.all([tls.refresh(false), tls.refresh(true)]);
  expect(presented).toEqual([first, second]);
  write(third);
  tls.stop();
  await tls.refresh(true);
  expect(presented).toEqual([first, second]);
  expect(isStopped()).toBe(true);
});

it("a refresh requested before the start changes nothing", async () => {
  const tls = new ServerTls({
    source: { initial: () => undefined, start: async () => first, next: async () => second },
    report: () => undefined,
    every: () => () => undefined,
  });
  await tls.refresh(true);
  const presented: TlsPair[] = [];
  const serving = servingFor(presented);
  await tls.prepare(serving);
  await tls.refresh(true);
  expect(presented).toEqual([]);
  await tls.start(serving);
  expect(presented).toEqual([first]);
});
