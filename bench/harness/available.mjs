import { SUBJECTS } from '../subjects.mjs'

/** Prepares the subjects and returns the names of those that can run on this machine. Prints to stderr why the others cannot. */
export async function availableOf(names) {
  const available = []
  for (const name of new Set(names)) {
    const reason = await SUBJECTS[name].prepare?.()
    if (reason) console.error(`without ${name}: ${reason}`)
    else available.push(name)
  }
  return available
}
