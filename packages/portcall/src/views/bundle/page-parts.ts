import { dirname, resolve } from 'node:path'
import { attribute, elementsOf, isLocal, type PageElement, withAttribute } from '../elements.ts'
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
  const dataUrl = (file: string): string => dataUrlOf(toPath(file), maxAssetBytes)

  const replacements: { readonly [Name in PageElement['name']]: (element: string, parts: PageElement) => string } = {
    script(element, { attributes, code }) {
      const src = attribute(attributes, 'src')
      if (isLocal(src)) return take({ path: toPath(src) })
      const isModule = attribute(attributes, 'type')?.toLowerCase() === 'module'
      return src === undefined && isModule ? take({ code }) : element
    },
    link(element, { attributes }) {
      const href = attribute(attributes, 'href')
      const relation = attribute(attributes, 'rel')?.toLowerCase() ?? ''
      if (!isLocal(href)) return element
      if (relation === 'stylesheet') {
        modules.push({ path: toPath(href) })
        return ''
      }
      if (/\bicon\b/.test(relation)) return withAttribute(element, 'href', dataUrl(href))
      return /preload|manifest/.test(relation) ? '' : element
    },
    img(element, { attributes }) {
      const src = attribute(attributes, 'src')
      return isLocal(src) ? withAttribute(element, 'src', dataUrl(src)) : element
    },
  }

  let html = ''
  let end = 0
  for (const element of elementsOf(page)) {
    html += page.slice(end, element.start) + replacements[element.name](page.slice(element.start, element.end), element)
    end = element.end
  }
  return { html: html + page.slice(end), modules }
}
