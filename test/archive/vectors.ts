const bytes = (lines: readonly string[]): Uint8Array =>
  new Uint8Array(Buffer.from(lines.join(""), "base64"));

/** Password of all of them. */
export const vectorPassword = "correct horse";

/** A key on P-256 and its certificate, by OpenSSL 3.0 with -iter 1: AES-256 and HMAC-SHA-256. */
export const quick = bytes([
  "MIID9gIBAzCCA7AGCSqGSIb3DQEHAaCCA6EEggOdMIIDmTCCAlEGCSqGSIb3DQEHBqCCAkIwggI+AgEAMIICNwYJ",
  "KoZIhvcNAQcBMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAgdifTk6+a/VAIBATAMBggqhkiG9w0CCQUA",
  "MB0GCWCGSAFlAwQBKgQQ1p3fg8yYbcu3KzmDzx31foCCAdATEbseIPwMSu5IGMKoIHJPGC7pVkPUZNkknj6RjaL9",
  "YXzplUBzCtRXNfD6+w5zx6cfUfxUkQ/K2/GlbAumGgLfrCkAHN5/xfqnq0kqfBcTZhXCSDzuVF5S9kUHhvWm42QX",
  "U9vnn40PFukXh6UsRVaGkWrHwLoMXQC+qjsUGZECdkBRb5XAxeA3SlkrvpgNjk/kYiuqkgceMoEj8xFmX+mQXzMe",
  "vtwzw0AO4yo4/wq9va3I0+1Pr9WJ9h9zsU6ct//0mhjY3o5BlRujCHFoSDEhJaeK4chu948dGARy8BfgEoseyqx+",
  "yNjBMMdNUTcqevtPHa/4i5cTVU03ytRmWGMjtZdePoAmzeiTy9MFQ4YCptM2IzVGFQ7+7MapkqUrTvGI7ZMCIBhc",
  "CZzJRpDRJdUWEo1iv7Od5JSY5CYLDLfc0zUjlzLp63CnKKk6UxgVDhCEIPyF6V04X5273CCFyHpvKssOJ12Wc18q",
  "3IpOQK3P3r4E9PkXpDkT8SJotUNmVVblkwSlZqGSXorkdpLfdkglLX4SiG+U3HXa5mxx3ivJEr/BNyq6Mj5mFyfH",
  "pZ8q1jVM06IfFKN0Gg5dqT1Vi7LlX+DmY0Cy71avvNh3kpFOlTCCAUAGCSqGSIb3DQEHAaCCATEEggEtMIIBKTCC",
  "ASUGCyqGSIb3DQEMCgECoIHuMIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAjbrk8cCzgerwIBATAM",
  "BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQXMIDqp3y+5pRB/wH/nBaigSBkP8ThZWikh1DF+kqbqpsvABPERDn",
  "tukYdTxvczuFt/+HbdOmvJ8Jr/nUUDVTfYNDpcOJAqFTEzPucRJ1eHAEGb55nYO1FAmVxHsHKaoanTdL7WOJ+Ddx",
  "0yYSDnxBOepqeDlhWh4KdWwSqGnTfQvBtKL5cf5Ex1bj0qNxGWywC4nHOCK0SNngmUZ+OSMyehcGpTElMCMGCSqG",
  "SIb3DQEJFTEWBBRlUOc86yRMDgjGNK/zgjK+5NETjDA9MDEwDQYJYIZIAWUDBAIBBQAEICeQ/SQWlX4b6Oci7K8m",
  "ilqhzSLpaTWSWVrO2qWwhijKBAjXs/XzodjxGQ==",
]);

/** The same with -legacy: 3DES for the key, RC2 of 40 bits for the certificate, SHA-1. */
export const legacy = bytes([
  "MIIDbAIBAzCCAzYGCSqGSIb3DQEHAaCCAycEggMjMIIDHzCCAhYGCSqGSIb3DQEHBqCCAgcwggIDAgEAMIIB/AYJ",
  "KoZIhvcNAQcBMBsGCiqGSIb3DQEMAQYwDQQIEN9SIKMZI+cCAQGAggHQMTpflU8rj3R8CT7fUtjeulcibWu3kD5E",
  "DQrGKcbYfEWOT17smHZyXZwaN3x3zeM/wbWOhP9G0w9S1CWhUKkYUiHBGdBPvFh3NON24uoty+sUQq0kx08Qy/lx",
  "MJL+Wd/ey+EeGtB59qmzcbv9p5iDvUg/SFCsW+tK9XFrJ475EyqDRTGjSozdxdnEjiLHkIJ88tiSPph4nCTWIbvU",
  "olr0yCMU61OJFYWo+Phu5iYsKEr/yaIMjgg8/JhvObfTzR7ParR+yVJpqZAckoWAK1XBs+1i19tzXgmpx7nBrZ/I",
  "n/xicPFm32SwkP/xDBDnq8XPWjVUc3ayyLMpHDEjyvbF0euwxiYG/+UzBDFENP3Knjx0RRZQlPBoLiBuCV0qX2Ld",
  "3w3+0uZRLMeBrFCawyZL0uz//oIdik+xI+HLuANd2LZk8baxHfUsSFamsA4dy3yqZWKCl+jY8gEV40LJBXEqQA9I",
  "HhbqXaidoB7dyMU+giTqFkIAni3dlKhALuzjAquvc8TN1oLBkyTieVj8aPSbQ6s6ZdeElN3koHVDmjDlgocLDmv8",
  "eH0dbSEjzhDndMwCHRBErNnKgK4lpKhd9cYi3Bk3s1PIMRjBDC+E/hwkumEwggEBBgkqhkiG9w0BBwGggfMEgfAw",
  "ge0wgeoGCyqGSIb3DQEMCgECoIGzMIGwMBsGCiqGSIb3DQEMAQMwDQQIijzp0DQpfYECAQEEgZCBdeEbqgBKgv1Z",
  "BUR0IH0yDlHiPp0aICyFxCdPJlsUbA+Q3Jh+tzLTTe+09Z2OPizX+ny8PEmZLJa//gGbqjEC1q7ikn8hYTVQrQDY",
  "R307aulh/fi7qzFU8FcYkAYE1vN2BlghGf4xb1zJ7SBWfDn6DCnykxYbA7r589eNuEQ4vcZSwyUNQjBkZIBeH6Oy",
  "LFQxJTAjBgkqhkiG9w0BCRUxFgQUZVDnPOskTA4IxjSv84IyvuTRE4wwLTAhMAkGBSsOAwIaBQAEFMpRArWti1hP",
  "K5oOVNYkNeAPULLQBAjS3nPTEslI8g==",
]);
