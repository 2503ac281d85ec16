import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ROOT } from '../../lib/paths.mjs'
import { REPOSITORY } from './head.mjs'

const DOCS = join(ROOT, 'docs')
const HAS_SCHEME = /^[a-z][a-z\d+.-]*:|^\/\//i

/** Returns the link of the site for a link of a page: files outside docs/ are shown by GitHub, and a README is the index of its folder. */
function linkOnSite(href, page) {
  const [path, anchor] = href.split('#')
  if (!path || path.startsWith('/') || HAS_SCHEME.test(href)) return href
  const target = resolve(dirname(page), decodeURIComponent(path))
  const end = anchor === undefined ? '' : `#${anchor}`
  if (!`${target}${sep}`.startsWith(`${DOCS}${sep}`)) {
    const kind = existsSync(target) && statSync(target).isDirectory() ? 'tree' : 'blob'
    return `${REPOSITORY}/${kind}/main/${relative(ROOT, target).split(sep).join('/')}${end}`
  }
  if (target === join(DOCS, 'README.md')) return `/${end}`
  return href.replace(/(^|\/)README\.md(?=#|$)/, '$1index.md')
}

/** A markdown-it plugin that rewrites the links of the pages for the site. */
export function linksToSite(md) {
  md.core.ruler.push('links-to-site', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue
      token.attrSet('href', linkOnSite(token.attrGet('href'), env.realPath ?? env.path))
    }
  })
}
