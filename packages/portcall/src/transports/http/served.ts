import type { HttpOptions } from './options.ts'

/** What a server says of how it is served. */
export interface Served {
  readonly methodOf?: HttpOptions['methodOf']
  readonly report?: HttpOptions['onError']
  readonly stores?: HttpOptions['stores'] | undefined
  readonly mayRepeat?: HttpOptions['mayRepeat']
}

/** The options of an endpoint as far as its server determines them; what its user says goes before. */
export function optionsOf({ methodOf, report, stores, mayRepeat }: Served): HttpOptions {
  return {
    ...(methodOf && { methodOf }),
    ...(report && { onError: report }),
    ...(stores && { stores }),
    ...(mayRepeat && { mayRepeat }),
  }
}
