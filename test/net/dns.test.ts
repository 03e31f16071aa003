import { describe, expect, it } from "vitest";
import { nameserverOf, resolver, withHosts } from "../../src/net/dns.ts";
import type { DnsTransport } from "../../src/net/dns-transport.ts";
import {
  answerTo,
  questionIn,
  record,
  strings,
  wire,
  type Answer,
  type Header,
} from "./dns-messages.ts";
import { bytesOf } from "./streams.ts";

const never = new AbortController().signal;
const [A, CNAME, TXT, AAAA] = [1, 5, 16, 28];
const ip = (...bytes: readonly number[]) => Uint8Array.from(bytes);
const random = (length: number) => new Uint8Array(length).fill(0xab);

/** Returns a nameserver that answers questions by name. */
function zone(answers: Readonly<Record<string, readonly Answer[] | { readonly flags: number }>>): {
  readonly send: DnsTransport;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const send: DnsTransport = async (message) => {
    const question = questionIn(message);
    asked.push(`${question.name} ${question.type}`);
    const found = answers[question.name] ?? { flags: 0x8183 };
    return "flags" in found ? answerTo(question, [], found) : answerTo(question, found);
  };
  return { send, asked };
}
const ask = (send: DnsTransport, type: "A" | "AAAA" | "TXT" = "A", name = "a.example") =>
  resolver(send, random)({ name, type }, never);
const always =
  (message: Uint8Array): DnsTransport =>
  async () =>
    message;
const question = { id: 0xabab, name: "a.example", type: A };
const given = (records: readonly Answer[], header?: Header) =>
  ask(always(answerTo(question, records, header)));

describe("a DNS query", () => {
  it("asks for one name and type with recursion, and has a random id", async () => {
    let sent: Uint8Array | undefined;
    await ask(async (message) => {
      sent = message;
      return answerTo(questionIn(message), []);
    });
    expect(sent).toEqual(
      Uint8Array.from([0xab, 0xab, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...wire("a.example"), 0, 1, 0, 1]),
    );
  });

  it.each([
    "",
    ".",
    "a..b",
    `${"x".repeat(64)}.example`,
    `${"x.".repeat(127)}ab`,
    "a b",
    "ä",
    "a\\b",
  ])("for %j is not sent", async (name) => {
    const { send, asked } = zone({});
    await expect(ask(send, "A", name)).rejects.toMatchObject({
      failed: "dns",
      message: "the queried name is not a valid DNS name",
    });
    expect(asked).toEqual([]);
  });

  it("may have a name of maximum length, with underscores or a trailing dot", async () => {
    const longest = `${"x.".repeat(126)}a`;
    const { send, asked } = zone({ "_acme-challenge.a": [] });
    expect(await ask(send, "TXT", longest)).toEqual([]);
    expect(await ask(send, "TXT", "_ACME-challenge.a.")).toEqual([]);
    expect(asked).toEqual([`${longest} 16`, "_acme-challenge.a 16"]);
  });
});

