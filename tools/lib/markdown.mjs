/**
 * The code fences of a Markdown text: language, code, first line, and what the comments above them say: `from` of
 * `<!-- from: … -->`, `ran` of `<!-- run by: … -->` and `<!-- not run: … -->`.
 */
export function fencesOf(text) {
  const found = []
  const fence = /^(?:<!-- from: (\S+) -->\n\n?)?(?:<!-- ((?:run by|not run): [^\n]+) -->\n\n?)?```(\w+)[^\n]*\n([\s\S]*?)^```$/gm
  for (const match of text.matchAll(fence)) {
    const [whole, from, ran, language, code] = match
    const start = match.index + whole.indexOf(`\`\`\`${language}`)
    const codeStart = text.indexOf('\n', start) + 1
    found.push({ from, ran, language, code, codeStart, line: text.slice(0, start).split('\n').length })
  }
  return found
}

const withoutFences = (text) => text.replace(/^(```+)[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '')

/** The targets of the links of a Markdown text that stay in the repository. */
export function linksOf(text) {
  const targets = [...withoutFences(text).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, target]) => target)
  return targets.filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
}

/** The anchors of a Markdown text as GitHub makes them. */
export function anchorsOf(text) {
  const titles = [...withoutFences(text.replace(/`/g, '')).matchAll(/^#{1,6} +(.+)$/gm)].map(([, title]) => title)
  return new Set(
    titles.map((title) =>
      title
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )
}
