/** Access tokens without a user: for the program itself, or from elsewhere. */
import { clientCredentials, token } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

// #region machine
/** Uses a server in the name of this program, which is registered by hand. */
export function connectAsProgram(url: string, clientId: string, clientSecret: string): Promise<Client> {
  return connect(url, { auth: clientCredentials({ client: { clientId, clientSecret } }) })
}
// #endregion

// #region token
/** Uses a server with tokens that come from elsewhere. */
export function connectWithTokens(url: string, readToken: (isRefused: boolean) => Promise<string>): Promise<Client> {
  return connect(url, { auth: token(({ refused }) => readToken(refused !== undefined)) })
}
// #endregion
