/** A client in a worker, which answers `/?url=URL&revision=REVISION` with its results. */
import { travel } from './journey.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const seen = travel(searchParams.get('url') ?? '', { revision: searchParams.get('revision') ?? undefined })
    return seen.then(Response.json, (error: Error) => new Response(error.stack ?? String(error), { status: 500 }))
  },
}
