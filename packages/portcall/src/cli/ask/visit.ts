import type { UrlRequest } from '../../client.ts'
import { plainLine } from '../show/plain.ts'
import { withPrompter } from './prompter.ts'

/** Shows the address of a page that a server wants to be visited, whole, and asks whether that was done. Nothing is opened. */
export async function askVisit({ message, url }: UrlRequest, signal: AbortSignal): Promise<'accept' | 'decline' | 'cancel'> {
  return withPrompter(signal, async (prompter) => {
    prompter.say(`The server asks you to visit a page: ${plainLine(message)}\n  ${plainLine(url)}`)
    const line = await prompter.ask('Will you visit it? yes or no [no]:')
    if (line === undefined) return 'cancel'
    return /^y(es)?$/i.test(line.trim()) ? 'accept' : 'decline'
  })
}
