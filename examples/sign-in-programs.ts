/** Using protected servers where nobody signs in, and binding tokens to a key. */
import { readFile } from 'node:fs/promises'
import { browser, clientCredentials, enterprise, fileStore, workload } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

/** Who signs users in, who gives tokens for the server, and the secrets that this program has with both. */
export interface Company {
  readonly sso: string
  readonly login: string
  readonly secretAtSso: string
  readonly secretAtLogin: string
}

// #region credentials
/** Uses a server in the name of this program, which is registered by hand with one authorization server. */
export function connectWithSecret(url: string, issuer: string, clientSecret: string): Promise<Client> {
  const client = { issuer, clientId: 'nightly', clientSecret }
  return connect(url, { auth: clientCredentials({ client, scope: 'notes:read' }) })
}
// #endregion

// #region key
/** The same without a secret: the authorization server knows the public half of a key, and never sees the other. */
export function connectWithKey(url: string, issuer: string, privateKey: string): Promise<Client> {
  const client = { issuer, clientId: 'nightly', privateKey, algorithm: 'ES256' }
  return connect(url, { auth: clientCredentials({ client }) })
}
// #endregion

// #region enterprise
/** Uses a server in the name of a user who has signed in at the identity provider of a company. */
export function connectInCompany(url: string, company: Company, readIdToken: () => Promise<string>): Promise<Client> {
  const auth = enterprise({
    identityProvider: { issuer: company.sso, client: { clientId: 'desk', clientSecret: company.secretAtSso } },
    client: { issuer: company.login, clientId: 'desk-at-notes', clientSecret: company.secretAtLogin },
    subject: readIdToken,
  })
  return connect(url, { auth })
}
// #endregion

// #region workload
/** Uses a server in the name of this workload: its platform writes an assertion into a file, and a new one before that expires. */
export function connectAsWorkload(url: string, path = '/var/run/secrets/tokens/login'): Promise<Client> {
  return connect(url, { auth: workload({ assertion: () => readFile(path, 'utf8') }) })
}
// #endregion

// #region bound
/** Signs a user in, and binds the tokens to a key: whoever copies them elsewhere has nothing. */
export function connectBound(url: string, folder: string, open?: (url: URL) => Promise<void>): Promise<Client> {
  const store = fileStore(`${folder}/tokens.json`)
  return connect(url, { auth: browser({ store, dpop: { keep: true }, ...(open && { open }) }) })
}
// #endregion
