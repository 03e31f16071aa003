import { generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { parseCheckpoint } from "../../src/log/tree/checkpoint.ts";
import { followLog, type LogSource } from "../../src/log/tree/follow.ts";
import { parseNote, parseVerifierKey } from "../../src/log/tree/note.ts";
import { authority, clockAt, refusal, replacement, type Authority } from "../support/authority.ts";
import { now } from "../net/tls-fixture.ts";
import { fresh, gathered } from "../sys/backup/kept.ts";
import { witnessCa, witnesses, type Behavior } from "./witness-server.ts";

const origin = "ca.test/v1/pki/log";

/** Creates an authority with a log that has witnesses. */
async function witnessed(names: readonly string[], required?: number) {
  const { all, ports, log } = await witnesses(...names);
  const a = authority({ clock: clockAt(now * 1000), ...ports });
  const { verifier_key } = await a.pki.writeLogConfig({
    enabled: true,
    origin,
    witnesses: all.map(({ setting }) => setting),
    ca_pem: witnessCa,
    ...(required === undefined ? {} : { witnesses_required: required }),
  });
  const key = parseVerifierKey(verifier_key);
  if (!key) throw new Error(verifier_key);
  log.key = key;
  return { a, key, all, ports };
}
async function sequenced(a: Authority, seconds = 1): Promise<void> {
  a.clock.advance(seconds);
  await a.ca.tick();
}
/** Returns the size of the published checkpoint and the names of its signatures. */
async function published(a: Authority) {
  const { status, text } = await a.call("GET", "pki/log/checkpoint");
  if (status !== 200) return { status };
  const note = parseNote(text);
  return {
    size: note && parseCheckpoint(note.text)?.size,
    names: note?.signatures.map(({ name }) => name),
  };
}
/** Returns the text of the checkpoint in a request to a witness. */
const textOf = (body: string): string =>
  `${body.slice(body.indexOf("\n\n") + 2).split("\n\n")[0]}\n`;
const sourceOf = (a: Authority): LogSource => ({
  checkpoint: async () => (await a.call("GET", "pki/log/checkpoint")).text,
  tile: async (path) => (await a.call("GET", `pki/log/tile/${path}`)).bytes,
});

describe("witnesses of a log", () => {
  it("do not delay jobs if slow: a cosignature is published when it arrives", async () => {
    const { a, all } = await witnessed(["a"]);
    const [slow] = all;
    const waiting: (() => void)[] = [];
    if (slow) {
      const { answer } = slow;
      slow.behavior = (...request) => void waiting.push(() => answer(...request));
    }
    await a.root();
    await sequenced(a);
    // the job has completed while its request is still pending
    expect([waiting.length, await published(a)]).toEqual([1, { status: 404 }]);
    await a.pki.generateRoot({ common_name: "Other", key_type: "ec" });
    // an engine sends no second request while its first one is pending
    for (let n = 0; n < 3; n++) await sequenced(a);
    // a second engine, if there is one, sends its own request
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting.length).toBeLessThanOrEqual(replacement.engine ? 2 : 1);
    if (slow) slow.behavior = undefined;
    for (const respond of waiting) respond();
    await expect.poll(async () => (await published(a)).status).not.toBe(404);
    await sequenced(a, 2);
    expect(await published(a)).toMatchObject({ size: 4, names: [origin, "a.example"] });
  });
  it("leave no recorded failure if they fail for one server after another server has published", async () => {
    const { a, all, ports } = await witnessed(["a"]);
    const other = authority({ stores: a.stores, clock: a.clock, seed: 2, ...ports });
    const [witness] = all;
    if (!witness) throw new Error("no witness");
    const waiting: ServerResponse[] = [];
    witness.behavior = (response) => void waiting.push(response);
    await a.root();
    a.clock.advance(1);
    const first = a.ca.tick();
    await expect.poll(() => waiting.length).toBe(1);
    witness.behavior = undefined;
    await other.ca.tick();
    expect(await published(a)).toMatchObject({ size: 2 });
    waiting[0]?.writeHead(500).end();
    await first;
    const { witness_failures, unpublished_since } = await a.pki.readLogConfig();
    expect([witness_failures, unpublished_since]).toEqual([undefined, undefined]);
    expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it("cosign each checkpoint before it is served, given a proof from the last tree that they cosigned", async () => {
    const { a, key, all } = await witnessed(["a", "b"]);
    expect(await published(a)).toEqual({ status: 404 });
    await a.root();
    await sequenced(a);
    const names = [origin, "a.example", "b.example"];
    expect(await published(a)).toEqual({ size: 2, names });
    await a.pki.generateRoot({ common_name: "Other", key_type: "ec" });
    await sequenced(a);
    expect(await published(a)).toEqual({ size: 4, names });
    expect(all.map(({ requests }) => requests.map((body) => body.split("\n")[0]))).toEqual([
      ["old 0", "old 2"],
      ["old 0", "old 2"],
    ]);
    const keys = all.map((one) => one.key);
    const follow = (required: number, known = keys) =>
      followLog(sourceOf(a), { key, witnesses: { keys: known, required } });
    expect((await follow(2)).fault).toBeUndefined();
    const other = await witnesses("a");
    expect(
      (
        await follow(
          1,
          other.all.map((one) => one.key),
        )
      ).fault,
    ).toEqual({
      kind: "witnesses",
      message: "0 of the 1 required witnesses cosigned the checkpoint",
    });
    expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it("keep the last cosigned checkpoint published if they fail, which health, metrics and settings report", async () => {
    const { a, all } = await witnessed(["a", "b"]);
    await a.root();
    await sequenced(a);
    const [, b] = all;
    if (!b) throw new Error("no witness");
    b.behavior = (response) => void response.writeHead(503).end();
    const since = Math.floor(a.clock.now / 1000) + 1;
    await a.pki.generateRoot({ common_name: "Other", key_type: "ec" });
    await sequenced(a);
    expect((await published(a)).size).toBe(2);
    expect(await a.pki.readLogConfig()).toMatchObject({
      unpublished_since: since,
      witness_failures: [{ name: "b.example", reason: "the server returned status 503" }],
    });
    const warning = "Too few witnesses cosigned the log, so its published checkpoint is outdated.";
    const health = async () => (await a.call("GET", "sys/health")).json["warnings"] ?? [];
    expect(await health()).toContain(warning);
    const metrics = async () =>
      /sealwright_log_unpublished_seconds\S* (\d+)/.exec(
        (await a.call("GET", "sys/metrics?format=prometheus")).text,
      )?.[1];
    expect(await metrics()).toBe("0");
    // a new entry does not bring the next attempt forward
    const asked = b.requests.length;
    await a.pki.generateRoot({ common_name: "Third", key_type: "ec" });
    await sequenced(a, 2);
    expect(b.requests).toHaveLength(asked);
    a.clock.advance(20);
    expect(Number(await metrics())).toBeGreaterThan(20);
    b.behavior = undefined;
    await a.ca.tick();
    expect(await published(a)).toEqual({ size: 6, names: [origin, "a.example", "b.example"] });
    expect(await a.pki.readLogConfig()).not.toHaveProperty("unpublished_since");
    a.clock.advance(2);
    expect(await health()).not.toContain(warning);
  });

  const hostile: Readonly<Record<string, readonly [Behavior, RegExp]>> = {
    "a signature of another text": [
      (response, _, witness) => void response.end(witness.cosign("other\n1\nAAAA\n")),
      /no valid cosignature/,
    ],
    "a signature by another key": [
      (response, body, witness) => {
        const { privateKey: secret } = generateKeyPairSync("ed25519");
        response.end(witness.cosign(textOf(body), { ...witness, secret }));
      },
      /no valid cosignature by its key/,
    ],
    "a redirect": [
      (response) => void response.writeHead(307, { location: "https://evil.example/" }).end(),
      /redirects/,
    ],
    "a huge body": [(response) => void response.end("x".repeat(100_000)), /more than 16384 bytes/],
    "bytes that are no text": [
      (response) => void response.end(Buffer.from([0xff, 0xfe, 0x0a])),
      /no valid cosignature/,
    ],
    "an empty body": [(response) => void response.end(), /no valid cosignature/],
    "a size that is not a number": [
      (response) => void response.writeHead(409).end("-1\n"),
      /without the size/,
    ],
    "always the same size": [
      (response) => void response.writeHead(409).end("1\n"),
      /it itself returned/,
    ],
    "the size of a larger tree": [
      (response) => void response.writeHead(409).end("900\n"),
      /a tree of 900 entries, and this tree has 2/,
    ],
    "a closed connection": [(response) => void response.destroy(), /the connection was lost/],
    "that it does not know the log": [
      (response) => void response.writeHead(404).end(),
      /does not know the log/,
    ],
  };
  it.each(Object.entries(hostile))(
    "that return %s do not count towards the required number of cosignatures",
    async (_, [behavior, reason]) => {
      const { a, all } = await witnessed(["a", "b"]);
      const [bad] = all;
      if (bad) bad.behavior = behavior;
      await a.root();
      await sequenced(a);
      expect(await published(a)).toEqual({ status: 404 });
      expect((await a.pki.readLogConfig()).witness_failures).toEqual([
        { name: "a.example", reason: expect.stringMatching(reason) },
      ]);
      await a.pki.writeLogConfig({ witnesses_required: 1 });
      await sequenced(a);
      expect(await published(a)).toEqual({ size: 2, names: [origin, "b.example"] });
      expect(await a.pki.readLogConfig()).not.toHaveProperty("unpublished_since");
    },
  );

  it("that never answer delay a checkpoint only briefly once enough others have cosigned it", async () => {
    const { a, all } = await witnessed(["a", "b"], 1);
    const [silent] = all;
    if (silent) silent.behavior = () => undefined;
    await a.root();
    await sequenced(a);
    expect(await published(a)).toEqual({ size: 2, names: [origin, "b.example"] });
    expect((await a.pki.readLogConfig()).witness_failures).toEqual([
      { name: "a.example", reason: "it did not respond in time" },
    ]);
  });

  it("refuse to cosign a log restored from an older backup, which then publishes no new checkpoint", async () => {
    const { a, ports } = await witnessed(["a"]);
    await a.root();
    await sequenced(a);
    const backup = await gathered(a.ca.backup("pki"));
    await a.pki.generateRoot({ common_name: "Lost", key_type: "ec" });
    await sequenced(a);
    const b = fresh({ clock: a.clock, ...ports });
    await b.ca.restore("pki", backup);
    await sequenced(b);
    expect((await published(b)).size).toBe(2);
    for (let n = 0; n < 3; n++) await b.pki.generateRoot({ common_name: `R${n}`, key_type: "ec" });
    await sequenced(b, 60);
    expect((await published(b)).size).toBe(2);
    expect((await b.pki.readLogConfig()).witness_failures).toEqual([
      {
        name: "a.example",
        reason: "it has cosigned a tree that is not part of this tree (status 422)",
      },
    ]);
  });

  it("that are added later cosign the current tree, and continue if a response was lost", async () => {
    const { all, ports, log } = await witnesses("a");
    const a = authority({ clock: clockAt(now * 1000), ...ports });
    const { verifier_key } = await a.pki.writeLogConfig({ enabled: true, origin });
    log.key = parseVerifierKey(verifier_key) ?? log.key;
    await a.root();
    await sequenced(a);
    expect(await published(a)).toEqual({ size: 2, names: [origin] });
    const settings = { witnesses: all.map(({ setting }) => setting), ca_pem: witnessCa };
    await a.pki.writeLogConfig(settings);
    await sequenced(a);
    expect(await published(a)).toEqual({ size: 2, names: [origin, "a.example"] });
    // the witness cosigns a tree, but its response is lost: the next proof must start at that tree
    const [w] = all;
    if (!w) throw new Error("no witness");
    await a.pki.generateRoot({ common_name: "Other", key_type: "ec" });
    w.behavior = (response, body) => {
      w.head = parseCheckpoint(textOf(body));
      response.destroy();
    };
    await sequenced(a);
    w.behavior = undefined;
    await a.pki.generateRoot({ common_name: "Third", key_type: "ec" });
    await sequenced(a, 60);
    expect(await published(a)).toEqual({ size: 6, names: [origin, "a.example"] });
    expect(w.requests.slice(-2).map((body) => body.split("\n")[0])).toEqual(["old 2", "old 4"]);
    await a.pki.writeLogConfig({ witnesses: [] });
    await a.pki.generateRoot({ common_name: "Fourth", key_type: "ec" });
    await sequenced(a);
    expect(await published(a)).toEqual({ size: 8, names: [origin] });
  });
});

describe("witness settings", () => {
  it("are rejected if a key, URL, address or number is invalid, or if a key occurs twice", async () => {
    const { all } = await witnesses("a");
    const a = authority();
    const [witness] = all;
    if (!witness) throw new Error("no witness");
    const { vkey, setting } = witness;
    const faultOf = async (input: Parameters<typeof a.pki.writeLogConfig>[0]) =>
      (await refusal(a.pki.writeLogConfig({ enabled: true, origin, ...input })))[1];
    const ofLog = `${origin}+00000000+AQ== https://w.example`;
    expect(await faultOf({ witnesses: [ofLog] })).toMatch(/expected a verifier key of a witness/);
    expect(await faultOf({ witnesses: [vkey] })).toMatch(/must be an https URL/);
    expect(await faultOf({ witnesses: [`${vkey} http://w.example`] })).toMatch(/https/);
    expect(await faultOf({ witnesses: [`${vkey} https://w.example/?a=b`] })).toMatch(/query/);
    expect(await faultOf({ witnesses: [`${vkey} https://127.0.0.1/`] })).toMatch(/not contacted/);
    expect(await faultOf({ witnesses: [setting, setting] })).toMatch(/occurs twice/);
    expect(await faultOf({ witnesses: [setting], witnesses_required: 2 })).toMatch(
      /expected 0 to 1, the number of witnesses, got 2/,
    );
    expect(await faultOf({ ca_pem: "x" })).toMatch(/ca_pem/);
    const written = await a.pki.writeLogConfig({
      enabled: true,
      origin,
      witnesses: [setting],
      ca_pem: witnessCa,
    });
    expect(written).toMatchObject({
      witnesses: [setting.replace(/\/$/, "")],
      witnesses_required: 1,
      ca_pem: `${witnessCa.trim()}\n`,
    });
    expect(await a.pki.readLogConfig()).toEqual(written);
  });
});
