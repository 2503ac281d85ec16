/**
 * The name of the server itself among those that are mounted on it. Its names and URIs do not change, and what it defines itself, such as the
 * filters of its extensions, belongs to it.
 */
export const OWN_SERVER = ''
