/** The id and the secret of a client. */
export interface BasicCredentials {
  readonly clientId: string
  readonly secret: string
}

const BASIC = /^basic +([A-Za-z0-9+/]+=*) *$/i

/** Parses the `Authorization` header of a client (RFC 6749, section 2.3.1). Returns undefined if it is malformed or uses another scheme. */
export function readBasicCredentials(header: string): BasicCredentials | undefined {
  const [, encoded] = BASIC.exec(header) ?? []
  try {
    const [, id, secret] = /^([^:]*):(.*)$/.exec(atob(encoded ?? '')) ?? []
    return id === undefined || secret === undefined ? undefined : { clientId: formDecode(id), secret: formDecode(secret) }
  } catch {
    return undefined
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
