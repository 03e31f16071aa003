import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import type { Group } from "../../src/wire/openapi.ts";
import { patternFor } from "../examples/places.ts";
import type { ShownRequest } from "./examples.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Formats a request as a curl command that uses the shell variables `URL` and `TOKEN`. */
export function curlOf(endpoint: AnyEndpoint, { base }: Group, example: ShownRequest): string {
  const { parameters = {}, body } = example;
  const { method, path, names } = patternFor(endpoint, parameters);
  const whole = method === "POST" ? endpoint.style.whole : undefined;
  const sent =
    whole !== undefined
      ? `--data-binary @${whole}`
      : body === undefined
        ? undefined
        : `-d ${quoted(JSON.stringify(body))}`;
  const query = new URLSearchParams(
    Object.entries(parameters)
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => [name, String(value)]),
  );
  if (method === "LIST") query.set("list", "true");
  const at = path.replace(/:(\w+)\+?/g, (_, name: string) => encodeURI(String(parameters[name])));
  const address = `$URL${base}${at}${query.size ? `?${query}` : ""}`;
  const isVariables = base.startsWith("/api") || base === "";

  const media = endpoint.style.accepts[method] ?? endpoint.style.accepts["POST"] ?? "";
  const verb = method === "LIST" ? "GET" : method;
  return [
    "curl",
    ...(verb === "GET" || (verb === "POST" && sent !== undefined) ? [] : [`-X ${verb}`]),
    ...(endpoint.access === "open"
      ? []
      : [isVariables ? '-H "Authorization: Bearer $TOKEN"' : '-H "X-Service-Token: $TOKEN"']),
    ...(sent !== undefined && media !== "application/json" ? [`-H "Content-Type: ${media}"`] : []),
    `"${address}"`,
    ...(sent === undefined ? [] : [sent]),
  ].join(" ");
}
