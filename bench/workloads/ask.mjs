import { openConnection } from '../load/connection.mjs'
import { createRequest, FIRST_ID, postText } from '../load/request.mjs'
import { messagesOf } from '../load/verify.mjs'
import { openingPosts, posted } from './messages.mjs'

/** Makes one unmeasured call over HTTP to an open server and returns its result. */
export async function ask({ port, mode }, { method, params }) {
  const { connection, headers } = await openConnection({ port }, openingPosts(mode))
  const { headers: own, body } = posted(mode, method, params)
  const bytes = createRequest(postText({ port }, { headers: { ...own, ...headers }, body })).stamp(FIRST_ID)
  const response = await connection.exchange(bytes.latin1Slice())
  connection.close()
  return messagesOf(response.body()).find(({ id }) => id === FIRST_ID).result
}
