/** A port of loopback for a listener that has to be told of one, or that comes back to it. */
export declare function freePort(): Promise<number>
