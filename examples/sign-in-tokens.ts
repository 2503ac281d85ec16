/** Access tokens without a user: client credentials, or tokens from another source. */
import { bearerToken, clientCredentials } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

// #region machine
/** Uses a server on behalf of this program, which is pre-registered. */
export function connectAsProgram(url: string, clientId: string, clientSecret: string): Promise<Client> {
  return connect(url, { auth: clientCredentials({ client: { clientId, clientSecret } }) })
}
// #endregion

// #region token
/** Uses a server with tokens from another source. */
export function connectWithTokens(url: string, readToken: (isRejected: boolean) => Promise<string>): Promise<Client> {
  return connect(url, { auth: bearerToken(({ rejectedToken }) => readToken(rejectedToken !== undefined)) })
}
// #endregion
