import type { Gauge } from 'prom-client'
import type { ExchangeContext, Middleware } from '../../jsonrpc/exchange.ts'
import type { Request } from '../../jsonrpc/message.ts'
import { type Outcome, outcomeOf, thrownOutcome } from '../../logging/operation.ts'

/** A request that has ended. */
export interface MeasuredRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly outcome: Outcome
  readonly seconds: number
}

/** Creates middleware that counts the requests in progress, and observes each one that has ended. */
export function createMeasuringMiddleware(inProgress: Gauge, observe: (ended: MeasuredRequest) => void): Middleware {
  return async (request, context, next) => {
    const startedAt = performance.now()
    const end = (outcome: Outcome): void => {
      inProgress.dec()
      observe({ request, context, outcome, seconds: (performance.now() - startedAt) / 1000 })
    }
    inProgress.inc()
    try {
      const response = await next(request, context)
      end(outcomeOf(response))
      return response
    } catch (error) {
      end(thrownOutcome(error))
      throw error
    }
  }
}