describe("a DNS response", () => {
  it("returns addresses as text", async () => {
    const { send } = zone({
      "a.example": [
        { owner: "A.Example", type: A, data: ip(192, 0, 2, 1) },
        { owner: "a.example", type: A, data: ip(192, 0, 2, 2) },
        {
          owner: "a.example",
          type: AAAA,
          data: ip(0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), 1),
        },
      ],
    });
    expect(await ask(send)).toEqual(["192.0.2.1", "192.0.2.2"]);
    expect(await ask(send, "AAAA")).toEqual(["2001:db8::1"]);
  });

  it("security row 41: returns each TXT record as one text, however it is split into strings", async () => {
    const data = [
      strings("a", "", "bc"),
      strings("x".repeat(255), "y".repeat(45)),
      strings(),
      strings('\xff"'),
    ];
    const { send } = zone({
      "a.example": data.map((one) => ({ owner: "a.example", type: TXT, data: one })),
    });
    expect(await ask(send, "TXT")).toEqual(["abc", "x".repeat(255) + "y".repeat(45), "", 'ÿ"']);
  });

  it("may have thousands of records", async () => {
    const records = Array.from({ length: 2_000 }, (_, i) => ({
      owner: "a.example",
      type: A,
      data: ip(10, 0, i >> 8, i & 255),
    }));
    expect(await given(records)).toHaveLength(2_000);
  });

  it("ignores records of other names, types and classes", async () => {
    expect(
      await given([
        { owner: "b.example", type: A, data: ip(192, 0, 2, 1) },
        { owner: "a.example", type: 46, data: ip(1, 2, 3) },
        { owner: "a.example", type: A, data: ip(192, 0, 2, 2), kind: 3 },
      ]),
    ).toEqual([]);
  });

  it("is empty for a missing name and for a name without such records", async () => {
    expect(await given([], { flags: 0x8183 })).toEqual([]);
    expect(await given([])).toEqual([]);
  });

  it.each([
    ["SERVFAIL", 0x8182],
    ["REFUSED", 0x8185],
    ["FORMERR", 0x8181],
    ["NOTIMP", 0x8184],
    ["code 9", 0x8189],
  ])("security row 41: with %s is a failure, not an empty result", async (code, flags) => {
    const why = { failed: "dns", message: `the nameserver returned an error (${code})` };
    await expect(given([], { flags })).rejects.toMatchObject(why);
    await expect(given([], { flags, questions: [] })).rejects.toMatchObject(why);
  });

  it.each<[string, Header]>([
    ["another id", { id: 1 }],
    ["another name", { questions: [["b.example", A]] }],
    ["another type", { questions: [["a.example", TXT]] }],
    ["another class", { questions: [["a.example", A, 3]] }],
    ["no question", { questions: [] }],
    [
      "two questions",
      {
        questions: [
          ["a.example", A],
          ["a.example", A],
        ],
      },
    ],
    ["the mark of a question", { flags: 0x0100 }],
    ["another operation", { flags: 0xa180 }],
  ])("with %s answers a different question", async (_, header) => {
    await expect(given([], header)).rejects.toMatchObject({
      failed: "dns",
      message: "the nameserver answered a different question",
    });
  });

  it("that is truncated is a failure, even if it has records", async () => {
    const records = [{ owner: "a.example", type: A, data: ip(192, 0, 2, 1) }];
    await expect(given(records, { flags: 0x8380 })).rejects.toThrow("truncated");
  });

  const unreadable = { failed: "dns", message: "the nameserver's response cannot be parsed" };
  it("that ends early cannot be parsed", async () => {
    const whole = answerTo(question, [{ owner: "a.example", type: A, data: ip(192, 0, 2, 1) }]);
    for (let length = 0; length < whole.length; length++)
      await expect(ask(always(whole.slice(0, length)))).rejects.toMatchObject({ failed: "dns" });
  });

  it.each<[string, readonly Answer[], Header?]>([
    ["more records than there are", [], { count: 1 }],
    ["60,000 records in no bytes", [], { count: 60_000 }],
    ["an IPv4 address of three bytes", [{ owner: "a.example", type: A, data: ip(1, 2, 3) }]],
    ["an IPv4 address of 16 bytes", [{ owner: "a.example", type: A, data: new Uint8Array(16) }]],
    [
      "a CNAME and bytes behind it",
      [{ owner: "a.example", type: CNAME, data: Uint8Array.from([...wire("b"), 0]) }],
    ],
    ["a CNAME of no bytes", [{ owner: "a.example", type: CNAME, data: new Uint8Array() }]],
    [
      "a label longer than 63",
      [{ owner: "a.example", type: CNAME, data: ip(64, ...Array<number>(64).fill(97), 0) }],
    ],
    [
      "a name longer than 255",
      [{ owner: "a.example", type: CNAME, data: Uint8Array.from(wire("xy.".repeat(85))) }],
    ],
  ])("with %s cannot be parsed", async (_, records, header) => {
    await expect(given(records, header)).rejects.toMatchObject(unreadable);
  });

  it("with a TXT string longer than its record cannot be parsed", async () => {
    const records = [{ owner: "a.example", type: TXT, data: ip(5, 97) }];
    const message = answerTo({ ...question, type: TXT }, records);
    await expect(ask(always(message), "TXT")).rejects.toMatchObject(unreadable);
  });

  /** Returns a response to `question` whose only record has these owner bytes. */
  const owned = (owner: readonly number[]) =>
    Uint8Array.from([
      ...answerTo(question, [], { count: 1 }),
      ...owner,
      ...record({ owner: "", type: A, data: ip(192, 0, 2, 1) }).slice(1),
    ]);

  it("may point to earlier names", async () => {
    expect(await ask(always(owned([0xc0, 12])))).toEqual(["192.0.2.1"]);
    expect(await ask(always(owned([1, 97, 0xc0, 14])))).toEqual(["192.0.2.1"]);
  });

  it.each([
    ["itself", [0xc0, 27]],
    ["what follows", [0xc0, 29, 0]],
    ["itself by way of a label", [1, 97, 0xc0, 27]],
    ["the end of the message", [0xff, 0xff]],
    ["an unknown kind of label", [0x40]],
    ["another unknown kind of label", [0x80, 0]],
  ])("with a name that points to %s cannot be parsed", async (_, owner) => {
    await expect(ask(always(owned(owner)))).rejects.toMatchObject(unreadable);
  });
});

