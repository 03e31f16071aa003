import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { concat, utf8 } from "../../src/base/bytes.ts";
import { messageBytes } from "../../src/net/tls-handshake.ts";
import { connectTls, TlsError, type TlsOptions } from "../../src/net/tls.ts";
import { uint, vector } from "../../src/net/tls-wire.ts";
import { certificate, readAll, trusting, type Certified } from "./tls-fixture.ts";
import { FaultyServer, pipe, type Faults, type Sent, type Step } from "./tls-server.ts";

const own = await certificate({ names: { dns: ["peer.example"] } });
const versions = ["1.3", "1.2"] as const;
type Version = (typeof versions)[number];
type Through = TransformStream<Uint8Array, Uint8Array>;

/** The outcome of a connection. */
interface Outcome {
  readonly data?: string;
  readonly error?: TlsError;
  /** Data that the server received. */
  readonly heard: readonly string[];
}
async function against(
  faults: Faults,
  options: Partial<TlsOptions> = {},
  { through, shown = own }: { through?: Through; shown?: Certified } = {},
): Promise<Outcome> {
  const { client, server } = pipe(through);
  const serving = new FaultyServer(server, shown, faults).run();
  const result = await connectTls(client, trusting(options))
    .then(async (tls) => {
      const data = (await readAll(tls.readable)).toString();
      tls.close();
      return { data };
    })
    .catch((error: unknown) => {
      if (error instanceof TlsError) return { error };
      throw error;
    });
  await client.closed;
  return { ...result, heard: await serving };
}

const right = "data of the server";
const handshake = (body: Uint8Array): Sent => ({ type: 22, body });
const data = (body: Uint8Array): Sent => ({ type: 23, body });
const alert = (...body: number[]): Sent => ({ type: 21, body: Uint8Array.from(body) });
const change = (...body: number[]): Sent => ({
  type: 20,
  body: Uint8Array.from(body),
  plain: true,
});
const message = (type: number, body: Uint8Array = new Uint8Array()): Sent =>
  handshake(messageBytes(type, body));
const times = (count: number, sent: Sent): readonly Sent[] =>
  Array.from({ length: count }, () => sent);
