import type { RoutedCall, Style } from "../../wire/endpoint.ts";
import { documentMember, parameter } from "./document.ts";
import { badFilter } from "./fault.ts";
import {
  membersOf,
  listOf,
  object,
  textOrNull,
  wholeNumber,
  type Schema,
} from "./resource-schema.ts";
import { jsonapi } from "./style.ts";

/** Query parameters of a paged list. */
export const pageFields = {
  "page[number]": parameter("Page number, 1 by default."),
  "page[size]": parameter("Items per page, 20 by default, at most 100."),
} as const;
type PageQuery = { readonly [K in keyof typeof pageFields]?: string | undefined };

/**
 * A page of a list. `links` contains the queries for other pages, which the style converts to URLs.
 */
interface Paged<T> {
  readonly data: readonly T[];
  readonly links: Links;
  readonly meta: {
    readonly pagination: {
      readonly "current-page": number;
      readonly "page-size": number;
      readonly "prev-page": number | null;
      readonly "next-page": number | null;
      readonly "total-pages": number;
      readonly "total-count": number;
    };
  };
}
type Links = Readonly<Record<"self" | "first" | "prev" | "next" | "last", string | null>>;
const wholeOrNull = { type: ["integer", "null"] };
const links = object(membersOf(["self", "first", "prev", "next", "last"], textOrNull));
const pagination = object({
  ...membersOf(["current-page", "page-size", "total-pages", "total-count"], wholeNumber),
  ...membersOf(["prev-page", "next-page"], wholeOrNull),
});
/** Returns the response fields for a paged list of resources. */
export const pagedReply = (items: Schema) =>
  ({
    data: documentMember<readonly unknown[]>(listOf(items), "The resources on this page."),
    links: documentMember<Links>(links, "Links to this, the first, previous, next and last page."),
    meta: documentMember<Paged<unknown>["meta"]>(
      object({ pagination }),
      "Number of this page, and total numbers of pages and resources.",
    ),
  }) as const;

/** Parses a positive integer. Returns the default `standard` for any other string. */
function positive(text: string | undefined, standard: number): number {
  const number = text !== undefined && /^\d+$/.test(text) ? Number(text) : 0;
  return number >= 1 ? Math.min(number, Number.MAX_SAFE_INTEGER) : standard;
}

/**
 * Returns a page of a list. With `whole`, returns the whole list if the request has no page
 * parameters.
 */
export function pageOf<T>(
  all: readonly T[],
  query: PageQuery,
  options: { readonly whole?: boolean } = {},
): Paged<T> {
  const unpaged =
    options.whole === true &&
    query["page[number]"] === undefined &&
    query["page[size]"] === undefined;
  const size = unpaged
    ? Math.max(all.length, 20)
    : Math.min(positive(query["page[size]"], 20), 100);
  const number = positive(query["page[number]"], 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (page: number) => `page%5Bnumber%5D=${page}&page%5Bsize%5D=${size}`;
  const [previous, next] = [
    number > 1 ? Math.min(number - 1, last) : null,
    number < last ? number + 1 : null,
  ];
  return {
    data: all.slice((number - 1) * size, number * size),
    links: {
      self: link(number),
      first: link(1),
      prev: previous === null ? null : link(previous),
      next: next === null ? null : link(next),
      last: link(last),
    },
    meta: {
      pagination: {
        "current-page": number,
        "page-size": size,
        "prev-page": previous,
        "next-page": next,
        "total-pages": last,
        "total-count": all.length,
      },
    },
  };
}

/**
 * Style for paged lists. Links are absolute URLs with the path and all other parameters of the
 * request. Undeclared filters are rejected.
 */
export const pagedStyle: Style = {
  ...jsonapi,
  read: async (routed) => {
    rejectUnknownFilters(routed);
    return jsonapi.read(routed);
  },
  reply: (outcome, routed) => {
    // only endpoints whose handlers return a page have this style
    const data = outcome.data as Paged<unknown>;
    const links = Object.fromEntries(
      Object.entries(data.links).map(([name, query]) => [
        name,
        query === null ? null : addressOf(routed, query),
      ]),
    );
    return jsonapi.reply({ ...outcome, data: { ...data, links } });
  },
};
/**
 * Throws 400 for undeclared `search[…]` and `filter[…]` parameters. If such parameters were
 * ignored, clients might act on every item of an unexpectedly long list.
 */
function rejectUnknownFilters({ call, endpoint }: RoutedCall): void {
  const unknown = [...call.query].find(
    ([name, value]) =>
      /^(?:search|filter)\[/.test(name) && value !== "" && !Object.hasOwn(endpoint.body, name),
  );
  if (unknown === undefined) return;
  const [name] = unknown;
  const supported = Object.keys(endpoint.body).filter((each) =>
    /^(?:search|filter|q)\b/.test(each),
  );
  throw badFilter(
    `${name} is not supported here; ${supported.length ? `use ${supported.join(", ")}` : "omit it"}`,
    name,
  );
}
/**
 * Returns the absolute URL of another page. It consists of the deployment's public URL, or the
 * origin of the request, and the path and query.
 */
function addressOf({ call, target }: RoutedCall, query: string): string {
  const origin = target.on.sys.ports.publicUrl ?? call.origin ?? "";
  const others = [...call.query]
    .filter(([name]) => !Object.hasOwn(pageFields, name))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`);
  return `${origin}${call.path.replace(/\/$/, "")}?${others.join("")}${query}`;
}
