import { join } from 'node:path'
import { librarySources } from './entrypoints.mjs'
import { filesBelow } from './files.mjs'
import { ROOT, readText } from './paths.mjs'

/** The start of the titles of sections with messages of other programs. */
const OTHERS = 'Messages of '
const SHORTEST = 4

/** Returns the messages in the headings of a Markdown text, apart from those of other programs. */
function messagesOf(text) {
  const sections = text.split(/^## /m).filter((section) => !section.startsWith(OTHERS))
  return sections.flatMap((section) => [...section.matchAll(/^### `(.+)`$/gm)].map(([, message]) => message))
}

/**
 * Returns the messages in the headings of a page that neither a source file nor a file of test/mistakes contains. `…` stands for a part
 * that differs; the other parts must occur in one file.
 */
export function unknownMessages(text) {
  const files = [...librarySources(), ...filesBelow(join(ROOT, 'test', 'mistakes'), '.ts')]
  const sources = files.map((path) =>
    readText(path)
      .replaceAll("' +\n", '')
      .replaceAll(/` \+\n\s*['`]/g, '')
      .replaceAll(/\n\[portcall\] /g, ' '),
  )
  return messagesOf(text).filter((message) => {
    const parts = message
      .split('…')
      .map((part) => part.trim())
      .filter((part) => part.length >= SHORTEST)
    return !sources.some((source) => parts.every((part) => source.includes(part)))
  })
}
