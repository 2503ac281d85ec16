/** Returns a part of a URI for a name: letters, digits, `-`, `_` and `.`, in lower case. */
export function slugOf(name: string): string {
  const parts = name.toLowerCase().split(/[^a-z0-9._]/)
  const slug = parts.filter((part) => /[^.]/.test(part)).join('-')
  return slug === '' ? 'view' : slug
}

/** Returns the name of the view in a file: that of the file, or of its folder for `index`. */
export function nameOfFile(path: string): string {
  const [file = '', folder = ''] = path.split(/[\\/]/).reverse()
  const name = file.replace(/\.[^.]*$/, '')
  return name.toLowerCase() === 'index' && folder !== '' ? folder : name
}

const VIEW_URI = /^ui:\/\/([^/?#]+)\/([^?#]+)(?:\?([^#]*))?(?:#.*)?$/i

/** The parts of the URI of a view. */
export interface ViewUri {
  /** The URI without its query. */
  readonly base: string
  /** The revision of the page that the URI names. */
  readonly revision: string | undefined
}

/** Reads the URI of a view. Hosts parse and print URIs, so that letters may be encoded. */
export function readViewUri(uri: string): ViewUri | undefined {
  const [, server, path, query = ''] = VIEW_URI.exec(uri) ?? []
  if (server === undefined || path === undefined) return undefined
  try {
    const base = `ui://${decodeURIComponent(server)}/${decodeURIComponent(path)}`.toLowerCase()
    return { base, revision: new URLSearchParams(query).get('v') ?? undefined }
  } catch {
    return undefined
  }
}
