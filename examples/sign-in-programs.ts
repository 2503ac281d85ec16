/** Machine-to-machine authorization, and tokens bound to a key. */
import { readFile } from 'node:fs/promises'
import { browserSignIn, clientCredentials, enterpriseManaged, fileStore, workloadIdentity } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

/** The identity provider, the authorization server of the MCP server, and the secrets of this program with both. */
export interface Company {
  readonly sso: string
  readonly login: string
  readonly secretAtSso: string
  readonly secretAtLogin: string
}

// #region credentials
/** Uses a server on behalf of this program, which is pre-registered with one authorization server. */
export function connectWithSecret(url: string, issuer: string, clientSecret: string): Promise<Client> {
  const client = { issuer, clientId: 'nightly', clientSecret }
  return connect(url, { auth: clientCredentials({ client, scope: 'notes:read' }) })
}
// #endregion

// #region key
/** The same without a shared secret: the authorization server only knows the public key. */
export function connectWithKey(url: string, issuer: string, privateKey: string): Promise<Client> {
  const client = { issuer, clientId: 'nightly', privateKey, algorithm: 'ES256' }
  return connect(url, { auth: clientCredentials({ client }) })
}
// #endregion

// #region enterprise
/** Uses a server on behalf of a user who has signed in with a company's identity provider. */
export function connectInCompany(url: string, company: Company, readIdToken: () => Promise<string>): Promise<Client> {
  const auth = enterpriseManaged({
    identityProvider: { issuer: company.sso, client: { clientId: 'desk', clientSecret: company.secretAtSso } },
    client: { issuer: company.login, clientId: 'desk-at-notes', clientSecret: company.secretAtLogin },
    subject: readIdToken,
  })
  return connect(url, { auth })
}
// #endregion

// #region workload
/** Uses a server on behalf of this workload: its platform writes an assertion to a file and renews it before it expires. */
export function connectAsWorkload(url: string, path = '/var/run/secrets/tokens/login'): Promise<Client> {
  return connect(url, { auth: workloadIdentity({ assertion: () => readFile(path, 'utf8') }) })
}
// #endregion

// #region bound
/** Signs a user in and binds the tokens to a key (DPoP), so that stolen tokens are useless. */
export function connectBound(url: string, folder: string, open?: (url: URL) => Promise<void>): Promise<Client> {
  const store = fileStore(`${folder}/tokens.json`)
  return connect(url, { auth: browserSignIn({ store, dpop: { persist: true }, ...(open && { open }) }) })
}
// #endregion
