import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ViewError } from '../errors.ts'
import { isLocal } from '../is-local.ts'
import { projectFolderOf } from './find-bundler.ts'

/** Receives the path of each file that a view consists of. */
export type FileListener = (path: string) => void

/** A file that a page or a style sheet names. */
export interface LocalFile {
  readonly path: string
  /** The fragment of the reference, such as `#icon`, or an empty string. */
  readonly fragment: string
}

/** Finds the files that the references of one page mean. */
export interface LocalFiles {
  /** Finds a file, starting at a folder. Default: that of the page. @throws ViewError when it is missing. */
  find(reference: string, folder?: string): LocalFile
  /** Reports whether a reference of the page names a file beside it. */
  isLocal(reference: string | undefined): reference is string
}

/**
 * Creates the finder of a page. References are decoded as browsers do. One that starts with a slash is looked up beside the page, in the folder
 * of the project, and in its folder `public`. `base` is the value of `<base href>`.
 */
export function createLocalFiles(
  page: string,
  { base = '', onFile }: { base?: string | undefined; onFile?: FileListener | undefined } = {},
): LocalFiles {
  const start = isLocal(base) ? locate(base, dirname(page)).path : dirname(page)
  const isElsewhere = base !== '' && !isLocal(base)
  const roots = (): readonly string[] => {
    const project = projectFolderOf(page)
    return [dirname(page), project, join(project, 'public')]
  }
  return {
    isLocal: (reference): reference is string => !isElsewhere && isLocal(reference),
    find(reference, folder = start) {
      const isRooted = /^\s*[/\\]/.test(reference)
      const folders = isRooted ? roots() : [folder]
      const relative = isRooted ? `./${reference.trim().replace(/^[/\\]+/, '')}` : reference
      const found = folders.map((one) => locate(relative, one)).find(({ path }) => isFile(path))
      if (found) onFile?.(found.path)
      if (found) return found
      const { path } = locate(relative, folders[0] ?? folder)
      throw new ViewError(
        'VIEW_NOT_FOUND',
        `The file ${path} of the view does not exist. It is named as ${JSON.stringify(reference)}`,
      )
    },
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

function locate(reference: string, folder: string): LocalFile {
  const url = new URL(reference, `${pathToFileURL(folder).href}/`)
  const { hash } = url
  url.hash = ''
  url.search = ''
  try {
    const path = fileURLToPath(url)
    if (isFile(path)) return { path, fragment: hash }
  } catch {
    // An encoded slash, or a percent sign that encodes nothing: the name is meant literally.
  }
  const literal = join(folder, reference.trim().replace(/[?#][\s\S]*/, ''))
  return { path: isFile(literal) ? literal : decodedPath(url, literal), fragment: hash }
}

function decodedPath(url: URL, literal: string): string {
  try {
    return fileURLToPath(url)
  } catch {
    return literal
  }
}
