import { place } from "../lib/place.ts";
import { requestOf } from "./endpoint.ts";
import { openapiSpec } from "./endpoints/sys.ts";
import { request } from "./transport.ts";

/** An operation in the server's OpenAPI description. */
export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses?: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly description?: string; readonly content?: Contents }
    >
  >;
}

/** Request or response bodies, by media type. */
type Contents = Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>;

/** A JSON schema in the OpenAPI description. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The parts of an OpenAPI document that the console uses. */
interface Description {
  readonly paths: Paths;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

let described: { of: string; description: Promise<Description> } | undefined;

const isDescription = (document: unknown): document is Description =>
  typeof document === "object" && document !== null && "paths" in document;

async function fetchDescription(): Promise<Description> {
  const { verb, path } = requestOf(openapiSpec, { generic_mount_paths: true });
  const { data } = await request(verb, path, undefined, true);
  if (!isDescription(data)) throw new TypeError("The server sent no OpenAPI description.");
  return data;
}

/** Returns the server's OpenAPI description, which is fetched once per server. */
export function description(): Promise<Description> {
  const of = place.get().base;
  if (described?.of !== of) {
    const description = fetchDescription();
    described = { of, description };
    description.catch(() => {
      described = undefined;
    });
  }
  return described.description;
}

/**
 * Reports whether the server's OpenAPI description contains an endpoint, because older servers lack
 * some. Returns false if the description cannot be read.
 */
export async function can(endpoint: string): Promise<boolean> {
  const [verb = "", path = ""] = endpoint.split("|").at(-1)?.split(" ") ?? [];
  const below = path.replace(/:(\w+)\+?/g, "{$1}");
  try {
    const { paths } = await description();
    return ["/v1/{pki_mount_path}/", "/v1/pki/"].some(
      (mount) => paths[mount + below]?.[verb.toLowerCase()] !== undefined,
    );
  } catch {
    return false;
  }
}
