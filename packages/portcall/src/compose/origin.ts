/** The `_meta` member of an item that names its server, and the item on the server. */
export const ORIGIN_META = 'io.github.portcall/origin'
