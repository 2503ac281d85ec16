const ELSEWHERE = /^\s*(?:[a-z][a-z0-9+.-]*:|\/\/|\\\\|#|\?|$)/i

/** Reports whether a reference names a file beside the one that it is in, rather than an address, a fragment or nothing. */
export const isLocal = (reference: string | undefined): reference is string =>
  reference !== undefined && !ELSEWHERE.test(reference)
