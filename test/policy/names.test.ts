import { describe, expect, it } from "vitest";
import { policyNames as storedNames } from "../../src/auth/entity/names.ts";
import { policiesFor, policyNames as tokenNames } from "../../src/auth/token/policies.ts";
import { foldPolicyName, policyNameForm } from "../../src/base/policy-name.ts";
import { compileAcl, isKeyName } from "../../src/policy/index.ts";
import { parsePolicy } from "../../src/policy/policy.ts";
import { forms } from "../../src/sys/path-parameters.ts";
import { nameInKey, nameOf } from "../../src/sys/policy/names.ts";
import { readPolicy } from "../../src/sys/policy/policies.ts";
import { toPolicyPath } from "../../src/wire/access.ts";
import { seeded } from "../support/authority.ts";
import { policyKeys } from "../../src/engine/policy-records.ts";
import { threadTime } from "../support/spent.ts";

const random = seeded(25);
const below = (limit: number): number => {
  const [a = 0, b = 0] = random(2);
  return (a * 256 + b) % limit;
};
const pick = <T>(items: readonly T[]): T => {
  const item = items[below(items.length)];
  if (item === undefined) throw new TypeError("nothing to pick from");
  return item;
};

// letters that have several spellings: precomposed, several marks, singletons, sigma, Hangul
const letters = [..."aZk09_.:@+~-éÉÅÅKΩΣςσİıßẞĳǅᾼᾳặḍ̇각힣яЙ日ไทยำक़ֹשׂｗﬁ𝐫𐐀"];
const word = (): string => Array.from({ length: 1 + below(6) }, () => pick(letters)).join("");
const name = (): string =>
  Array.from({ length: 1 + below(3) }, word).reduce((all, one) => all + pick([" ", "/"]) + one);
const respelled = (text: string): string =>
  pick<(text: string) => string>([
    (one) => one.normalize("NFC"),
    (one) => one.normalize("NFD"),
    (one) => [...one].map((letter) => letter.toLowerCase()).join(""),
    (one) => one.normalize("NFD").replace(/[a-z]/g, (letter) => letter.toUpperCase()),
    (one) => [...one].map((letter) => letter.normalize(pick(["NFC", "NFD"]))).join(""),
  ])(text);

/** Returns the path of a policy endpoint as it is authorized. */
const judgedPolicy = (path: string) =>
  toPolicyPath(
    {
      endpoint: readPolicy,
      shape: path.startsWith("/policy/") ? "/policy/:name+" : "/policies/acl/:name+",
      forms,
    },
    { mount: "sys", path: encodeURI(path) },
  );
/** Reports whether a rule with this path applies to an authorized path. */
function rules(spelled: string, path: string): boolean {
  const policy = parsePolicy(`path "${spelled}" { capabilities = ["read"] }`);
  const judged = judgedPolicy(path.slice(3));
  expect(judged.path).toBe(path);
  return compileAcl([{ name: "p", ...policy }]).can("read", judged.path, judged.forms);
}
const judged = (spelled: string): string => judgedPolicy(`/policies/acl/${spelled}`).path.slice(17);

