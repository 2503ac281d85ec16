/** The administration API of Keycloak. */
export interface Admin {
  get<T>(path: string): Promise<T>
  post(path: string, body: unknown): Promise<void>
  put(path: string, body?: unknown): Promise<void>
  delete(path: string): Promise<void>
}

/** Signs in as the first administrator. */
export async function createAdmin(origin: string, password: string): Promise<Admin> {
  /** The tokens of administrators live for a minute. */
  const authorize = async (): Promise<string> => {
    const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', username: 'admin', password })
    const response = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, { method: 'POST', body })
    return `Bearer ${(await response.json()).access_token}`
  }
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const response = await fetch(`${origin}/admin/realms${path}`, {
      method,
      headers: { authorization: await authorize(), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  }
  return {
    get: async (path) => JSON.parse(await send('GET', path)),
    post: async (path, body) => void (await send('POST', path, body)),
    put: async (path, body) => void (await send('PUT', path, body)),
    delete: async (path) => void (await send('DELETE', path)),
  }
}
