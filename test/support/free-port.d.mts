/** Returns a free loopback port for a listener that needs a fixed port or listens on the same port again. */
export declare function freePort(): Promise<number>