describe("CNAME records", () => {
  const alias = (owner: string, data: string): Answer => ({ owner, type: CNAME, data });
  const address = (owner: string): Answer => ({ owner, type: A, data: ip(192, 0, 2, 9) });
  const chain = (length: number, ending: readonly Answer[] = []): readonly Answer[] => [
    ...Array.from({ length }, (_, i) => alias(i === 0 ? "a.example" : `n${i}`, `n${i + 1}`)),
    ...ending,
  ];

  it("are followed within a response, in any order", async () => {
    const records = [...chain(8, [address("n8")])].reverse();
    expect(await given(records)).toEqual(["192.0.2.9"]);
  });

  it("are followed with further queries if the nameserver does not", async () => {
    const { send, asked } = zone({
      "a.example": [alias("A.example", "B.example")],
      "b.example": [alias("b.example", "c.example"), alias("c.example", "d.example")],
      "d.example": [address("d.example")],
    });
    expect(await ask(send)).toEqual(["192.0.2.9"]);
    expect(asked).toEqual(["a.example 1", "b.example 1", "d.example 1"]);
  });

  it("to a name that does not exist or lacks the type return an empty result", async () => {
    const nothing = zone({ "a.example": [alias("a.example", "b.example")] });
    expect(await ask(nothing.send)).toEqual([]);
    const other = zone({ "a.example": [alias("a.example", "b.example")], "b.example": [] });
    expect(await ask(other.send)).toEqual([]);
    expect(await given([alias("a.example", "b.example")], { flags: 0x8183 })).toEqual([]);
  });

  it("to a name with an error fail", async () => {
    const { send } = zone({
      "a.example": [alias("a.example", "b.example")],
      "b.example": { flags: 0x8182 },
    });
    await expect(ask(send)).rejects.toThrow("SERVFAIL");
  });

  it.each([
    ["nine in one answer", chain(9, [address("n9")])],
    ["a circle", [alias("a.example", "b.example"), alias("b.example", "a.example")]],
    ["one to itself", [alias("a.example", "a.example")]],
  ])("are not followed beyond eight: %s", async (_, records) => {
    await expect(given(records)).rejects.toThrow("the chain of CNAME records is longer than 8");
  });

  it("are counted across all queries", async () => {
    const names = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [`n${i}`, [alias(`n${i}`, `n${i + 1}`)]] as const),
      );
    const eight = zone({ ...names(8), n8: [address("n8")] });
    expect(await ask(eight.send, "A", "n0")).toEqual(["192.0.2.9"]);
    const nine = zone({ ...names(9), n9: [address("n9")] });
    await expect(ask(nine.send, "A", "n0")).rejects.toThrow(
      "the chain of CNAME records is longer than 8",
    );
    expect(nine.asked).toHaveLength(9);
  });

  it("are not followed to a name that cannot be queried", async () => {
    await expect(given([alias("a.example", "")])).rejects.toThrow("not a valid DNS name");
    const dotted = {
      owner: "a.example",
      type: CNAME,
      data: Uint8Array.from([3, ...bytesOf("b.c"), 0]),
    };
    await expect(given([dotted])).rejects.toThrow("not a valid DNS name");
  });
});

describe("a hosts file", () => {
  const hosts = `127.0.0.1\tlocalhost # us
::1 localhost ip6-localhost
  10.0.0.7   Web.Example  web\r
# 10.0.0.8 db.example
10.0.0.9 web.example
nonsense odd.example
fe80::1%eth0 zoned.example
10.0.0.10`;
  const { send, asked } = zone({});
  const resolve = withHosts(hosts, resolver(send, random));

  it("resolves its names without a DNS query", async () => {
    expect(await resolve({ name: "WEB.example.", type: "A" }, never)).toEqual([
      "10.0.0.7",
      "10.0.0.9",
    ]);
    expect(await resolve({ name: "web", type: "A" }, never)).toEqual(["10.0.0.7"]);
    expect(await resolve({ name: "localhost", type: "AAAA" }, never)).toEqual(["::1"]);
    expect(await resolve({ name: "web.example", type: "AAAA" }, never)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("leaves other names, and TXT records, to DNS", async () => {
    for (const name of ["db.example", "odd.example", "zoned.example"])
      await resolve({ name, type: "A" }, never);
    await resolve({ name: "web.example", type: "TXT" }, never);
    expect(asked).toEqual(["db.example 1", "odd.example 1", "zoned.example 1", "web.example 16"]);
  });
});

describe("nameserverOf", () => {
  it.each([
    ["192.0.2.53:5353", "192.0.2.53", 5353],
    ["192.0.2.53", "192.0.2.53", 53],
    ["192.0.2.53:00053", "192.0.2.53", 53],
    ["[2001:DB8::53]:53", "2001:db8::53", 53],
    ["[2001:db8::53]", "2001:db8::53", 53],
    ["2001:db8::53", "2001:db8::53", 53],
  ])("parses %s", (text, address, port) => {
    expect(nameserverOf(text)).toEqual({ address, port });
  });

  it.each([
    "",
    "ns.example:53",
    "192.0.2.53:0",
    "192.0.2.53:65536",
    "192.0.2.53:",
    "[192.0.2.53",
    "192.0.2:53",
    "[]:53",
    "fe80::1%eth0",
  ])("rejects %j", (text) => expect(nameserverOf(text)).toBeUndefined());
});
