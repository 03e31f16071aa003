import { systemEndpoint } from "../../wire/endpoint.ts";
import { text } from "../../wire/field.ts";
import { raw } from "../../wire/style.ts";

export const readMetrics = systemEndpoint({
  id: "readMetrics",
  at: ["GET /metrics"],
  access: "token",
  style: raw,
  doc: "Returns the server metrics as JSON or in Prometheus text format.",
  body: {
    format: text.default("", "`prometheus` for the Prometheus text format, or empty for JSON."),
  },
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { format }) =>
    (await import("./report.ts")).metricsReport(deployment, format),
});
