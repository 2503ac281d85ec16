/**
 * Returns the fenced code blocks of a Markdown text: language, code, first line, and the comments above them: `from` for
 * `<!-- from: … -->`, `ran` for `<!-- run by: … -->` and `<!-- not run: … -->`.
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

const withoutFences = (text) => text.replace(/^(```+)[\s\S]*?^\1$/gm, '')
const withoutCode = (text) => withoutFences(text).replace(/`[^`\n]*`/g, '')

/** Returns the link targets of a Markdown text that are inside the repository. */
export function linksOf(text) {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, target]) => target)
  return targets.filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
}

/** The anchor that GitHub generates for a heading. */
export const slugOf = (title) =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** Returns the anchors of a Markdown text: explicit ones, and those of headings. Repeated headings are numbered. */
export function anchorsOf(text) {
  const prose = withoutFences(text).replace(/[`\\]/g, '')
  const explicit = [...prose.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id)
  const seen = new Map()
  const headings = [...prose.matchAll(/^#{1,6} +(.+)$/gm)].map(([, title]) => {
    const slug = slugOf(title)
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
  return new Set([...explicit, ...headings])
}
