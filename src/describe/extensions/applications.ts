import { readDer } from "../../base/der.ts";
import { elementText, integerText, namedOid, readText, stringsIn } from "../element-text.ts";
import type { ExtensionReaders } from "./reader.ts";

function organizationLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "organization identifier").enter("CABFOrganizationIdentifier");
  const scheme = readText(body, "the scheme");
  const country = readText(body, "the country");
  const state =
    body.tag === 0x80 ? `+${new TextDecoder().decode(body.content("the state", 0x80))}` : "";
  return [`${scheme}${country}${state}-${readText(body, "the reference")}`];
}

/**
 * Returns a line for each S/MIME capability and its parameters, such as a key length, in order of
 * preference.
 */
function capabilityLines(value: Uint8Array): readonly string[] {
  const list = readDer(value, "S/MIME capabilities").enter("SMIMECapabilities");
  const lines: string[] = [];
  while (list.tag !== undefined) {
    const one = list.enter("a capability");
    const name = namedOid(one.oid("the algorithm"));
    lines.push(
      one.tag === undefined ? name : `${name}, ${elementText(one.element("the parameters"))}`,
    );
  }
  return lines;
}

const languages: Readonly<Record<string, string>> = {
  "1.3.6.1.5.5.7.21.0": "any language",
  "1.3.6.1.5.5.7.21.1": "inherits all rights",
  "1.3.6.1.5.5.7.21.2": "independent",
};

function proxyLines(value: Uint8Array): readonly string[] {
  const body = readDer(value, "proxy certificate information").enter("ProxyCertInfo");
  const length = body.tag === 0x02 ? integerText(body.integer("the path length")) : "unlimited";
  const policy = body.enter("the policy");
  const language = policy.oid("the language");
  const text = policy.tag === undefined ? undefined : policy.octets("the policy");
  return [
    `Path length: ${length}`,
    `Policy language: ${languages[language] ?? language}`,
    ...(text ? [`Policy: ${new TextDecoder().decode(text)}`] : []),
  ];
}

function logotypeLines(value: Uint8Array): readonly string[] {
  const texts = stringsIn(value, "logotype");
  return texts.length > 0 ? texts : ["Logotype without a URL"];
}

/**
 * Readers of extensions for specific applications (CA/B EV guidelines, RFC 4262, RFC 3820, RFC
 * 3709).
 */
export const applicationReaders: ExtensionReaders = {
  "2.23.140.3.1": organizationLines,
  "1.2.840.113549.1.9.15": capabilityLines,
  "1.2.840.113533.7.65.0": (value) => stringsIn(value, "Entrust version"),
  "1.3.6.1.5.5.7.1.14": proxyLines,
  "1.3.6.1.5.5.7.1.12": logotypeLines,
};
