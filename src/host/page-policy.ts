/**
 * Content security policies and response headers of the console's two pages. Hosts that can send
 * headers send these; the build also writes the policy into the pages.
 */

const common = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
];

/** Directives that a browser obeys in a header only, never in a `meta` element. */
const headerOnly = ["frame-ancestors 'none'"];

/**
 * Exceptions per page: `index.html` registers its service worker and connects to its own origin;
 * `connect.html` connects to any Worker and has no CA itself.
 */
const exceptions = {
  index: ["connect-src 'self'", "trusted-types sw"],
  connect: [
    "connect-src 'self' https: http://127.0.0.1:* http://localhost:*",
    "trusted-types 'none'",
  ],
};

/** Name of a page of the console. */
export type Page = keyof typeof exceptions;

/** Returns the policy for the `meta` element of the page. */
export const metaPolicy = (page: Page): string => [...common, ...exceptions[page]].join("; ");

/** The policy as a response header. */
const headerPolicy = (page: Page): string =>
  [...common, ...exceptions[page], ...headerOnly].join("; ");

/**
 * Browser features denied to the page. Bluetooth is missing because Chromium logs a warning about
 * it as unknown.
 */
const forbidden = [
  "accelerometer",
  "camera",
  "display-capture",
  "fullscreen",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "usb",
  "serial",
  "hid",
];

/** Response headers of a page of the console. */
export const pageHeaders = (page: Page): Record<string, string> => ({
  "Content-Security-Policy": headerPolicy(page),
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": [
    ...forbidden.map((feature) => `${feature}=()`),
    "clipboard-write=(self)",
  ].join(", "),
});
