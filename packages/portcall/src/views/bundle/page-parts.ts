import { dirname, resolve } from 'node:path'
import { attribute, isLocal } from '../elements.ts'
import { dataUrlOf } from './assets.ts'

/** The modules of a page, and the page without them. */
export interface PageParts {
  /** The page, with a mark where the script was. */
  readonly html: string
  /** The scripts and style sheets of the page: paths of files, and code. */
  readonly modules: readonly PageModule[]
}

/** A file that the page loads, or the code of one of its scripts. */
export type PageModule = { readonly path: string } | { readonly code: string }

/** Stands for the script in a page. */
export const SCRIPT_MARK = '<!--portcall:script-->'

const ELEMENT =
  /<script\b([^<>]*)>([\s\S]*?)<\/script\s*>|<link\b([^<>]*)>|(<img\b[^<>]*?\ssrc\s*=\s*)("[^"]*"|'[^']*'|[^\s>]+)/gi

/** Takes the local scripts and style sheets out of a page, and makes its images and icons data URLs. @throws ViewError when a file is missing. */
export function splitPage(page: string, path: string, maxAssetBytes: number): PageParts {
  const modules: PageModule[] = []
  let hasMark = false
  const toPath = (file: string): string => resolve(dirname(path), file.replace(/^\/+/, '').replace(/[?#][\s\S]*/, ''))
  const take = (module: PageModule): string => {
    modules.push(module)
    const mark = hasMark ? '' : SCRIPT_MARK
    hasMark = true
    return mark
  }
  const html = page.replace(
    ELEMENT,
    (...[element = '', script, code = '', link, image, quoted = '']: (string | undefined)[]): string => {
      if (script !== undefined) {
        const src = attribute(script, 'src')
        if (isLocal(src)) return take({ path: toPath(src) })
        const isModule = attribute(script, 'type')?.toLowerCase() === 'module'
        return src === undefined && isModule ? take({ code }) : element
      }
      if (link !== undefined) return replaceLink(element, link)
      const file = quoted.replace(/^["']|["']$/g, '')
      return image !== undefined && isLocal(file) ? `${image}"${dataUrlOf(toPath(file), maxAssetBytes)}"` : element
    },
  )
  return { html, modules }

  function replaceLink(element: string, attributes: string): string {
    const href = attribute(attributes, 'href')
    const relation = attribute(attributes, 'rel')?.toLowerCase() ?? ''
    if (!isLocal(href)) return element
    if (relation === 'stylesheet') {
      modules.push({ path: toPath(href) })
      return ''
    }
    if (/\bicon\b/.test(relation)) return element.replace(href, dataUrlOf(toPath(href), maxAssetBytes))
    return /preload|manifest/.test(relation) ? '' : element
  }
}
