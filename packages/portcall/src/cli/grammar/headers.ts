import { misused } from '../stop.ts'

/** `Name: value` or `Name=value`, as they are written elsewhere. */
export function readHeaders(given: readonly string[]): Record<string, string> {
  const entries = given.map((one) => {
    const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(.*)$/s.exec(one) ?? []
    if (name === undefined || value === undefined) throw misused(`${JSON.stringify(one)} is no header`, '--header "Name: value"')
    return [name, value]
  })
  return Object.fromEntries(entries)
}
