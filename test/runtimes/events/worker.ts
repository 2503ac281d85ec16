/** A webhook in a worker, which answers every request with its results. */
import { receive } from './receive.ts'

export default {
  fetch: (): Promise<Response> =>
    receive().then(Response.json, (error: Error) => new Response(error.stack ?? String(error), { status: 500 })),
}
