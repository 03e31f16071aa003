import { CaError } from "../base/errors.ts";
import type { ParameterForm } from "../base/forms.ts";
import { memoize } from "../base/memo.ts";
import type { JudgedPath, JudgedRequest, PathForms } from "../engine/ports.ts";
import type { Served } from "./api.ts";
import type { Call } from "./call.ts";
import type { Found, Place } from "./endpoint.ts";
import type { Forms } from "./endpoint-list.ts";
import { anyMethod } from "./router.ts";

/**
 * Returns the path that policies judge for a request, as the handler gets its parameters, so that
 * neither an escape nor the case of a name gives one thing two spellings (security row 91).
 */
export function judgedPath(
  { endpoint, shape, forms }: Pick<Found, "endpoint" | "shape" | "forms">,
  { mount, path }: Pick<Place, "mount" | "path">,
): JudgedPath {
  const below = (of: string): string => `${mount}${endpoint.policyPathOf?.(of) ?? of}`;
  const written = decodeURIComponent(below(path));
  if (!forms) return { path: written };
  const segments = written.split("/");
  const named = below(shape)
    .split("/")
    .flatMap((segment, at) =>
      namedIn(forms, segment, segments.slice(at)).map((one) => ({ ...one, at })),
    );
  if (named.length === 0) return { path: written };
  const all = segments.map((segment, i) => {
    const spelled = named.find(({ at, isRest }) => (isRest ? i >= at : i === at));
    return spelled ? spelled.form(segment) : segment;
  });
  return { path: all.join("/"), forms: shared(forms, named) };
}

/** A parameter of a path, by its name in the route. */
interface Named {
  readonly name: string;
  readonly isRest: boolean;
  readonly form: NonNullable<ReturnType<ParameterForm>>;
}
/** Returns the parameter that a segment of a route names, if its value has several spellings. */
function namedIn(forms: Forms, segment: string, values: readonly string[]): readonly Named[] {
  const name = segment.startsWith(":") ? segment.slice(1) : "";
  const isRest = name.endsWith("+");
  const value = isRest ? values.join("/") : (values[0] ?? "");
  const form = Object.hasOwn(forms, name) ? forms[name]?.(value) : undefined;
  return form ? [{ name, isRest, form }] : [];
}
/** Most objects that are shared between the paths of one list of endpoints. */
const maxShared = 1000;
const sharedBy = memoize<Forms, readonly [], Map<string, PathForms>>(() => new Map());
/** Returns one object for the same parameters in the same places: a table belongs to each. */
function shared(forms: Forms, named: readonly (Named & { readonly at: number })[]): PathForms {
  const known = sharedBy(forms);
  const key = named.map(({ name, at }) => `${at}${name}`).join(" ");
  const held = known.get(key);
  if (held) return held;
  if (known.size >= maxShared) known.clear();
  const made = named.map(({ at, isRest, form }) => ({ at, isRest, form }));
  known.set(key, made);
  return made;
}

/**
 * Returns how policies judge a path below the version prefix, decoded: one that leads nowhere by
 * the letter. `declared`: the members of the endpoint of the method, where it has one.
 */
export async function judgedAt(
  { api, deployment, call }: Served & { readonly call: Call },
  path: string,
  method = anyMethod,
): Promise<JudgedRequest> {
  // a listing has a slash at its end, which routes do not have
  const [, below = "", slash = ""] = /^(.*?)(\/?)$/s.exec(path) ?? [];
  try {
    const encoded = below.split("/").map(encodeURIComponent).join("/");
    const place = await api.place(deployment, { ...call, path: `/v1/${encoded}` });
    const find = (one: string): Promise<Found> => place.find(one, false, place.path);
    const own = await find(method).catch(passOn);
    const isFound = own !== undefined && own.refusal === undefined;
    const found = isFound ? own : await find(anyMethod);
    const judged = judgedPath(found, place);
    return {
      ...judged,
      path: judged.path + slash,
      ...(isFound && { declared: found.endpoint.body }),
    };
  } catch (error) {
    passOn(error);
    return { path };
  }
}
/** Throws what is no refusal, and no text that a path cannot hold. */
function passOn(error: unknown): undefined {
  if (!(error instanceof CaError || error instanceof URIError)) throw error;
  return undefined;
}