describe("the normal form of a policy name", () => {
  it("is the same for every form of a character, and is its own normal form", () => {
    const wrong: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point === 0xd800) point = 0xe000;
      const char = String.fromCodePoint(point);
      const forms = [char.toLowerCase(), char.normalize("NFC"), char.normalize("NFD")];
      if (!/\p{M}/u.test(char) && forms.every((form) => form === char)) continue;
      for (const text of [char, `a${char}`, `${char}a`, `a${char}\u0301`, `\u03b1${char}\u0345`]) {
        const form = foldPolicyName(text);
        const spellings = [form, text.normalize("NFC"), text.normalize("NFD")];
        if (spellings.some((one) => foldPolicyName(one) !== form)) wrong.push(point.toString(16));
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is the same for rows, tokens, roles, rules, authorized paths and keys, for any form of the name", () => {
    for (let round = 0; round < 3000; round++) {
      const written = name();
      const stored = nameOf(written);
      const spelled = respelled(written);
      const about = JSON.stringify([round, written, spelled]);
      const form = policyNameForm(written);
      expect(foldPolicyName(spelled), about).toBe(form);
      expect(storedNames([` ${spelled}\t`, written]), about).toEqual([form]);
      expect(tokenNames([spelled, `${written} `]), about).toEqual([form]);
      const path = `sys/policies/acl/${spelled}`;
      expect(rules(path, `sys/policies/acl/${form}`), about).toBe(true);
      expect(judged(spelled), about).toBe(form);
      expect(nameOf(spelled), about).toBe(stored);
      if (stored === undefined) continue;
      expect(stored, about).toBe(form);
      expect(isKeyName(stored), about).toBe(true);
      expect(policyKeys.policy(stored), about).toMatch(/^policy\/[ -~]+$/);
      expect(nameInKey(policyKeys.policy(stored)), about).toBe(stored);
    }
  });

  it("of an ASCII name is its lower case, and its key is the name itself", () => {
    const ascii = [..."abcXYZ019_.:@+~-"];
    for (let round = 0; round < 500; round++) {
      const one = Array.from({ length: 2 + below(20) }, () => pick(ascii)).join("");
      if (/^\.+$/.test(one)) continue;
      expect([one, nameOf(one)]).toEqual([one, one.toLowerCase()]);
      expect(policyKeys.policy(one)).toBe(`policy/${one}`);
    }
  });

  it("has a unique key, because percent signs are escaped too", () => {
    expect(policyKeys.policy("%C3%A9")).toBe("policy/%25C3%25A9");
    expect(policyKeys.policy("é")).toBe("policy/%C3%A9");
  });

  it("does not depend on what follows, so that a prefix of a name matches it", () => {
    expect(rules("sys/policies/acl/ΑΣ*", "sys/policies/acl/ασβ")).toBe(true);
    expect(nameOf("ΑΣΒ")).toBe("ασβ");
    expect(nameOf("ΑΣ")).toBe("ασ");
    expect(rules("sys/policies/acl/Team *", "sys/policies/acl/team two")).toBe(true);
    expect(rules("sys/policies/acl/Team *", "sys/policies/acl/teams")).toBe(false);
    expect(rules("sys/policy/E\u0301/+", "sys/policy/é/x")).toBe(true);
  });

  it("is computed quickly for long sequences of unordered combining marks", () => {
    const marks = "\u0301\u0316".repeat(1_000_000);
    expect(foldPolicyName(marks)).toBe(marks);
    expect(nameOf(marks)).toBeUndefined();
    const many = Array.from({ length: 8000 }, (_, at) => marks.slice(at % 2, 500));
    const began = threadTime();
    expect(storedNames(many).length).toBe(2);
    expect(threadTime() - began).toBeLessThan(2000);
  });

  it("is the same for all forms of a name with the maximum number of combining marks; more are rejected", () => {
    const most = `\u1f82${"\u0344".repeat(8)}`;
    for (const spelled of [most, most.normalize("NFC"), most.normalize("NFD")])
      expect(foldPolicyName(spelled)).toBe(most.normalize("NFC"));
    expect(nameOf(`a${"\u0316".repeat(8)}`)).toBe(`a${"\u0316".repeat(8)}`);
    expect(nameOf(`a${"\u0316".repeat(9)}`)).toBeUndefined();
  });
});

describe("a policy name", () => {
  it("may contain spaces, and letters, digits and combining marks of any script", () => {
    for (const [given, stored] of [
      ["My Policy", "my policy"],
      ["team/a:bé", "team/a:bé"],
      ["Équipe Réseau/Ops 2", "équipe réseau/ops 2"],
      ["日本語", "日本語"],
      ["ไทยำ", "ไทยำ"],
      ["Straße", "straße"],
      ["\u212aelvin", "kelvin"],
      ["é".repeat(84), "é".repeat(84)],
      ["日".repeat(56), "日".repeat(56)],
    ])
      expect([given, nameOf(given ?? "")]).toEqual([given, stored]);
  });

  it("may not contain invisible characters, separators, or anything that keys cannot contain", () => {
    for (const given of [
      "",
      " ",
      " a",
      "a ",
      "a  b",
      "a /b",
      "a/ b",
      "a//b",
      "/a",
      "a/",
      ".",
      "..",
      "a/../b",
      "a/.",
      "a,b",
      'a"b',
      "a*b",
      "a%b",
      "[a]",
      "a\tb",
      "a\nb",
      "a\u0085b",
      "a\u00a0b",
      "a\u2028b",
      "a\u2029b",
      "a\u3000b",
      "a\u200bb",
      "a\u200db",
      "a\u202eb",
      "a\ufe0fb",
      "a\u3164b",
      "a\ufeffb",
      "\u0301a",
      "a/\u0301a",
      "a \u0301a",
      "a\ud800",
      "\udc00a",
      "a\u{e000}",
      "a\uffff",
      "→",
      "a".repeat(129),
      "日".repeat(57),
    ])
      expect([given, nameOf(given)]).toEqual([given, undefined]);
  });

  it("cannot resemble a reserved name, and no other form of root makes a root token", () => {
    const wide = (text: string): string =>
      text.replace(/[a-z]/g, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0));
    const bold = (text: string): string =>
      text.replace(/[a-z]/g, (char) => String.fromCodePoint(char.charCodeAt(0) - 97 + 0x1d41a));
    for (const reserved of ["root", "default", "response-wrapping", "control-group"])
      for (const one of [wide(reserved), bold(reserved), wide(reserved).toUpperCase()]) {
        expect([one, nameOf(one)]).toEqual([one, undefined]);
        expect(tokenNames([one])).not.toContain(reserved);
        expect(storedNames([one])).not.toContain(reserved);
      }
    expect(nameOf("ROOT")).toBe("root");
    for (const parent of [["ROOT"], [" root"], [wide("root")], ["web"]])
      for (const asked of [["root"], ["Root"], [" ROOT "], []])
        try {
          const wish = { requested: asked, parent, no_default_policy: false, isSudo: false };
          expect(policiesFor(wish)).not.toContain("root");
        } catch (error) {
          expect(error).toMatchObject({ code: "malformed" });
        }
  });
});
