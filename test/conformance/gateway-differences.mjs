/** Scenarios that cannot have the same verdict through a gateway, by the revision of the server behind it, and the reason. */
const ANY = {
  'server-sse-polling': 'a server behind a gateway does not close the stream of the client in front of it',
}
const LEGACY = {
  'input-required-result-basic-elicitation': 'input requests of 2025-11-25 have no keys, which the scenario expects',
  'input-required-result-ignore-extra-params': 'input requests of 2025-11-25 have no keys, which the scenario expects',
  'sep-2640-skills-enumeration': '2025-11-25 has no cache hints',
  'tasks-mrtr-composition': 'a task of 2025-11-25 starts before it asks',
}

/** Returns why a scenario is not expected to pass, or `undefined`. */
export function reasonOf(scenario, behind) {
  if (behind === undefined) return undefined
  return ANY[scenario] ?? (behind < '2026-07-28' ? LEGACY[scenario] : undefined)
}
