import { SUBJECTS } from '../subjects.mjs'

/** Makes the subjects ready that can be used on this machine; says on stderr why others cannot. Gives the names of those that can. */
export async function availableOf(names) {
  const available = []
  for (const name of new Set(names)) {
    const reason = await SUBJECTS[name].prepare?.()
    if (reason) console.error(`without ${name}: ${reason}`)
    else available.push(name)
  }
  return available
}
