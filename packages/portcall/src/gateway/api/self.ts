/**
 * The name of a server to itself, in the gateway of the servers that are mounted on it. The names and URIs of its items do not change, and filters of
 * its extensions go to it.
 */
export const SELF = ''
