const LOCAL_URL = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::\d+)?[^\s"'`)\]},;]*/

/** Returns what to do about a program that serves HTTP although stdio was expected. Returns '' if its output names no URL of this machine. */
export function adviceForOutput(output: string): string {
  const url = LOCAL_URL.exec(output)?.[0].replace(/(?<![.:])[.:]+$/, '')
  return url === undefined ? '' : `It seems to serve HTTP: connect to ${url}, or start it with its option for stdio`
}
