import { utf8 } from "../../base/bytes.ts";
import { wellFormed } from "../../base/code-point.ts";
import { dataOf, lazy, requiredMember } from "../jsonapi/document.ts";
import { attributeFault, type Fault } from "../jsonapi/fault.ts";
import { readCategory, type Category } from "./category.ts";

const [maxKeyLength, maxDescriptionLength] = [128, 512];
/** Maximum size of a value: 256 KiB of UTF-8. */
const maxValueBytes = 256 * 1024;

/** JSON Schemas of a variable's attributes. */
const attributeSchemas = {
  key: {
    type: "string",
    maxLength: 128,
    description: "Name of the variable, unique within its workspace and category.",
  },
  value: {
    type: ["string", "null"],
    description: "Value, at most 256 KiB of UTF-8. Never returned for a sensitive variable.",
  },
  description: { type: ["string", "null"], maxLength: 512 },
  category: {
    enum: ["iac", "terraform", "env"],
    description: "`iac` and `terraform` are synonyms.",
  },
  hcl: {
    type: "boolean",
    description:
      "Whether the value is code in the configuration language. Has no effect for `env`.",
  },
  sensitive: {
    type: "boolean",
    description: "Whether the value is never returned again. Cannot be unset.",
  },
} as const;
/**
 * JSON Schemas for a new variable's attributes, with the defaults of the API documentation (4.1).
 */
const newAttributeSchemas = {
  ...attributeSchemas,
  value: { ...attributeSchemas.value, default: "" },
  hcl: { ...attributeSchemas.hcl, default: false },
  sensitive: { ...attributeSchemas.sensitive, default: false },
} as const;
const workspaceRelationship = {
  workspace: {
    type: "object",
    description: "The workspace to which the variable belongs.",
    properties: {
      data: {
        type: "object",
        properties: { type: { const: "workspaces" }, id: { type: "string" } },
        required: ["type", "id"],
      },
    },
    required: ["data"],
  },
} as const;

/** The `data` member of a request that changes a variable in the workspace that the path names. */
export const changedVariable = requiredMember(
  dataOf("vars", attributeSchemas, { required: ["type"] }),
);
/** The `data` member of a request that creates a variable in the workspace that the path names. */
export const createdVariable = requiredMember(
  dataOf("vars", newAttributeSchemas, {
    required: ["type", "attributes"],
    attributes: ["key", "category"],
  }),
);
/**
 * The `data` member of a request that changes a variable at a path without a workspace (API
 * documentation, 4.3).
 */
export const changedVariableById = requiredMember(
  dataOf("vars", attributeSchemas, {
    required: ["type", "id", "attributes"],
  }),
);
/**
 * The `data` member of a request that creates a variable and names its workspace (API
 * documentation, 4.1).
 */
export const createdVariableIn = requiredMember(
  dataOf("vars", newAttributeSchemas, {
    required: ["type", "attributes"],
    attributes: ["key", "description", "category"],
    relationships: workspaceRelationship,
  }),
);
/** Names of a new variable's workspace and its organization (API documentation, 4.1). */
export const workspaceFilter = lazy({
  type: "object",
  description:
    "Names of the workspace and its organization, as an alternative to the relationship.",
  properties: { workspace: nameOf("workspace"), organization: nameOf("organization") },
  required: ["workspace", "organization"],
});
function nameOf(what: string) {
  return {
    type: "object",
    properties: { name: { type: "string", description: `Name of the ${what}.` } },
    required: ["name"],
  } as const;
}
/** The valid attributes in a request. Attributes that were not sent are absent. */
export interface Attributes {
  readonly key?: string;
  /** The value. Null leaves a sensitive value unchanged, and sets any other value to "". */
  readonly value?: string | null;
  readonly description?: string | null;
  readonly category?: Category;
  readonly hcl?: boolean;
  readonly sensitive?: boolean;
}
type Sent = Readonly<Record<string, unknown>>;
type RequiredAttribute = "key" | "category" | "description";

/** The parsed variable of a request, with a fault for each invalid attribute. */
export interface SentVariable {
  readonly attributes: Attributes;
  /** Faults in the order in which the documentation lists the attributes. */
  readonly faults: readonly Fault[];
}

/** Parses the attributes of a variable. The attributes in `demanded` are required. */
export function readAttributes(
  sent: Sent,
  ...demanded: readonly RequiredAttribute[]
): SentVariable {
  const faults: Fault[] = [];
  const fault: Fail = (attribute, sentence) =>
    void faults.push(attributeFault(attribute, sentence));
  const all = {
    key: readKey(sent["key"], demanded.includes("key"), fault),
    value: readValue(sent["value"], fault),
    description: readDescription(sent["description"], demanded.includes("description"), fault),
    category: readCategory(sent["category"], demanded.includes("category"), fault),
    hcl: readFlag(sent["hcl"], "hcl", fault),
    sensitive: readFlag(sent["sensitive"], "sensitive", fault),
  };
  return { attributes: withoutAbsent(all), faults };
}
/** Drops undefined members. */
const withoutAbsent = <T extends object>(all: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  // the members that remain keep their types
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
type Fail = (attribute: string, sentence: string) => void;

function readKey(sent: unknown, demanded: boolean, fault: Fail): string | undefined {
  if (sent === undefined || sent === null) {
    if (demanded) fault("key", "Key can't be blank");
    return undefined;
  }
  if (typeof sent !== "string") fault("key", "Key must be a string");
  else if (sent.trim() === "") fault("key", "Key can't be blank");
  else if (longerThan(sent, maxKeyLength))
    fault("key", `Key is too long (maximum is ${maxKeyLength} characters)`);
  else if (!wellFormed(sent)) fault("key", "Key must be valid Unicode");
  else if (/\p{Cc}/u.test(sent)) fault("key", "Key must not contain control characters");
  else return sent;
  return undefined;
}
function readValue(sent: unknown, fault: Fail): string | null | undefined {
  if (sent === undefined || sent === null) return sent;
  if (typeof sent !== "string") fault("value", "Value must be a string");
  // a UTF-16 code unit becomes at most three bytes of UTF-8, so short strings need not be measured
  else if (
    sent.length > maxValueBytes ||
    (3 * sent.length > maxValueBytes && sizeOf(sent) > maxValueBytes)
  )
    fault("value", "Value is too long (maximum is 256 KB)");
  else if (!wellFormed(sent)) fault("value", "Value must be valid Unicode");
  else return sent;
  return undefined;
}
function readDescription(sent: unknown, demanded: boolean, fault: Fail): string | null | undefined {
  if (sent === undefined || sent === null) {
    if (demanded) fault("description", "Description must be given (empty string allowed)");
    return sent;
  }
  if (typeof sent !== "string") fault("description", "Description must be a string");
  else if (longerThan(sent, maxDescriptionLength))
    fault("description", `Description is too long (maximum is ${maxDescriptionLength} characters)`);
  else if (!wellFormed(sent)) fault("description", "Description must be valid Unicode");
  else return sent;
  return undefined;
}
function readFlag(sent: unknown, attribute: "hcl" | "sensitive", fault: Fail): boolean | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (typeof sent === "boolean") return sent;
  fault(attribute, `${attribute === "hcl" ? "Hcl" : "Sensitive"} must be true or false`);
  return undefined;
}
/**
 * Reports whether a string has more than `maxLength` characters. Some characters have two UTF-16
 * code units.
 */
const longerThan = (text: string, maxLength: number): boolean =>
  text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength);
/** Returns a value's size in UTF-8 bytes. */
export const sizeOf = (value: string): number => utf8(value).length;
