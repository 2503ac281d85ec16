const SOURCE = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::(?:\d{1,5}|\*))?$/i

/**
 * Reports whether a text names an origin that the CSP of a view may contain: `https://api.example.com`, `wss://live.example.com:8443`, or
 * `https://*.example.com`. Nothing else may become a part of a policy: no path, keyword, quote, `*` alone, or other scheme.
 */
export function isCspSource(source: unknown): source is string {
  return typeof source === 'string' && source.length <= 300 && SOURCE.test(source)
}
