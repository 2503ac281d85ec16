import { AuthError, type AuthProvider } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

/** Connects, or explains why the user is not signed in. */
export async function tryToConnect(url: string, auth: AuthProvider): Promise<Client | string> {
  try {
    return await connect(url, { auth })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.reason === 'denied' || error.reason === 'timed_out') return 'You did not sign in.'
    return `You cannot sign in: ${error.message}`
  }
}
