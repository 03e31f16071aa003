/**
 * Directives in the content security policies of both console pages. Hosts that can send headers
 * send the policy as a header; the build also writes it into the pages.
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

/** Directives that browsers ignore in a `meta` element. */
const headerOnly = ["frame-ancestors 'none'"];

/**
 * Directives by page. `index.html` registers its service worker and connects only to its own
 * origin. `connect.html` connects to any server, and does not have its own CA.
 */
const exceptions = {
  index: ["connect-src 'self'", "trusted-types sw"],
  connect: [
    "connect-src 'self' https: http://127.0.0.1:* http://localhost:*",
    "trusted-types 'none'",
  ],
};

/** The name of a console page. */
export type Page = keyof typeof exceptions;

/** Returns the policy for the `meta` element of the page. */
export const metaPolicy = (page: Page): string => [...common, ...exceptions[page]].join("; ");

/** Returns the policy for the response header of the page. */
const headerPolicy = (page: Page): string =>
  [...common, ...exceptions[page], ...headerOnly].join("; ");

/**
 * Browser features that the pages may not use. Bluetooth is not listed, because Chromium logs a
 * warning that it does not know the feature.
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

/** Returns the response headers of a console page. */
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
