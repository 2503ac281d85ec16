import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from '../../lib/files.mjs'
import { readText } from '../../lib/paths.mjs'

/** The parts of a page that hold what was written; scripts hold templates of pages. */
const withoutScripts = (html) => html.replace(/<script[\s\S]*?<\/script>/g, '')
const decoded = (text) => decodeURIComponent(text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"'))
const valuesOf = (html, attribute) =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value]) => decoded(value))

/** Returns the file that answers a path of the site, as GitHub Pages finds it. */
export function fileAt(dist, path) {
  const candidates = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`]
  return candidates.map((candidate) => join(dist, candidate)).find((file) => existsSync(file) && /\.\w+$/.test(file))
}

/** Returns the links of a built site that lead nowhere: to no page, to no file, or to no element of a page. */
export function linkFaults(dist, base) {
  const pages = new Map(filesBelow(dist, '.html').map((file) => [file, withoutScripts(readText(file))]))
  const ids = new Map([...pages].map(([file, html]) => [file, new Set(valuesOf(html, 'id'))]))

  function faultOf(link, page) {
    const { pathname, hash } = new URL(link, `http://site${base}${page.slice(dist.length + 1)}`)
    const path = decodeURIComponent(pathname)
    if (!path.startsWith(base)) return `${link} is outside ${base}`
    const file = fileAt(dist, path.slice(base.length) || 'index.html')
    if (!file) return `${link} does not exist`
    return hash && !ids.get(file)?.has(decodeURIComponent(hash.slice(1))) ? `${link} has no such element` : undefined
  }

  return [...pages].flatMap(([page, html]) => {
    const links = new Set([...valuesOf(html, 'href'), ...valuesOf(html, 'src')])
    const faults = [...links].filter((link) => !/^[a-z]+:|^\/\//i.test(link)).map((link) => faultOf(link, page))
    return faults.filter(Boolean).map((fault) => `${page.slice(dist.length + 1)}: ${fault}`)
  })
}
