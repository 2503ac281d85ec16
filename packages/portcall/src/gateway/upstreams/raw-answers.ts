import type { Exchange } from '../../jsonrpc/exchange.ts'
import { isSuccess, success } from '../../jsonrpc/message.ts'
import { takeRawAnswer } from '../policy/raw-answer.ts'

/** Wraps the Exchange that sends requests to a server, below all middleware: replaces or records the answers to requests of the gateway itself. */
export function answerRaw(send: Exchange): Exchange {
  return (request, context) => {
    const own = takeRawAnswer(request)
    if (!own) return send(request, context)
    const { result, onResult } = own.raw
    if (result) return Promise.resolve(success(request.id, result))
    return send(own.request, context).then((response) => {
      if (isSuccess(response)) onResult?.(response.result, request.params?.cursor)
      return response
    })
  }
}
