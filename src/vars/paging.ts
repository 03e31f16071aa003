import { answer, parameter } from "./document.ts";

/** The two query parameters of a paged list. */
export const pageFields = {
  "page[number]": parameter("Which page, 1 unless said."),
  "page[size]": parameter("Resources on a page, 20 unless said, 100 at most."),
} as const;
type Asked = { readonly [K in keyof typeof pageFields]?: string | undefined };

/** Where a page lies in its list. */
export interface Pagination {
  readonly "current-page": number;
  readonly "page-size": number;
  readonly "prev-page": number | null;
  readonly "next-page": number | null;
  readonly "total-pages": number;
  readonly "total-count": number;
}
/** One page of a list with its links. */
export interface Paged<T> {
  readonly data: readonly T[];
  readonly links: Readonly<Record<"self" | "first" | "prev" | "next" | "last", string | null>>;
  readonly meta: { readonly pagination: Pagination };
}
/** The answer of a paged list. */
export const pagedReply = {
  data: answer<readonly unknown[]>({ type: "array" }, "The resources of the page."),
  links: answer<Paged<unknown>["links"]>({ type: "object" }, "Addresses of the neighbouring pages."),
  meta: answer<Paged<unknown>["meta"]>({ type: "object" }, "Which page this is, and of how many."),
} as const;

/** Anything that is no number of at least 1 counts as not given. */
const positive = (text: string | undefined, standard: number): number => (text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : standard);

/** Cuts a page out of all. `url`: absolute, with a query or without. `whole`: without page parameters the list comes in one piece. */
export function paged<T>(all: readonly T[], asked: Asked, url: string, options: { readonly whole?: boolean } = {}): Paged<T> {
  const unpaged = options.whole === true && asked["page[number]"] === undefined && asked["page[size]"] === undefined;
  const size = unpaged ? Math.max(all.length, 20) : Math.min(positive(asked["page[size]"], 20), 100);
  const number = positive(asked["page[number]"], 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (page: number) => `${url}${url.includes("?") ? "&" : "?"}page%5Bnumber%5D=${page}&page%5Bsize%5D=${size}`;
  const [previous, next] = [number > 1 ? Math.min(number - 1, last) : null, number < last ? number + 1 : null];
  return {
    data: all.slice((number - 1) * size, number * size),
    links: { self: link(number), first: link(1), prev: previous === null ? null : link(previous), next: next === null ? null : link(next), last: link(last) },
    meta: {
      pagination: { "current-page": number, "page-size": size, "prev-page": previous, "next-page": next, "total-pages": last, "total-count": all.length },
    },
  };
}
