/** A request the front does not pass on: the status it answers with and one sentence why. The connection ends after it. */
export class FrontRefusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.name = "FrontRefusal";
    this.status = status;
  }
}

const reasons: Record<number, string> = {
  400: "Bad Request",
  408: "Request Timeout",
  417: "Expectation Failed",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
  502: "Bad Gateway",
  505: "HTTP Version Not Supported",
};

/** The bytes of a refusal on the wire: the error shape of the API, never cached, the connection closed after it. */
export function refusalBytes(refusal: FrontRefusal): Buffer {
  const body = JSON.stringify({ errors: [refusal.message] });
  const head = [
    `HTTP/1.1 ${refusal.status} ${reasons[refusal.status] ?? "Error"}`,
    "Content-Type: application/json",
    "Cache-Control: no-store",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`, "latin1");
}