/** Flips a byte, counted from the end. */
const spoilt = (bytes: Uint8Array, fromEnd = 1): Uint8Array => {
  const copy = bytes.slice();
  const at = copy.length - fromEnd;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
const put =
  (at: number, ...bytes: number[]) =>
  (body: Uint8Array) => {
    const copy = body.slice();
    copy.set(bytes, at);
    return copy;
  };
const before =
  (...sent: Sent[]) =>
  (right: Uint8Array): readonly Sent[] => [...sent, handshake(right)];
const after =
  (...sent: Sent[]) =>
  (right: Uint8Array): readonly Sent[] => [handshake(right), ...sent];
const instead =
  (...sent: Sent[]) =>
  (): readonly Sent[] =>
    sent;
/** Returns faults that send other records before the application data. */
const early = (...sent: Sent[]) => ({
  sent: { Data: (bytes: Uint8Array) => [...sent, data(bytes)] },
});

/** Returns records with one byte each, and ten empty records before each of them. */
const spaced = (bytes: Uint8Array): readonly Sent[] =>
  [...bytes].flatMap((byte) => [...times(10, data(new Uint8Array())), data(Uint8Array.of(byte))]);

const steps: Readonly<Record<Version, readonly Step[]>> = {
  "1.3": ["ServerHello", "EncryptedExtensions", "Certificate", "CertificateVerify", "Finished"],
  "1.2": ["ServerHello", "Certificate", "ServerKeyExchange", "ServerHelloDone", "Finished"],
};
const everyStep = versions.flatMap((version) =>
  steps[version].map((step) => [version, step] as const),
);

describe("a server with unusual but valid behavior", () => {
  it.each(versions)("is accepted in TLS %s", async (version) => {
    expect(await against({ version, alpn: "acme-tls/1" }, { alpn: ["acme-tls/1"] })).toEqual({
      data: right,
      heard: ["Finished", "close_notify"],
    });
    expect(await against({ version, asks: true })).toMatchObject({ data: right });
  });

  it.each(everyStep)(
    "may send, in TLS %s, every byte of %s in a separate record",
    async (version, step) => {
      const sent = (whole: Uint8Array) => [...whole].map((byte) => handshake(Uint8Array.of(byte)));
      expect(await against({ version, sent: { [step]: sent } })).toMatchObject({ data: right });
    },
  );

  it.each(versions)("may be received byte by byte in TLS %s", async (version) => {
    const bytewise: Through = new TransformStream({
      transform(bytes, controller) {
        for (let i = 0; i < bytes.length; i++) controller.enqueue(bytes.subarray(i, i + 1));
      },
    });
    expect(await against({ version }, {}, { through: bytewise })).toMatchObject({ data: right });
  });

  it.each([
    ["1.3", 5],
    ["1.2", 4],
  ] as const)("may be received in TLS %s with %i records in one chunk", async (version, count) => {
    const held: Uint8Array[] = [];
    const joining: Through = new TransformStream({
      transform(bytes, controller) {
        held.push(bytes);
        if (held.length >= count) controller.enqueue(concat(held.splice(0)));
      },
      flush: (controller) => controller.enqueue(concat(held)),
    });
    const faults: Faults =
      version === "1.3"
        ? {
            version,
            sent: {
              Data: (bytes) => [...bytes].slice(0, 4).map((byte) => data(Uint8Array.of(byte))),
            },
          }
        : { version, sent: { Data: (bytes) => [data(bytes)] } };
    expect(await against(faults, {}, { through: joining })).toMatchObject({
      data: right.slice(0, version === "1.3" ? 4 : undefined),
    });
  });

  it.each([
    ["ten empty records before each byte", "1.3", { sent: { Data: spaced } }],
    ["a few empty records of data", "1.2", early(...times(10, data(new Uint8Array())))],
    ["tickets", "1.3", early(message(4, new Uint8Array(200)), message(4, new Uint8Array(200)))],
    ["the change_cipher_spec for middleboxes", "1.3", { sent: { ServerHello: after(change(1)) } }],
    ["user_canceled, which is only a warning", "1.3", early(alert(1, 90))],
    ["a warning before the hello", "1.2", { sent: { ServerHello: before(alert(1, 112)) } }],
    ["a warning among the data", "1.2", early(alert(1, 112))],
  ] as const)("may send %s in TLS %s", async (_, version, faults) => {
    expect(await against({ version, ...faults })).toMatchObject({ data: right });
  });

  it("may update its keys and request an update of the client's keys, which is confirmed", async () => {
    const asking: Sent = { type: 22, body: messageBytes(24, Uint8Array.of(1)), rekeys: true };
    const telling: Sent = { type: 22, body: messageBytes(24, Uint8Array.of(0)), rekeys: true };
    expect(await against(early(telling, asking))).toEqual({
      data: right,
      heard: ["Finished", "KeyUpdate", "close_notify"],
    });
  });

  it("may request renegotiation in TLS 1.2, which does not end the connection", async () => {
    const outcome = await against({ version: "1.2", ...early(message(0)) });
    expect(outcome.data).toBe(right);
  });
});

const overlong = Uint8Array.of(22, 3, 3, 0x40, 1);
const point = (bytes: Uint8Array) => (body: Uint8Array) =>
  concat([body.subarray(0, body.length - 32), bytes]);
const retry = Buffer.from(
  "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c",
  "hex",
);
/** Returns a HelloRetryRequest instead of a ServerHello, for a group or without one. */
const retryFor = (group?: number) => (body: Uint8Array) =>
  concat([
    body.subarray(0, 2),
    retry,
    body.subarray(34, 34 + 33 + 3),
    vector(
      2,
      concat([uint(43, 2), vector(2, uint(0x0304, 2))]),
      ...(group === undefined ? [] : [concat([uint(51, 2), vector(2, uint(group, 2))])]),
    ),
  ]);

/** A fault with its TLS version and the alert that the server receives. */
type Attack = readonly [what: string, version: Version, faults: Faults, alert: string];
const both = (what: string, alert: string, faults: Faults): readonly Attack[] =>
  versions.map((version) => [what, version, faults, alert] as const);

const records: readonly Attack[] = [
  ...both("plain HTTP", "unexpected_message", {
    sent: { ServerHello: instead(utf8("HTTP/1.1 400 Bad Request\r\n\r\n")) },
  }),
  ...both("a record that is too long", "record_overflow", {
    sent: { ServerHello: instead(overlong) },
  }),
  ...both("a record of an unknown kind", "unexpected_message", {
    sent: { ServerHello: instead(Uint8Array.of(24, 3, 3, 0, 1, 1)) },
  }),
  ...both("a record of another protocol version", "unexpected_message", {
    sent: { ServerHello: instead(Uint8Array.of(22, 2, 0, 0, 1, 1)) },
  }),
  ...both("an empty handshake record", "unexpected_message", {
    sent: { Certificate: before(handshake(new Uint8Array())) },
  }),
  ...both("data in the handshake", "unexpected_message", {
    sent: { Certificate: before(data(utf8("early"))) },
  }),
  ...both(
    "a flood of empty records of data",
    "unexpected_message",
    early(...times(17, data(new Uint8Array()))),
  ),
  ...both(
    "a record that decrypts to too much",
    "record_overflow",
    early(data(new Uint8Array(2 ** 14 + 1))),
  ),
  ...both(
    "a handshake record among the data that is none",
    "unexpected_message",
    early(message(2)),
  ),
  ...both("an alert of one byte", "decode_error", { sent: { Certificate: before(alert(2)) } }),
  ...both("a change_cipher_spec with other words", "unexpected_message", {
    sent: { ServerHello: after(change(2)) },
  }),
  ["a change_cipher_spec after the handshake", "1.3", early(change(1)), "unexpected_message"],
  [
    "a change_cipher_spec after the handshake",
    "1.2",
    early({ type: 20, body: Uint8Array.of(1) }),
    "unexpected_message",
  ],
  [
    "a flood of change_cipher_spec",
    "1.3",
    { sent: { ServerHello: after(...times(17, change(1))) } },
    "unexpected_message",
  ],
  [
    "a change_cipher_spec before the hello",
    "1.2",
    { sent: { ServerHello: before(change(1)) } },
    "unexpected_message",
  ],
  [
    "a change_cipher_spec before the keys",
    "1.2",
    { sent: { ServerKeyExchange: before(change(1)) } },
    "unexpected_message",
  ],
  [
    "a change_cipher_spec amid a message",
    "1.3",
    {
      sent: {
        Certificate: (m) => [handshake(m.subarray(0, 9)), { type: 23, body: m.subarray(9) }],
      },
    },
    "unexpected_message",
  ],
  ["no change_cipher_spec", "1.2", { sent: { ChangeCipherSpec: instead() } }, "unexpected_message"],
  [
    "a message in the clear after the keys",
    "1.3",
    {
      sent: { EncryptedExtensions: (body) => [{ type: 22, body, plain: true }] },
    },
    "unexpected_message",
  ],
  [
    "Finished in the clear",
    "1.2",
    { sent: { Finished: (body) => [{ type: 22, body, plain: true }] } },
    "bad_record_mac",
  ],
  [
    "an alert in the clear after the keys",
    "1.3",
    {
      sent: { EncryptedExtensions: before({ type: 21, body: Uint8Array.of(2, 40), plain: true }) },
    },
    "unexpected_message",
  ],
  [
    "a record that contains only padding",
    "1.3",
    { sent: { Certificate: before({ type: 0, body: new Uint8Array(20) }) } },
    "unexpected_message",
  ],
  ["a flood of warnings", "1.2", early(...times(17, alert(1, 112))), "unexpected_message"],
  ["a flood of user_canceled", "1.3", early(...times(17, alert(1, 90))), "unexpected_message"],
  [
    "a flood of tickets",
    "1.3",
    early(...times(40, message(4, new Uint8Array(200)))),
    "unexpected_message",
  ],
  ["a flood of HelloRequest", "1.2", early(...times(40, message(0))), "unexpected_message"],
];

const messages: readonly Attack[] = [
  ...both("another Finished", "decrypt_error", { body: { Finished: spoilt } }),
  ...both("a shorter Finished", "decrypt_error", {
    body: { Finished: (body) => body.subarray(1) },
  }),
  ...both("a signature over something else", "decrypt_error", { signed: spoilt }),
  [
    "a cipher suite of RSA beside a key on a curve",
    "1.2",
    { body: { ServerHello: put(35, 0xc0, 0x2f) } },
    "illegal_parameter",
  ],
  ...both("a message of a kind that does not exist", "unexpected_message", {
    sent: { Certificate: before(message(99)) },
  }),
  ...both("a message that is too long", "decode_error", {
    sent: { Certificate: instead(handshake(Uint8Array.of(11, 1, 0, 1))) },
  }),
  ...both("a HelloRequest in the handshake", "unexpected_message", {
    sent: { Certificate: before(message(0)) },
  }),
  ...both("no certificate message", "unexpected_message", { sent: { Certificate: instead() } }),
  ...both("a second ServerHello", "unexpected_message", {
    sent: { Certificate: before(message(2)) },
  }),
  ...both("a message behind Finished in one record", "unexpected_message", {
    sent: { Finished: (m) => [handshake(concat([m, Uint8Array.of(4, 0)]))] },
  }),
  ...both("a signature scheme of another key", "illegal_parameter", { scheme: 0x0804 }),
  ...both("a signature scheme that is not known", "illegal_parameter", { scheme: 0x0203 }),
  ...both("a protocol that was not offered", "illegal_parameter", { alpn: "h2" }),
  ["a scheme of another curve", "1.3", { scheme: 0x0503 }, "illegal_parameter"],
  ["no proof", "1.3", { sent: { CertificateVerify: instead() } }, "unexpected_message"],
  [
    "no proof, and it is not asked for",
    "1.3",
    { sent: { Certificate: instead(), CertificateVerify: instead() } },
    "unexpected_message",
  ],
  [
    "a message behind ServerHello in one record",
    "1.3",
    {
      sent: { ServerHello: (m) => [handshake(concat([m, Uint8Array.of(8, 0, 0)]))] },
    },
    "unexpected_message",
  ],
  [
    "a KeyUpdate with an invalid request known",
    "1.3",
    early(message(24, Uint8Array.of(2))),
    "illegal_parameter",
  ],
  ["an empty KeyUpdate", "1.3", early(message(24)), "decode_error"],
  [
    "a message behind KeyUpdate in one record",
    "1.3",
    early(handshake(Uint8Array.of(24, 0, 0, 1, 0, 4, 0, 0, 0))),
    "unexpected_message",
  ],
  ["a KeyUpdate without new keys", "1.3", early(message(24, Uint8Array.of(0))), "bad_record_mac"],
  ["a KeyUpdate", "1.2", early(message(24, Uint8Array.of(0))), "unexpected_message"],
  ["data amid a message", "1.3", early(handshake(Uint8Array.of(4, 0, 0, 9))), "unexpected_message"],
  ["a CertificateRequest after the handshake", "1.3", early(message(13)), "unexpected_message"],
  ["a ticket that was not asked for", "1.2", early(message(4)), "unexpected_message"],
  [
    "an extension in the certificate",
    "1.3",
    {
      body: {
        Certificate: (body) =>
          concat([
            uint(0, 1),
            vector(3, vector(3, own.der), vector(2, uint(5, 2), vector(2))).subarray(0),
          ]).subarray(0, body.length + 9),
      },
    },
    "unsupported_extension",
  ],
  [
    "a context in the certificate",
    "1.3",
    { body: { Certificate: (body) => concat([vector(1, Uint8Array.of(7)), body.subarray(1)]) } },
    "illegal_parameter",
  ],
  ["no certificate", "1.3", { body: { Certificate: () => new Uint8Array(4) } }, "decode_error"],
  ["no certificate", "1.2", { body: { Certificate: () => new Uint8Array(3) } }, "decode_error"],
  [
    "an extension that was not offered",
    "1.3",
    {
      body: {
        EncryptedExtensions: () => vector(2, uint(16, 2), vector(2), uint(13172, 2), vector(2)),
      },
    },
    "unsupported_extension",
  ],
  [
    "an extension twice",
    "1.3",
    {
      body: {
        EncryptedExtensions: () => vector(2, uint(10, 2), vector(2), uint(10, 2), vector(2)),
      },
    },
    "illegal_parameter",
  ],
  [
    "explicit parameters of a curve",
    "1.2",
    { body: { ServerKeyExchange: put(0, 1) } },
    "illegal_parameter",
  ],
  [
    "a group that was not offered",
    "1.2",
    { body: { ServerKeyExchange: put(1, 0, 0x1e) } },
    "illegal_parameter",
  ],
  [
    "another key than the one signed",
    "1.2",
    { body: { ServerKeyExchange: put(10, 1, 2, 3) } },
    "decrypt_error",
  ],
  [
    "a ServerHelloDone with words",
    "1.2",
    { body: { ServerHelloDone: () => new Uint8Array(1) } },
    "decode_error",
  ],
  [
    "a message behind ServerHelloDone",
    "1.2",
    { sent: { ServerHelloDone: (m) => [handshake(concat([m, uint(14, 1)]))] } },
    "unexpected_message",
  ],
];

const hellos: readonly Attack[] = [
  ...both("an older version", "protocol_version", { body: { ServerHello: put(0, 3, 2) } }),
  ...both("compression", "illegal_parameter", {
    body: { ServerHello: (body) => put(34 + 1 + (body[34] ?? 0) + 2, 1)(body) },
  }),
  ...both("a cipher suite that was not offered", "illegal_parameter", {
    body: { ServerHello: (body) => put(34 + 1 + (body[34] ?? 0), 0x13, 0x03)(body) },
  }),
  [
    "a cipher suite of TLS 1.2",
    "1.3",
    { body: { ServerHello: put(67, 0xc0, 0x2b) } },
    "illegal_parameter",
  ],
  [
    "another session",
    "1.3",
    { body: { ServerHello: (body) => spoilt(body, body.length - 40) } },
    "illegal_parameter",
  ],
  [
    "a share of zeros",
    "1.3",
    { body: { ServerHello: point(new Uint8Array(32)) } },
    "illegal_parameter",
  ],
  [
    "a shorter share",
    "1.3",
    {
      body: {
        ServerHello: (body) =>
          concat([
            body.subarray(0, 70),
            vector(
              2,
              uint(43, 2),
              vector(2, uint(0x0304, 2)),
              uint(51, 2),
              vector(2, uint(0x1d, 2), vector(2, uint(9, 8))),
            ),
          ]),
      },
    },
    "illegal_parameter",
  ],
  [
    "no share",
    "1.3",
    {
      body: {
        ServerHello: (body) =>
          concat([body.subarray(0, 70), vector(2, uint(43, 2), vector(2, uint(0x0304, 2)))]),
      },
    },
    "missing_extension",
  ],
  [
    "a share for another group",
    "1.3",
    {
      body: {
        ServerHello: (body) =>
          concat([
            body.subarray(0, 70),
            vector(
              2,
              uint(43, 2),
              vector(2, uint(0x0304, 2)),
              uint(51, 2),
              vector(2, uint(0x18, 2), vector(2, uint(9, 8))),
            ),
          ]),
      },
    },
    "illegal_parameter",
  ],
  [
    "a version that was not offered",
    "1.3",
    {
      body: {
        ServerHello: (body) =>
          concat([body.subarray(0, 70), vector(2, uint(43, 2), vector(2, uint(0x0302, 2)))]),
      },
    },
    "illegal_parameter",
  ],
  [
    "a retry for a group that has a share",
    "1.3",
    { body: { ServerHello: retryFor(0x1d) } },
    "illegal_parameter",
  ],
  [
    "a retry for a group that was not offered",
    "1.3",
    { body: { ServerHello: retryFor(0x1e) } },
    "illegal_parameter",
  ],
  ["a retry for nothing", "1.3", { body: { ServerHello: retryFor() } }, "illegal_parameter"],
  [
    "a retry twice",
    "1.3",
    {
      sent: {
        ServerHello: (m) => [
          message(2, retryFor(0x18)(m.subarray(4))),
          message(2, retryFor(0x19)(m.subarray(4))),
        ],
      },
    },
    "unexpected_message",
  ],
  [
    "another suite after a retry",
    "1.3",
    {
      sent: {
        ServerHello: (m) => [
          message(2, retryFor(0x18)(m.subarray(4))),
          message(2, put(67, 0x13, 2)(m.subarray(4))),
        ],
      },
    },
    "illegal_parameter",
  ],
  [
    "the sentinel of a downgrade to 1.2",
    "1.2",
    { body: { ServerHello: put(26, ...utf8("DOWNGRD"), 1) } },
    "illegal_parameter",
  ],
  [
    "the sentinel of a downgrade below",
    "1.2",
    { body: { ServerHello: put(26, ...utf8("DOWNGRD"), 0) } },
    "illegal_parameter",
  ],
  [
    "no extensions",
    "1.2",
    { body: { ServerHello: (body) => body.subarray(0, 38) } },
    "handshake_failure",
  ],
  [
    "words about an earlier connection",
    "1.2",
    {
      body: {
        ServerHello: (body) =>
          concat([
            body.subarray(0, 38),
            vector(2, uint(0xff01, 2), vector(2, vector(1, uint(7, 12)))),
          ]),
      },
    },
    "handshake_failure",
  ],
  [
    "a full extended master secret",
    "1.2",
    {
      body: {
        ServerHello: (body) =>
          concat([
            body.subarray(0, 38),
            vector(2, uint(0xff01, 2), vector(2, vector(1)), uint(23, 2), vector(2, uint(1, 1))),
          ]),
      },
    },
    "decode_error",
  ],
  [
    "an extension that was not offered",
    "1.2",
    {
      body: {
        ServerHello: (body) => concat([body.subarray(0, 38), vector(2, uint(35, 2), vector(2))]),
      },
    },
    "unsupported_extension",
  ],
];

describe("a hostile server", () => {
  it.each([...records, ...messages, ...hellos])(
    "that sends %s in TLS %s is rejected",
    async (_, version, faults, name) => {
      const { data: got, error, heard } = await against({ version, ...faults });
      expect({ got, kind: error?.kind, alert: error?.alert, told: heard.at(-1) }).toEqual({
        got: undefined,
        kind: "protocol",
        alert: name,
        told: name,
      });
    },
  );

  it.each(everyStep)(
    "that sends in TLS %s one byte too few or too many in %s is rejected",
    async (version, step) => {
      for (const body of [
        (right: Uint8Array) => right.subarray(0, Math.max(0, right.length - 1)),
        (right: Uint8Array) => concat([right, Uint8Array.of(0)]),
      ]) {
        if (step === "ServerHelloDone" && body(new Uint8Array()).length === 0) continue;
        const { error } = await against({ version, body: { [step]: body } });
        expect(error).toMatchObject({ kind: "protocol" });
        expect(["decode_error", "decrypt_error"]).toContain(error?.alert);
      }
    },
  );

  it.each(versions)("that sends an alert in TLS %s is reported with the alert", async (version) => {
    for (const [number, name] of [
      [40, "handshake_failure"],
      [112, "unrecognized_name"],
      [99, "alert 99"],
    ] as const)
      expect(
        await against({ version, sent: { Certificate: before(alert(2, number)) } }),
      ).toMatchObject({
        error: { kind: "alert", alert: name },
      });
    expect(await against({ version, sent: { Certificate: before(alert(1, 0)) } })).toMatchObject({
      error: { kind: "closed", alert: "close_notify" },
    });
  });

  it("that sends a TLS 1.3 alert is reported for any level of the alert, except for two alerts", async () => {
    expect(await against({ sent: { Certificate: before(alert(1, 112)) } })).toMatchObject({
      error: { kind: "alert", alert: "unrecognized_name" },
    });
  });

  const spkiOf = (type: "rsa" | "ec", options: object): Uint8Array => {
    // Node's overloads require each option separately
    const make = generateKeyPairSync as (type: string, options: object) => { publicKey: Buffer };
    const publicKeyEncoding = { type: "spki", format: "der" };
    const privateKeyEncoding = { type: "pkcs8", format: "der" };
    return make(type, { ...options, publicKeyEncoding, privateKeyEncoding }).publicKey;
  };
  it.each<[string, () => Uint8Array, string]>([
    [
      "of RSA with 1024 bits",
      () => spkiOf("rsa", { modulusLength: 1024 }),
      "unsupported_certificate",
    ],
    [
      "of RSA with the exponent 3",
      () => spkiOf("rsa", { modulusLength: 2048, publicExponent: 3 }),
      "unsupported_certificate",
    ],
    [
      "on a curve that TLS has not",
      () => spkiOf("ec", { namedCurve: "secp256k1" }),
      "unsupported_certificate",
    ],
    [
      "with its curve spelled out",
      () => spkiOf("ec", { namedCurve: "P-256", paramEncoding: "explicit" }),
      "unsupported_certificate",
    ],
    ["off its curve", () => spoilt(own.key.key.spki), "unsupported_certificate"],
    ["on P-224", () => spkiOf("ec", { namedCurve: "P-224" }), "illegal_parameter"],
    [
      "of RSA, which the suite or the signature is not for",
      () => spkiOf("rsa", { modulusLength: 2048 }),
      "illegal_parameter",
    ],
  ])("with a key %s is rejected", async (_, spki, name) => {
    const shown = await certificate({ key: own.key, fields: { spki: spki() } });
    for (const version of versions) {
      const { error, heard } = await against({ version }, {}, { shown });
      expect([error?.alert, heard.at(-1)]).toEqual([name, name]);
    }
  });

  it.each(versions)(
    "that sends arbitrary bytes instead of a certificate in TLS %s is rejected",
    async (version) => {
      const shown = { ...own, der: utf8("a certificate") };
      expect(await against({ version }, {}, { shown })).toMatchObject({
        error: { kind: "trust", alert: "bad_certificate" },
        heard: ["bad_certificate"],
      });
    },
  );
});
